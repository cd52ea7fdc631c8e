// Colours of numbers and of light. The same formulas as src/render: what the page shows is what the program prints.

export type Triple = [number, number, number];

/** Linear [0,1] to encoded [0,1]. Clips. */
export function encodeSrgb(linear: number): number {
  const v = Math.min(Math.max(linear, 0), 1);
  return v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055;
}

/** CIE L*, a*, b* (D65) to encoded sRGB. */
function fromLab([l, a, b]: Triple): Triple {
  const inverse = (f: number) => (f > 6 / 29 ? f ** 3 : 3 * (6 / 29) ** 2 * (f - 4 / 29));
  const fy = (l + 16) / 116;
  const x = 0.95047 * inverse(fy + a / 500);
  const y = inverse(fy);
  const z = 1.08883 * inverse(fy - b / 200);
  return [
    encodeSrgb(3.2404542 * x - 1.5371385 * y - 0.4985314 * z),
    encodeSrgb(-0.969266 * x + 1.8760108 * y + 0.041556 * z),
    encodeSrgb(0.0556434 * x - 0.2040259 * y + 1.0572252 * z),
  ];
}

export type MapName = 'grey' | 'ember' | 'lagoon' | 'tint';
export const mapNames: MapName[] = ['grey', 'ember', 'lagoon', 'tint'];

/** Knots in L*a*b*, at equal distances, lightness rising evenly: larger is brighter also in print. */
const knots: Record<'ember' | 'lagoon', Triple[]> = {
  ember: [[3, 1, -4], [21, 36, -44], [39, 54, -18], [57, 52, 34], [75, 24, 64], [96, -6, 38]],
  lagoon: [[6, 8, -20], [24, 14, -46], [42, -12, -30], [60, -36, -4], [78, -36, 34], [95, -12, 44]],
};

/** Share of light of one wavelength in R, G and B, largest 1: a rough rainbow, for tinting only. */
export function wavelengthTint(nm: number): Triple {
  const bump = (centre: number, left: number, right: number) => {
    const t = (nm - centre) / (nm < centre ? left : right);
    return Math.exp(-0.5 * t * t);
  };
  const red = bump(605, 32, 45) + 0.35 * bump(430, 20, 18);
  const green = bump(540, 32, 34);
  const blue = bump(452, 26, 26);
  const most = Math.max(red, green, blue);
  if (nm < 380 || nm > 780 || most < 1e-3) return [0.7, 0.7, 0.7];
  return [red / most, green / most, blue / most];
}

/** Encoded sRGB of t in [0,1]. `nm` colours the map 'tint'. */
export function mapColour(name: MapName, t: number, nm: number | null = null): Triple {
  const share = Math.min(Math.max(t, 0), 1);
  if (name === 'grey') {
    const v = encodeSrgb(share);
    return [v, v, v];
  }
  if (name === 'tint') {
    const tint = nm === null ? ([1, 1, 1] as Triple) : wavelengthTint(nm);
    return tint.map((c) => encodeSrgb(share * (0.08 + 0.92 * c))) as Triple;
  }
  const list = knots[name];
  const position = share * (list.length - 1);
  const index = Math.min(Math.floor(position), list.length - 2);
  const f = position - index;
  return fromLab([0, 1, 2].map((k) => (1 - f) * list[index][k] + f * list[index + 1][k]) as Triple);
}

/** RGBA bytes of `size` equal steps through a map. */
export function mapTable(name: MapName, size: number, nm: number | null = null): Uint8Array {
  const table = new Uint8Array(4 * size);
  for (let i = 0; i < size; i++) {
    const colour = mapColour(name, i / (size - 1), nm);
    for (let k = 0; k < 3; k++) table[4 * i + k] = Math.round(255 * colour[k]);
    table[4 * i + 3] = 255;
  }
  return table;
}

export function cssColour([r, g, b]: Triple): string {
  return `rgb(${Math.round(255 * r)} ${Math.round(255 * g)} ${Math.round(255 * b)})`;
}

/** Colours of markers: told apart by most eyes, on pictures and on both themes. */
export const markerColours = ['#e8590c', '#1c7ed6', '#2f9e44', '#ae3ec9', '#e6a700', '#0ca8a0', '#e64980', '#7a5c3e'];
export const markerColour = (index: number) => markerColours[index % markerColours.length];
