// Spectra at markers: the plot, the list with correlations, the table, SVG and CSV.

import type { App } from './app';
import { fetchSpectrum, type Source, type Spectrum } from './api';
import { axisOf } from './axis';
import { Chart } from './chart';
import { markerColour } from './colour';
import { download, h, icon } from './dom';
import { correlation, markerText, spectraCsv, type Curve, type MarkedSpectrum } from './spectra';
import type { Hover } from './stage';
import type { Marker } from './state';
import { plotSvg, type PlotLine } from './svg';

/** "scene01 (truth)" */
const titleOf = (curve: Curve) => (curve.truth && curve.source !== 'truth' ? `${curve.source} (truth)` : curve.source);

/** "r = 0.9876": how well a curve follows the true one. */
function agreementText(curve: Curve, truth: Curve): string {
  const r = correlation(curve.mean, truth.mean);
  return `r = ${Number.isNaN(r) ? '–' : r.toFixed(4).replace('-', '−')}`;
}

export class SpectraPanel {
  readonly element: HTMLElement;
  private readonly chart: Chart;
  private readonly list = h('ul', { class: 'marks', 'aria-label': 'Markers' });
  private readonly table = h('div', { class: 'table-holder' });
  private readonly details: HTMLDetailsElement;
  private readonly hint = h('p', { class: 'hint' }, 'Click the image for a spectrum; drag with Shift for a region’s mean and spread.');
  private readonly actions: HTMLButtonElement[];
  /** By source and place. */
  private readonly known = new Map<string, { version: number; spectrum: Spectrum }>();
  private readonly asked = new Map<string, number>();
  private hover: Hover | null = null;
  private spectra: MarkedSpectrum[] = [];

  constructor(private readonly app: App) {
    this.chart = new Chart('Plot of the spectra; their numbers are under “By numbers”', 230, (band) => app.update({ band, mode: 'band' }));
    this.actions = [
      h('button', { type: 'button', class: 'quiet', onclick: () => this.saveSvg() }, icon('download'), 'SVG'),
      h('button', { type: 'button', class: 'quiet', onclick: () => this.saveCsv() }, icon('download'), 'CSV'),
      h('button', { type: 'button', class: 'quiet', onclick: () => app.update({ markers: [] }) }, 'Clear'),
    ];
    this.details = h('details', {}, h('summary', {}, 'By numbers'), this.form(), this.table) as HTMLDetailsElement;
    this.element = h('section', { class: 'panel', 'aria-labelledby': 'spectra-title' },
      h('header', {}, h('h2', { id: 'spectra-title' }, 'Spectra'), h('div', { class: 'actions' }, ...this.actions)),
      this.chart.element, this.hint, this.list, this.details);
    this.details.addEventListener('toggle', () => this.showTable());
    app.listen(() => this.refresh());
  }

  restyle() {
    this.chart.restyle();
  }

  /** The spectrum under the pointer, as a thin line. */
  showHover(hover: Hover | null) {
    this.hover = hover;
    this.showChart();
  }

