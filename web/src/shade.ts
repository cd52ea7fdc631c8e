// From values to bytes on the screen. gl.ts has the same in GLSL; canvas.ts draws with these.

import { encodeSrgb, mapTable, type MapName } from './colour';
import { halfValues } from './half';

/** What becomes black and what white. */
export interface Range {
  low: number;
  high: number;
}

export interface Tone {
  /** In stops: 1 doubles. */
  exposure: number;
  /** 1 leaves the sRGB curve as it is; above 1 lifts the dark. */
  gamma: number;
}

/** Where a value lies between black (0) and white (1), after exposure; not clipped. */
export function position(value: number, range: Range, tone: Tone): number {
  const span = range.high - range.low;
  return ((value - range.low) / (span > 0 ? span : 1)) * 2 ** tone.exposure;
}

/** A channel of a colour picture, 0 … 255. */
export function channelByte(value: number, range: Range, tone: Tone): number {
  const t = position(value, range, tone);
  return Math.round(255 * encodeSrgb(t) ** (1 / tone.gamma));
}

/** Steps of a colour map. */
export const mapSteps = 1024;

export function mapIndex(value: number, range: Range, tone: Tone): number {
  const t = Math.min(Math.max(position(value, range, tone), 0), 1);
  return Math.round((mapSteps - 1) * t ** (1 / tone.gamma));
}

/** channelByte for all 16-bit floats; `unit` is what the tile's values were multiplied by. */
export function channelTable(range: Range, tone: Tone, unit: number): Uint8Array {
  const table = new Uint8Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const v = halfValues[bits] / unit;
    table[bits] = Number.isFinite(v) ? channelByte(v, range, tone) : 0;
  }
  return table;
}

/** RGBA (little-endian in one number) for all 16-bit floats. */
export function colourTable(name: MapName, nm: number | null, range: Range, tone: Tone, unit: number): Uint32Array {
  const colours = new Uint32Array(mapTable(name, mapSteps, nm).buffer);
  const table = new Uint32Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const v = halfValues[bits] / unit;
    table[bits] = colours[Number.isFinite(v) ? mapIndex(v, range, tone) : 0];
  }
  return table;
}
