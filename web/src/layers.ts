// Which layers of the server make up a picture, and how their values become colours.

import type { Source } from './api';
import type { MapName } from './colour';
import type { Range, Tone } from './shade';
import type { State } from './state';

/** A layer of the server: its name there and the version of the values. */
export interface LayerKey {
  name: string;
  version: string;
}

/** A picture: a mapped layer, one of three channels, or three layers as channels. */
export interface Picture {
  kind: 'map' | 'rgb' | 'three';
  layers: LayerKey[];
  /** One for 'map' and 'rgb', three for 'three'. */
  ranges: Range[];
  tone: Tone;
  map: MapName;
  /** For the map 'tint'. */
  nm: number | null;
  unit: number;
  width: number;
  height: number;
}

const flat: Tone = { exposure: 0, gamma: 1 };

export const wavelengthOf = (source: Source, band: number): number | null => source.wavelengths?.[band] ?? null;

export const sameImage = (p: Source, q: Source) => p.width === q.width && p.height === q.height;
export const sameShape = (p: Source, q: Source) => sameImage(p, q) && p.bands === q.bands;

/** Black and white where nothing is stretched: 0 and 1, or 0 and the largest value of data in other units. */
export const naturalRange = (source: Source): Range => ({ low: 0, high: source.maximum > 1.5 || source.maximum <= 0 ? source.maximum || 1 : 1 });

/** The same for frames that follow each other: the next power of two in place of the largest value, so that the brightness does not change with every frame. */
export const steadyRange = (source: Source): Range => ({ low: 0, high: source.maximum > 1.5 ? 1 / source.unit : 1 });

/** The modes that a source can be shown in. */
export function possibleMode(source: Source, mode: State['mode']): State['mode'] {
  if (source.bands === 1) return 'band';
  return mode === 'colour' && !source.wavelengths ? 'false' : mode;
}

export const bandLayer = (source: Source, band: number): LayerKey => ({
  name: `band-${source.id}-${Math.min(band, source.bands - 1)}`,
  version: String(source.version),
});
export const colourLayer = (source: Source): LayerKey => ({ name: `rgb-${source.id}`, version: String(source.version) });
export const errorLayer = (p: Source, q: Source, band: number | 'mean'): LayerKey => ({
  name: `error-${p.id}-${q.id}-${band}`,
  version: `${p.version}-${q.version}`,
});

/** The layers whose percentiles a stretch needs, in the order of the ranges. */
export function stretchLayers(source: Source, state: State): LayerKey[] {
  const mode = possibleMode(source, state.mode);
  if (mode === 'colour') return [colourLayer(source)];
  if (mode === 'band') return [bandLayer(source, state.band)];
  return state.falseBands.map((b) => bandLayer(source, b));
}

export function sourcePicture(source: Source, state: State, ranges: Range[]): Picture {
  if (source.role === 'expected') return mapPicture(source, 0);
  const mode = possibleMode(source, state.mode);
  const common = {
    tone: { exposure: state.exposure, gamma: state.gamma },
    ranges,
    unit: source.unit,
    width: source.width,
    height: source.height,
    nm: null,
    map: 'grey' as MapName,
  };
  if (mode === 'colour') return { ...common, kind: 'rgb', layers: [colourLayer(source)] };
  if (mode === 'false') return { ...common, kind: 'three', layers: state.falseBands.map((b) => bandLayer(source, b)) };
  const nm = wavelengthOf(source, state.band);
  return { ...common, kind: 'map', layers: [bandLayer(source, state.band)], map: state.map, nm };
}

export function errorPicture(p: Source, q: Source, state: State, most: number): Picture {
  return {
    kind: 'map',
    layers: [errorLayer(p, q, state.errorMean ? 'mean' : Math.min(state.band, p.bands - 1))],
    ranges: [{ low: 0, high: most }],
    tone: flat,
    map: 'ember',
    nm: null,
    unit: p.unit,
    width: p.width,
    height: p.height,
  };
}

export const screeningPicture = (source: Source): Picture => mapPicture(source, Math.min(source.minimum, source.maximum));

/** Values of their own kind, such as an expected error, in the colours of errors. */
function mapPicture(source: Source, low: number): Picture {
  return {
    kind: 'map',
    layers: [bandLayer(source, 0)],
    ranges: [{ low, high: source.maximum }],
    tone: flat,
    map: 'ember',
    nm: null,
    unit: source.unit,
    width: source.width,
    height: source.height,
  };
}