  /** A place by numbers, for those who do not point. */
  private form(): HTMLElement {
    const field = (name: string, label: string, value: string) =>
      h('label', {}, h('span', {}, label), h('input', { name, type: 'number', min: '0', value, required: true, inputMode: 'numeric' }));
    const form = h('form', { class: 'place', 'aria-label': 'Add a marker by numbers' },
      field('x', 'x', '0'), field('y', 'y', '0'), field('width', 'wide', '1'), field('height', 'high', '1'),
      h('button', { type: 'submit', class: 'quiet' }, icon('plus'), 'Add'));
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      const data = new FormData(form);
      const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((key) => Math.trunc(Number(data.get(key))));
      const { source } = this.app;
      if (x < 0 || y < 0 || width < 1 || height < 1 || x + width > source.width || y + height > source.height) {
        return this.app.complain(`a place inside of ${source.width}×${source.height} pixels, please`);
      }
      this.app.addMarker({ x, y, width, height });
    });
    return form;
  }

  /** The source shown, the one compared with it, the truth. */
  private sources(): Source[] {
    const { app } = this;
    const list = [app.source];
    const add = (source: Source | null) => {
      if (source && source.bands === app.source.bands && !list.includes(source)) list.push(source);
    };
    if (app.comparing) add(app.other);
    add(app.truthFor(app.source));
    return list;
  }

  /** Of the values that are shown; while they are being asked for, of those before: `old` then. */
  private curve(source: Source, marker: Marker): (Curve & { old: boolean }) | null {
    const key = `${source.id}:${marker.x},${marker.y},${marker.width},${marker.height}`;
    const known = this.known.get(key);
    if (known?.version !== source.version && this.asked.get(key) !== source.version) {
      this.asked.set(key, source.version);
      fetchSpectrum(source, marker)
        .then((spectrum) => {
          const newest = this.known.get(key)?.version ?? -1;
          if (source.version > newest) this.known.set(key, { version: source.version, spectrum });
          this.refresh();
        })
        .catch((error: Error) => this.app.problem(error));
    }
    if (!known) return null;
    const { mean, deviation } = known.spectrum;
    return { source: source.name, truth: source.id === this.app.about.truth, mean, deviation, old: known.version !== source.version };
  }

  private refresh() {
    const { app } = this;
    const sources = this.sources();
    let waiting = false;
    this.spectra = app.markersOn(app.source).map(({ marker, index }) => {
      const found = sources.map((s) => this.curve(s, marker));
      waiting ||= found.some((c) => c === null || c.old);
      return { marker, index, curves: found.filter((c) => c !== null) };
    });
    this.element.hidden = app.source.bands < 2;
    this.hint.hidden = this.spectra.length > 0;
    this.actions.forEach((button) => (button.disabled = this.spectra.length === 0));
    this.element.dataset.ready = waiting ? 'no' : 'yes';
    this.showChart();
    this.showList();
    this.showTable();
  }

  private lines(): PlotLine[] {
    return this.spectra.flatMap(({ marker, index, curves }) => {
      const truth = curves.find((c) => c.truth);
      return curves.map((curve, i) => ({
        name: `${index + 1} · ${titleOf(curve)} · ${truth && !curve.truth ? agreementText(curve, truth) : markerText(marker)}`,
        colour: markerColour(index),
        dash: curve.truth ? '7 4' : i > 0 ? '2 3' : '',
        width: i === 0 ? 2 : 1.5,
        values: curve.mean,
        spread: i === 0 && marker.width * marker.height > 1 ? curve.deviation : undefined,
      }));
    });
  }

  private showChart() {
    const { app } = this;
    const axis = axisOf(app.source);
    const lines = this.lines();
    if (this.hover && this.hover.mean.length === axis.values.length) {
      lines.push({ name: 'pointer', colour: '#8a919b', dash: '', width: 1.25, values: this.hover.mean });
    }
    if (!lines.length) lines.push({ name: '', colour: '#888888', dash: '', width: 0, values: axis.values.map(() => null) });
    const marked = app.mode === 'band' ? axis.values[app.band] : null;
    this.chart.show(axis.values, lines, { x: axis.name, left: 'value' }, marked);
  }

  private showList() {
    const { app } = this;
    this.list.replaceChildren(
      ...this.spectra.map(({ marker, index, curves }) => {
        const truth = curves.find((c) => c.truth);
        const swatch = h('span', { class: 'swatch' }, String(index + 1));
        swatch.style.background = markerColour(index);
        const agreement = truth
          ? curves.filter((c) => c !== truth).map((c) => {
              return h('span', { class: 'correlation', title: `Correlation of ${c.source} with the truth` },
                `${curves.length > 2 ? `${c.source} ` : ''}${agreementText(c, truth)}`);
            })
          : [];
        return h('li', {}, swatch, h('span', { class: 'where' }, markerText(marker)), h('span', { class: 'agreement' }, ...agreement),
          h('button', {
            type: 'button', class: 'tool', 'aria-label': `Remove marker ${index + 1}`, title: 'Remove',
            onclick: () => app.update({ markers: app.state.markers.filter((_, i) => i !== index) }),
          }, icon('close')));
      }),
    );
    const kinds = this.spectra[0]?.curves ?? [];
    if (kinds.length > 1) {
      this.list.append(h('li', { class: 'key' },
        ...kinds.map((c, i) => h('span', { class: c.truth ? 'dashed' : i > 0 ? 'dotted' : 'solid' }, titleOf(c)))));
    }
  }

  private showTable() {
    if (!this.details.open) return;
    const axis = axisOf(this.app.source);
    const columns = this.spectra.flatMap(({ index, curves }) => curves.map((curve) => ({ index, curve })));
    this.table.replaceChildren(
      h('table', {},
        h('caption', {}, 'Spectra by band'),
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, axis.name), ...columns.map(({ index, curve }) => h('th', { scope: 'col' }, `${index + 1} ${curve.source}`)))),
        h('tbody', {}, ...axis.values.map((x, i) =>
          h('tr', {}, h('th', { scope: 'row' }, String(x)), ...columns.map(({ curve }) => h('td', {}, curve.mean[i].toFixed(5))))))),
    );
  }

  private saveSvg() {
    const axis = axisOf(this.app.source);
    const svg = plotSvg({ title: `Spectra · ${this.app.source.name}`, xName: axis.name, yName: 'value', x: axis.values, lines: this.lines() });
    download(new Blob([svg], { type: 'image/svg+xml' }), `${this.app.source.name}-spectra.svg`);
  }

  private saveCsv() {
    const axis = axisOf(this.app.source);
    download(new Blob([spectraCsv(axis.values, axis.name, this.spectra)], { type: 'text/csv' }), `${this.app.source.name}-spectra.csv`);
  }
}
