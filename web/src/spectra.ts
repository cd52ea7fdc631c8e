// Numbers of spectra, and their way out of the page: CSV.

import type { Marker } from './state';

export interface Curve {
  /** "scene01" */
  source: string;
  truth: boolean;
  mean: number[];
  /** Standard deviation over the region; zeros for a pixel. */
  deviation: number[];
}

export interface MarkedSpectrum {
  marker: Marker;
  index: number;
  curves: Curve[];
}

/** Pearson's; NaN if one of them is constant, but for rounding. */
export function correlation(p: number[], q: number[]): number {
  const mean = (v: number[]) => v.reduce((sum, x) => sum + x, 0) / v.length;
  const mp = mean(p);
  const mq = mean(q);
  let pp = 0;
  let qq = 0;
  let pq = 0;
  for (let i = 0; i < p.length; i++) {
    pp += (p[i] - mp) ** 2;
    qq += (q[i] - mq) ** 2;
    pq += (p[i] - mp) * (q[i] - mq);
  }
  const constant = (squares: number, m: number) => squares <= 1e-12 * p.length * m * m;
  return constant(pp, mp) || constant(qq, mq) ? NaN : pq / Math.sqrt(pp * qq);
}

export function markerText(marker: Marker): string {
  return marker.width * marker.height > 1
    ? `${marker.x}, ${marker.y} · ${marker.width}×${marker.height}`
    : `${marker.x}, ${marker.y}`;
}

const field = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** A row for each band; for each marker and source the mean and, for regions, the standard deviation. */
export function spectraCsv(axis: number[], axisName: string, spectra: MarkedSpectrum[]): string {
  const header = [axisName];
  const columns: number[][] = [axis];
  for (const { marker, index, curves } of spectra) {
    const place = `${index + 1} (x ${marker.x} y ${marker.y}${marker.width * marker.height > 1 ? ` ${marker.width}x${marker.height}` : ''})`;
    for (const curve of curves) {
      header.push(`${curve.source} ${place}`);
      columns.push(curve.mean);
      if (marker.width * marker.height > 1) {
        header.push(`${curve.source} ${place} deviation`);
        columns.push(curve.deviation);
      }
    }
  }
  const rows = axis.map((_, i) => columns.map((c) => (c[i] === undefined ? '' : String(c[i]))).join(','));
  return [header.map(field).join(','), ...rows].join('\r\n') + '\r\n';
}
