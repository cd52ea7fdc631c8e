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

export interface About {
  tile: number;
  sources: Source[];
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

async function ask(what: string, init?: RequestInit): Promise<Response> {
  const response = await fetch(what, init);
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

export async function fetchTile(layer: string, level: number, x: number, y: number, signal: AbortSignal) {
  const response = await ask(`tile?${query({ layer, level, x, y })}`, { signal });
  return new Uint16Array(await response.arrayBuffer());
}

export const fetchRange = async (layer: string, low: number, high: number): Promise<ValueRange> =>
  (await ask(`range?${query({ layer, low, high })}`)).json();

export const fetchSpectrum = async (
  source: number,
  place: { x: number; y: number; width: number; height: number },
): Promise<Spectrum> => (await ask(`spectrum?${query({ source, ...place })}`)).json();

export const fetchScores = async (source: number, truth: number): Promise<Scores> =>
  (await ask(`scores?${query({ source, truth })}`)).json();

export const reconstruct = async (sigma: number): Promise<About> =>
  (await ask(`reconstruct?${query({ sigma })}`, { method: 'POST' })).json();
