// uPlot with the page's colours and a line at the band that is shown.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { h } from './dom';
import type { PlotLine } from './svg';

const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const shade = (hex: string, share: string) => `${hex}${share}`;

export class Chart {
  readonly element: HTMLElement;
  private plot: uPlot | null = null;
  private shape = '';
  private x: number[] = [];
  private lines: PlotLine[] = [];
  private names = { x: '', left: '', right: '' };
  private marked: number | null = null;

  /** `choose` is called with the index of the band that was clicked. */
  constructor(label: string, private readonly height: number, private readonly choose: (index: number) => void) {
    this.element = h('div', { class: 'chart', role: 'img', 'aria-label': label });
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  /** `marked`: where the vertical line stands, in units of x. */
  show(x: number[], lines: PlotLine[], names: { x: string; left: string; right?: string }, marked: number | null) {
    this.x = x;
    this.lines = lines;
    this.names = { right: '', ...names };
    this.marked = marked;
    const shape = JSON.stringify([lines.map((l) => [l.name, l.colour, l.dash, l.width, l.side, Boolean(l.spread)]), names]);
    const data = this.data();
    if (this.plot && shape === this.shape) {
      this.plot.setData(data);
    } else {
      this.shape = shape;
      this.build(data);
    }
  }

  /** After the theme changed. */
  restyle() {
    if (this.plot) this.build(this.data());
  }

  /** x, then for each line its values and, if it has a spread, the two edges of it. */
  private data(): uPlot.AlignedData {
    const columns: (number | null)[][] = [this.x];
    for (const line of this.lines) {
      columns.push(line.values);
      if (!line.spread) continue;
      for (const sign of [1, -1]) columns.push(line.values.map((v, i) => (v === null ? null : v + sign * line.spread![i])));
    }
    return columns as unknown as uPlot.AlignedData;
  }

  private resize() {
    const width = this.element.clientWidth;
    if (this.plot && width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: this.height });
  }

  private build(data: uPlot.AlignedData) {
    this.plot?.destroy();
    const series: uPlot.Series[] = [{}];
    const bands: uPlot.Band[] = [];
    for (const line of this.lines) {
      const scale = line.side === 'right' ? 'right' : 'y';
      series.push({
        label: line.name, stroke: line.colour, width: line.width, scale,
        dash: line.dash ? line.dash.split(' ').map(Number) : undefined,
        points: { show: false },
      });
      if (!line.spread) continue;
      for (let i = 0; i < 2; i++) series.push({ stroke: 'transparent', width: 0, scale, points: { show: false } });
      bands.push({ series: [series.length - 2, series.length - 1], fill: shade(line.colour, '2e') });
    }
    const axis = (scale: string, label: string, side: uPlot.Axis.Side): uPlot.Axis => ({
      scale, side, label, labelSize: label ? 18 : 0, labelFont: '12px system-ui, sans-serif', font: '11px system-ui, sans-serif',
      stroke: colour('--text-soft'), gap: 4, size: scale === 'x' ? 30 : 44,
      grid: { show: side !== 1, stroke: colour('--line'), width: 1 },
      ticks: { stroke: colour('--line'), width: 1, size: 4 },
    });
    const right = this.lines.some((l) => l.side === 'right');
    this.plot = new uPlot(
      {
        width: this.element.clientWidth || 380, height: this.height,
        padding: [10, right ? 0 : 12, 0, 0],
        series, bands,
        scales: {
          x: { time: false, range: (_, low, high) => (low === high ? [low - 1, high + 1] : [low, high]) },
          y: { range: (_, low, high) => padded(low, high) },
          right: { range: (_, low, high) => padded(low, high) },
        },
        axes: [axis('x', this.names.x, 2), axis('y', this.names.left, 3), ...(right ? [axis('right', this.names.right, 1)] : [])],
        legend: { show: false },
        cursor: { drag: { x: false, y: false }, points: { size: 7 }, y: false },
        hooks: {
          drawClear: [(plot) => this.drawMark(plot)],
          ready: [(plot) => plot.over.addEventListener('click', () => {
            if (plot.cursor.idx !== null && plot.cursor.idx !== undefined) this.choose(plot.cursor.idx);
          })],
        },
      },
      data,
      this.element,
    );
  }

  private drawMark(plot: uPlot) {
    if (this.marked === null) return;
    const x = Math.round(plot.valToPos(this.marked, 'x', true));
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.strokeStyle = colour('--accent');
    ctx.globalAlpha = 0.65;
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }
}

/** Some room above and below; from 0 where values come near it. */
function padded(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  if (low === high) return low === 0 ? [0, 1] : [low - 0.1 * Math.abs(low), high + 0.1 * Math.abs(high)];
  const room = 0.06 * (high - low);
  return [low >= 0 && low < 0.4 * high ? 0 : low - room, high + room];
}
