// The server's answers. Addresses are relative, so that the key in the page's own address goes along.

export type Role = 'cube' | 'truth' | 'measurement' | 'mask' | 'reconstruction' | 'screening' | 'expected';

export interface Source {
  id: number;
  name: string;
  role: Role;
  bands: number;
  height: number;
  width: number;
  wavelengths: number[] | null;
  minimum: number;
  maximum: number;
  /** What the values of tiles were multiplied by. */
  unit: number;
  version: number;
}

export interface Model {
  name: string;
  source: number;
  screening: number | null;
  sigma: number | null;
  seconds: number;
  /** [top, left, height, width] */
  kept: [number, number, number, number][];
}

/** What is told beside the newest frame of a camera that runs. */
export interface Live {
  frame: string;
  cubes: number;
  per_second: number;
  /** From a frame's arrival to its cube, in seconds. */
  latency: number;
  waiting: number;
  dropped: number;
  passed_over: number;
}

export interface About {
  tile: number;
  /** Counts what was shown. */
  news: number;
  sources: Source[];
  live: Live | null;
  truth: number | null;
  model: Model | null;
}

export interface ValueRange {
  low: number;
  high: number;
  minimum: number;
  maximum: number;
}

export interface Spectrum {
  pixels: number;
  mean: number[];
  deviation: number[];
}

export interface Scores {
  protocol: string;
  psnr: number[];
  ssim: number[];
  mean: { psnr: number; ssim: number };
}

/** The values that were asked for have been replaced since: newer ones are there. */
export class Outdated extends Error {}

async function ask(what: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(what, init);
  if (response.status === 204) throw new Outdated('newer values are there');
  if (response.ok) return response;
  let sentence = `the viewer answered ${response.status}`;
  try {
    sentence = (await response.json()).error ?? sentence;
  } catch {
    // not JSON: the status must do
  }
  throw new Error(sentence);
}

const query = (values: Record<string, string | number>) =>
  Object.entries(values)
    .map(([key, value]) => `${key}=${value}`)
    .join('&');

export const fetchAbout = async (): Promise<About> => (await ask('about.json')).json();

/** Returns when more was shown than `after`, or after a while. */
export const fetchNews = async (after: number): Promise<About> => (await ask(`news?${query({ after })}`)).json();

export async function fetchTile(layer: string, version: string, level: number, x: number, y: number, signal: AbortSignal) {
  const response = await ask(`tile?${query({ layer, level, x, y, version })}`, { signal });
  return new Uint16Array(await response.arrayBuffer());
}

export const fetchRange = async (layer: string, version: string, low: number, high: number): Promise<ValueRange> =>
  (await ask(`range?${query({ layer, low, high, version })}`)).json();

export const fetchSpectrum = async (
  source: { id: number; version: number },
  place: { x: number; y: number; width: number; height: number },
): Promise<Spectrum> => (await ask(`spectrum?${query({ source: source.id, version: source.version, ...place })}`)).json();

export const fetchScores = async (source: number, truth: number): Promise<Scores> =>
  (await ask(`scores?${query({ source, truth })}`)).json();

export const reconstruct = async (sigma: number): Promise<About> =>
  (await ask(`reconstruct?${query({ sigma })}`, { method: 'POST' })).json();
