import { describe, expect, it } from 'vitest';
import { correlation, markerText, spectraCsv } from '../../src/spectra';
import { niceTicks, plotSvg } from '../../src/svg';

describe('correlation', () => {
  it('is Pearson’s', () => {
    // Octave: corr([1 2 4 8]', [2 1 5 7]') = 0.9286541181
    expect(correlation([1, 2, 4, 8], [2, 1, 5, 7])).toBeCloseTo(0.9286541181, 9);
    expect(correlation([1, 2, 3], [2, 4, 6])).toBeCloseTo(1, 12);
    expect(correlation([1, 2, 3], [3, 2, 1])).toBeCloseTo(-1, 12);
  });
  it('is none for constants', () => {
    expect(correlation([1, 1], [1, 2])).toBeNaN();
    expect(correlation([0.3, 0.3 + 1e-9, 0.3], [1, 2, 3])).toBeNaN();
    expect(correlation([0, 0], [1, 2])).toBeNaN();
  });
});

const pixel = { x: 3, y: 4, width: 1, height: 1 };
const region = { x: 3, y: 4, width: 5, height: 6 };

describe('CSV', () => {
  it('has a column for every curve, and one for the spread of regions', () => {
    const text = spectraCsv([450, 500], 'wavelength in nm', [
      { marker: pixel, index: 0, curves: [{ source: 'a', truth: false, mean: [0.1, 0.2], deviation: [0, 0] }] },
      { marker: region, index: 1, curves: [{ source: 'b, "c"', truth: true, mean: [1, 2], deviation: [0.5, 0.25] }] },
    ]);
    expect(text).toBe(
      'wavelength in nm,a 1 (x 3 y 4),"b, ""c"" 2 (x 3 y 4 5x6)","b, ""c"" 2 (x 3 y 4 5x6) deviation"\r\n' +
        '450,0.1,1,0.5\r\n500,0.2,2,0.25\r\n',
    );
  });
  it('names places', () => expect([markerText(pixel), markerText(region)]).toEqual(['3, 4', '3, 4 · 5×6']));
});

describe('SVG', () => {
  it('has round ticks', () => {
    expect(niceTicks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
    expect(niceTicks(453.5, 648, 8)).toEqual([475, 500, 525, 550, 575, 600, 625]);
    expect(niceTicks(-0.02, 0.013, 4)).toEqual([-0.02, -0.01, 0, 0.01]);
    expect(niceTicks(3, 3, 4)).toEqual([3]);
  });
  it('draws the numbers', () => {
    const svg = plotSvg({
      title: 'A <b> & "c"', xName: 'nm', yName: 'value', x: [0, 10, 20],
      lines: [{ name: '1 < 2', colour: '#123456', dash: '7 4', width: 2, values: [0, 1, 0.5], spread: [0, 0.1, 0.1] }],
    }, 720, 440);
    expect(svg).toContain('A &lt;b&gt; &amp; &quot;c&quot;');
    expect(svg).toContain('stroke-dasharray="7 4"');
    // x: 64 … 700 for 0 … 20; y: 388 … 40 for 0 … 1.1·1.05
    const points = /<polyline points="([^"]+)"/.exec(svg)![1].split(' ').map((p) => p.split(',').map(Number));
    expect(points.map((p) => p[0])).toEqual([64, 382, 700]);
    const top = 1.1 + 0.05 * 1.1;
    expect(points.map((p) => p[1])).toEqual([388, 1, 0.5].map((v, i) => (i === 0 ? 388 : Number((388 - (v / top) * 348).toFixed(2)))));
    expect(svg).toContain('<polygon');
  });
  it('has a second scale for lines at the right', () => {
    const line = { colour: '#000000', dash: '', width: 1 };
    const svg = plotSvg({
      title: '', xName: '', yName: 'PSNR', rightName: 'SSIM', x: [0, 1],
      lines: [{ ...line, name: 'p', values: [30, 40] }, { ...line, name: 's', values: [0.9, 0.8], side: 'right' }],
    }, 720, 440);
    const [left, right] = [...svg.matchAll(/<polyline points="([^"]+)"/g)].map((m) => m[1].split(' ').map((p) => p.split(',').map(Number)));
    // 5 % of room at both ends of 388 … 40, and x ends 64 before the edge
    const [bottom, top] = [0.05, 1.05].map((v) => Number((388 - (v / 1.1) * 348).toFixed(2)));
    expect(left).toEqual([[64, bottom], [656, top]]);
    expect(right).toEqual([[64, top], [656, bottom]]);
    expect(svg).toContain('>SSIM</text>');
  });
  it('is content with nothing', () => expect(plotSvg({ title: '', xName: '', yName: '', x: [1], lines: [] })).toContain('</svg>'));
});
