// How close a cube is to the truth (or to the one it is compared with), band by band.

import type { App } from './app';
import { fetchScores, type Scores, type Source } from './api';
import { axisOf } from './axis';
import { Chart } from './chart';
import { download, h, icon } from './dom';
import { sameShape } from './layers';
import { plotSvg, type PlotLine } from './svg';

const colours = ['#1c7ed6', '#e8590c'];

export class QualityPanel {
  readonly element: HTMLElement;
  private readonly chart: Chart;
  private readonly summary = h('table', { class: 'scores' });
  private readonly save: HTMLButtonElement;
  private readonly note = h('p', { class: 'hint' });
  private readonly known = new Map<string, Scores | Error>();
  private readonly asked = new Set<string>();
  private lines: PlotLine[] = [];

  constructor(private readonly app: App) {
    this.chart = new Chart('Plot of PSNR and SSIM by band', 190, (band) => app.update({ band, mode: 'band' }));
    this.save = h('button', { type: 'button', class: 'quiet', 'aria-label': 'SVG of the quality by band', onclick: () => this.saveSvg() }, icon('download'), 'SVG');
    this.element = h('section', { class: 'panel', 'aria-labelledby': 'quality-title' },
      h('header', {}, h('h2', { id: 'quality-title' }, 'Quality by band'), h('div', { class: 'actions' }, this.save)),
      this.chart.element, this.summary, this.note);
    app.listen(() => this.refresh());
  }

  restyle() {
    this.chart.restyle();
  }

  /** Pairs of a source and what it is held against. */
  private pairs(): { source: Source; against: Source }[] {
    const { app } = this;
    const shown = app.comparing ? [app.source, app.other] : [app.source];
    const withTruth = shown.flatMap((source) => {
      const against = app.truthFor(source);
      return against ? [{ source, against }] : [];
    });
    if (withTruth.length) return withTruth;
    return app.comparing && sameShape(app.source, app.other) ? [{ source: app.source, against: app.other }] : [];
  }

  private scores(source: Source, against: Source): Scores | Error | null {
    const key = `${source.id}@${source.version}-${against.id}@${against.version}`;
    if (!this.asked.has(key)) {
      this.asked.add(key);
      fetchScores(source.id, against.id)
        .catch((error: Error) => error)
        .then((found) => {
          this.known.set(key, found);
          this.refresh();
        });
    }
    return this.known.get(key) ?? null;
  }

  private refresh() {
    const { app } = this;
    const pairs = this.pairs();
    this.element.hidden = pairs.length === 0;
    if (!pairs.length) return;
    const axis = axisOf(app.source);
    const lines: PlotLine[] = [];
    const rows: HTMLElement[] = [];
    let waiting = false;
    let failure = '';
    pairs.forEach(({ source, against }, i) => {
      const found = this.scores(source, against);
      if (found === null) waiting = true;
      if (found instanceof Error) failure = found.message;
      if (found === null || found instanceof Error) return;
      lines.push({ name: `PSNR ${source.name}`, colour: colours[i], dash: '', width: 2, values: found.psnr, side: 'left' });
      lines.push({ name: `SSIM ${source.name}`, colour: colours[i], dash: '5 4', width: 1.5, values: found.ssim, side: 'right' });
      const swatch = h('span', { class: 'dot' });
      swatch.style.background = colours[i];
      rows.push(h('tr', {}, h('th', { scope: 'row' }, swatch, source.name),
        h('td', {}, `${found.mean.psnr.toFixed(2)} dB`), h('td', {}, found.mean.ssim.toFixed(4)),
        h('td', { class: 'soft' }, `${found.psnr[app.band].toFixed(2)} dB`), h('td', { class: 'soft' }, found.ssim[app.band].toFixed(4))));
    });
    this.element.dataset.ready = waiting ? 'no' : 'yes';
    this.note.textContent = failure || (waiting ? 'Computing…' : `Against ${pairs[0].against.name}, toolbox protocol. PSNR solid, left; SSIM dashed, right.`);
    this.summary.replaceChildren(
      h('thead', {}, h('tr', {}, h('td', {}), h('th', { scope: 'col' }, 'PSNR'), h('th', { scope: 'col' }, 'SSIM'),
        h('th', { scope: 'col', class: 'soft' }, 'this band'), h('th', { scope: 'col', class: 'soft' }, ''))),
      h('tbody', {}, ...rows));
    this.lines = [...lines];
    this.save.disabled = lines.length === 0;
    if (!lines.length) lines.push({ name: '', colour: '#888888', dash: '', width: 0, values: axis.values.map(() => null) });
    this.chart.show(axis.values, lines, { x: axis.name, left: 'PSNR in dB', right: 'SSIM' }, app.mode === 'band' ? axis.values[app.band] : null);
  }

  private saveSvg() {
    const { source } = this.app;
    const axis = axisOf(source);
    const against = this.pairs()[0].against.name;
    const svg = plotSvg({
      title: `PSNR and SSIM against ${against}`, xName: axis.name, yName: 'PSNR in dB', rightName: 'SSIM', x: axis.values, lines: this.lines,
    });
    download(new Blob([svg], { type: 'image/svg+xml' }), `${source.name}-quality.svg`);
  }
}
