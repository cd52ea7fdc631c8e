// Line plots as SVG, for papers: what uPlot draws on its canvas, with real text and lines.

export interface PlotLine {
  name: string;
  colour: string;
  /** "" for solid. */
  dash: string;
  width: number;
  values: (number | null)[];
  /** Half the height of the shaded band around the line. */
  spread?: number[];
  /** 'right' has a scale of its own at the right. */
  side?: 'left' | 'right';
}

export interface Plot {
  title: string;
  xName: string;
  yName: string;
  /** Of the scale at the right, if a line has it. */
  rightName?: string;
  x: number[];
  lines: PlotLine[];
}

/** About `count` round numbers from low to high. */
export function niceTicks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0)) return [low];
  const rough = span / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((f) => f * power).find((s) => s >= rough * (1 - 1e-9))!;
  const ticks: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++) ticks.push(Number((i * step).toPrecision(12)));
  return ticks;
}

const escape = (text: string) => text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);
const short = (v: number) => Number(v.toFixed(2)).toString();

/** Where the values of some lines end, with room above and below; from 0 where values come near it. */
function limits(lines: PlotLine[]): { low: number; high: number } {
  const all = lines.flatMap((line) =>
    line.values.flatMap((v, i) => (v === null ? [] : [v - (line.spread?.[i] ?? 0), v + (line.spread?.[i] ?? 0)])),
  );
  let low = Math.min(...all, Infinity);
  let high = Math.max(...all, -Infinity);
  if (!(low <= high)) [low, high] = [0, 1];
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const pad = 0.05 * (high - low);
  return { low: low >= 0 && low < 0.4 * high ? 0 : low - pad, high: high + pad };
}

export function plotSvg(plot: Plot, width = 720, height = 440): string {
  const onRight = plot.lines.filter((line) => line.side === 'right');
  const margin = { left: 64, right: onRight.length ? 64 : 20, top: 40, bottom: 52 };
  const rows = Math.ceil(plot.lines.length / 2);
  const legendTop = height;
  const total = height + rows * 20 + (rows ? 12 : 0);
  const left = limits(plot.lines.filter((line) => line.side !== 'right'));
  const right = limits(onRight);
  const x0 = Math.min(...plot.x);
  const x1 = Math.max(...plot.x);
  const px = (x: number) => margin.left + ((x - x0) / (x1 - x0 || 1)) * (width - margin.left - margin.right);
  const scaleOf = ({ low, high }: { low: number; high: number }) => (y: number) =>
    height - margin.bottom - ((y - low) / (high - low)) * (height - margin.top - margin.bottom);
  const [leftY, rightY] = [scaleOf(left), scaleOf(right)];
  const out: string[] = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${total}" viewBox="0 0 ${width} ${total}" ` +
      `font-family="Helvetica, Arial, sans-serif" font-size="12" fill="#222">`,
    `<title>${escape(plot.title)}</title>`,
    `<rect width="${width}" height="${total}" fill="#fff"/>`,
    `<text x="${margin.left}" y="24" font-size="14" font-weight="bold">${escape(plot.title)}</text>`,
  ];
  const bottom = height - margin.bottom;
  for (const y of niceTicks(left.low, left.high, 5)) {
    out.push(
      `<line x1="${margin.left}" x2="${width - margin.right}" y1="${short(leftY(y))}" y2="${short(leftY(y))}" stroke="#e3e3e3"/>`,
      `<text x="${margin.left - 8}" y="${short(leftY(y) + 4)}" text-anchor="end">${y}</text>`,
    );
  }
  for (const y of onRight.length ? niceTicks(right.low, right.high, 5) : []) {
    out.push(`<text x="${width - margin.right + 8}" y="${short(rightY(y) + 4)}">${y}</text>`);
  }
  for (const x of niceTicks(x0, x1, 8)) {
    out.push(
      `<line x1="${short(px(x))}" x2="${short(px(x))}" y1="${bottom}" y2="${bottom + 5}" stroke="#888"/>`,
      `<text x="${short(px(x))}" y="${bottom + 19}" text-anchor="middle">${x}</text>`,
    );
  }
  out.push(
    `<line x1="${margin.left}" x2="${width - margin.right}" y1="${bottom}" y2="${bottom}" stroke="#888"/>`,
    `<text x="${(margin.left + width - margin.right) / 2}" y="${height - 12}" text-anchor="middle">${escape(plot.xName)}</text>`,
    `<text transform="translate(16 ${(margin.top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(plot.yName)}</text>`,
  );
  if (onRight.length) {
    out.push(`<text transform="translate(${width - 12} ${(margin.top + bottom) / 2}) rotate(90)" text-anchor="middle">${escape(plot.rightName ?? '')}</text>`);
  }
  for (const line of plot.lines) {
    const py = line.side === 'right' ? rightY : leftY;
    const points = line.values.flatMap((v, i) => (v === null ? [] : [[px(plot.x[i]), py(v), i] as const]));
    if (line.spread?.some((s) => s > 0)) {
      const edge = (sign: number) => points.map(([x, , i]) => `${short(x)},${short(py(line.values[i]! + sign * line.spread![i]))}`);
      out.push(`<polygon points="${[...edge(1), ...edge(-1).reverse()].join(' ')}" fill="${line.colour}" fill-opacity="0.14"/>`);
    }
    out.push(
      `<polyline points="${points.map(([x, y]) => `${short(x)},${short(y)}`).join(' ')}" fill="none" stroke="${line.colour}" ` +
        `stroke-width="${line.width}" stroke-linejoin="round"${line.dash ? ` stroke-dasharray="${line.dash}"` : ''}/>`,
    );
  }
  plot.lines.forEach((line, i) => {
    const x = margin.left + (i % 2) * ((width - margin.left) / 2);
    const y = legendTop + Math.floor(i / 2) * 20 + 4;
    out.push(
      `<line x1="${x}" x2="${x + 28}" y1="${y}" y2="${y}" stroke="${line.colour}" stroke-width="${line.width}"` +
        `${line.dash ? ` stroke-dasharray="${line.dash}"` : ''}/>`,
      `<text x="${x + 36}" y="${y + 4}">${escape(line.name)}</text>`,
    );
  });
  out.push('</svg>');
  return out.join('\n');
}
