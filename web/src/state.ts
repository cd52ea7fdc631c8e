// What is shown, and the link that restores it.

import { mapNames, type MapName } from './colour';
import type { View } from './view';

export type Mode = 'colour' | 'false' | 'band';
export const modes: Mode[] = ['colour', 'false', 'band'];
export type Compare = 'off' | 'side' | 'swipe' | 'blink' | 'error';
export const comparisons: Compare[] = ['off', 'side', 'swipe', 'blink', 'error'];

/** A pixel, or a region of them. */
export interface Marker {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface State {
  /** Numbers of the sources: the one shown, and the one it is compared with. */
  a: number;
  b: number;
  compare: Compare;
  mode: Mode;
  band: number;
  /** Bands shown as red, green and blue. */
  falseBands: [number, number, number];
  map: MapName;
  /** The error map is the mean over bands, not that of the band. */
  errorMean: boolean;
  exposure: number;
  gamma: number;
  /** Percent cut off at both ends; 0: from black to white as they are. */
  stretch: number;
  swipe: number;
  view: View | null;
  markers: Marker[];
  showScreening: boolean;
  showWindows: boolean;
  /** The share of windows that the model is to leave out; null where there is no such model. */
  sigma: number | null;
}

export const mostMarkers = 24;
export const mostSigma = 0.95;

/** The part of a link after '#'. What is as in `base` is left out. */
export function encodeState(state: State, base: State): string {
  const out = new URLSearchParams();
  const put = (key: string, value: string | number, usual: string | number) => {
    if (value !== usual) out.set(key, String(value));
  };
  const round = (v: number) => Number(v.toPrecision(7));
  put('a', state.a, base.a);
  put('b', state.b, base.b);
  put('compare', state.compare, base.compare);
  put('mode', state.mode, base.mode);
  put('band', state.band, base.band);
  put('rgb', state.falseBands.join('-'), base.falseBands.join('-'));
  put('map', state.map, base.map);
  put('error', state.errorMean ? 'mean' : 'band', base.errorMean ? 'mean' : 'band');
  // Always: what the page would choose by itself depends on the picture.
  out.set('ev', String(round(state.exposure)));
  put('gamma', round(state.gamma), base.gamma);
  put('stretch', round(state.stretch), base.stretch);
  put('swipe', round(state.swipe), base.swipe);
  put('screening', Number(state.showScreening), Number(base.showScreening));
  put('windows', Number(state.showWindows), Number(base.showWindows));
  // Always, too: a link is to bring back the σ that was, whatever the model ran with since.
  if (state.sigma !== null) out.set('sigma', String(round(state.sigma)));
  if (state.view) out.set('view', [state.view.scale, state.view.x, state.view.y].map(round).join('_'));
  if (state.markers.length) {
    out.set(
      'marks',
      state.markers.map((m) => (m.width * m.height > 1 ? [m.x, m.y, m.width, m.height] : [m.x, m.y]).join('-')).join('_'),
    );
  }
  return out.toString();
}

/** The state of a link; what is missing or makes no sense is as in `base`. */
export function decodeState(text: string, base: State): State {
  const link = new URLSearchParams(text);
  const state: State = { ...base, falseBands: [...base.falseBands], markers: [...base.markers] };
  const number = (key: string, low: number, high: number, usual: number, whole = false) => {
    const value = link.has(key) && link.get(key) !== '' ? Number(link.get(key)) : NaN;
    return value >= low && value <= high && (!whole || Number.isInteger(value)) ? value : usual;
  };
  const choice = <T extends string>(key: string, list: readonly T[], usual: T) =>
    list.find((item) => item === link.get(key)) ?? usual;
  const many = 1e6;
  state.a = number('a', 0, many, base.a, true);
  state.b = number('b', 0, many, base.b, true);
  state.compare = choice('compare', comparisons, base.compare);
  state.mode = choice('mode', modes, base.mode);
  state.band = number('band', 0, many, base.band, true);
  state.map = choice('map', mapNames, base.map);
  state.errorMean = choice('error', ['mean', 'band'] as const, base.errorMean ? 'mean' : 'band') === 'mean';
  state.exposure = number('ev', -20, 20, base.exposure);
  state.gamma = number('gamma', 0.1, 10, base.gamma);
  state.stretch = number('stretch', 0, 20, base.stretch);
  state.swipe = number('swipe', 0, 1, base.swipe);
  state.showScreening = number('screening', 0, 1, Number(base.showScreening), true) === 1;
  state.showWindows = number('windows', 0, 1, Number(base.showWindows), true) === 1;
  state.sigma = base.sigma === null ? null : number('sigma', 0, mostSigma, base.sigma);
  const list = (key: string, separator: string) => (link.get(key) ?? '').split(separator).map(Number);
  const bands = list('rgb', '-');
  if (link.has('rgb') && bands.length === 3 && bands.every((b) => Number.isInteger(b) && b >= 0)) {
    state.falseBands = bands as [number, number, number];
  }
  const view = list('view', '_');
  if (link.has('view') && view.length === 3 && view.every(Number.isFinite) && view[0] > 0) {
    state.view = { scale: view[0], x: view[1], y: view[2] };
  }
  if (link.has('marks')) {
    state.markers = [];
    for (const part of link.get('marks')!.split('_').slice(0, mostMarkers)) {
      const [x, y, width = 1, height = 1] = part.split('-').map(Number);
      if ([x, y].every((v) => Number.isInteger(v) && v >= 0) && [width, height].every((v) => Number.isInteger(v) && v > 0)) {
        state.markers.push({ x, y, width, height });
      }
    }
  }
  return state;
}
