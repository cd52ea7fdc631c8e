// The spectral axis of a source: wavelengths, or numbers of bands.

import type { Source } from './api';

export interface SpectralAxis {
  values: number[];
  name: string;
}

export function axisOf(source: Source): SpectralAxis {
  return source.wavelengths
    ? { values: source.wavelengths, name: 'wavelength in nm' }
    : { values: Array.from({ length: source.bands }, (_, i) => i + 1), name: 'band' };
}

export function bandText(source: Source, band: number): string {
  const nm = source.wavelengths?.[band];
  return nm === undefined ? `band ${band + 1} of ${source.bands}` : `${nm.toFixed(1)} nm`;
}
