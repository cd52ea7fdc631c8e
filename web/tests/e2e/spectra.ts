// Spectra at pixels and regions, and what can be taken away.

import { describe, expect, it } from 'vitest';
import { correlation } from '../../src/spectra';
import { at, spectrum } from './cubes';
import { byNumbers, click, context, cube, expectColour, grey, open, page, place, setSlider, table, tenfold, truth } from './session';
import { colourAt, save, settled, stageSize } from './viewer';

describe('spectra', () => {
  it('of pixels are those of the files, with the correlation', async () => {
    await open(`ev=0&${tenfold}`);
    await click(50, 10);
    await click(20, 30);
    const rows = await table(2);
    expect(rows.map((row) => row[0])).toEqual([450, 475, 500, 525, 550, 575, 600, 625]);
    for (let b = 0; b < 8; b++) {
      const wanted = [at(cube, b, 10, 50), at(truth, b, 10, 50), at(cube, b, 30, 20), at(truth, b, 30, 20)];
      wanted.forEach((v, k) => expect(rows[b][k + 1]).toBeCloseTo(v, 4));
    }
    const r = correlation(spectrum(cube, 50, 10).mean, spectrum(truth, 50, 10).mean).toFixed(4);
    expect(await page.locator('.marks li').first().textContent()).toContain(`50, 10r = ${r}`);
    await page.getByRole('button', { name: 'Remove marker 1' }).click();
    expect(await page.locator('.marks .where').allTextContents()).toEqual(['20, 30']);
    await page.keyboard.press('Delete');
    await page.waitForFunction(() => !document.querySelector('.marks .where'));
  });

  it('of regions are means and spreads, in CSV and SVG', async () => {
    await open(`ev=0&${tenfold}`);
    const box = (await page.locator('.overlay').boundingBox())!;
    const [x0, y0] = await place(20, 8);
    const [x1, y1] = await place(29, 13);
    await page.keyboard.down('Shift');
    await page.mouse.move(box.x + x0, box.y + y0);
    await page.mouse.down();
    await page.mouse.move(box.x + x1, box.y + y1, { steps: 5 });
    await page.mouse.up();
    await page.keyboard.up('Shift');
    const rows = await table(1);
    const wanted = spectrum(cube, 20, 8, 10, 6);
    expect(await page.locator('.marks .where').textContent()).toBe('20, 8 · 10×6');
    rows.forEach((row, b) => expect(row[1]).toBeCloseTo(wanted.mean[b], 4));

    const csv = await save(page, () => page.getByRole('button', { name: 'CSV' }).click());
    expect(csv.name).toBe('cube-spectra.csv');
    const lines = csv.bytes.toString().trim().split('\r\n').map((line) => line.split(','));
    expect(lines[0].slice(0, 3)).toEqual(['wavelength in nm', 'cube 1 (x 20 y 8 10x6)', 'cube 1 (x 20 y 8 10x6) deviation']);
    for (let b = 0; b < 8; b++) {
      expect(Number(lines[b + 1][1])).toBeCloseTo(wanted.mean[b], 6);
      expect(Number(lines[b + 1][2])).toBeCloseTo(wanted.deviation[b], 6);
    }
    const svg = await save(page, () => page.getByRole('button', { name: 'SVG', exact: true }).click());
    const text = svg.bytes.toString();
    expect(text.match(/<polyline/g)!.length).toBe(2); // the cube and the truth
    expect(text.match(/<polygon/g)!.length).toBe(1); // the spread
    const points = /<polyline points="([^"]+)"/.exec(text)![1].split(' ').map((p) => Number(p.split(',')[1]));
    // Heights are a linear function of the values.
    const slope = (points[7] - points[0]) / (wanted.mean[7] - wanted.mean[0]);
    points.forEach((p, b) => expect(p).toBeCloseTo(points[0] + slope * (wanted.mean[b] - wanted.mean[0]), 1));
  });

  it('are plotted where their values are, in the colour of their marker', async () => {
    await open(`ev=0&${tenfold}&marks=50-10`);
    await page.waitForSelector('section[aria-labelledby=spectra-title][data-ready=yes]');
    /** For each column of the plot that has the colour, the middle of its topmost run of pixels. */
    const curve = () =>
      page.$eval('.chart canvas', (element) => {
        const canvas = element as HTMLCanvasElement;
        const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
        const rows: [number, number][] = [];
        for (let x = 0; x < canvas.width; x++) {
          const marked = (y: number) => {
            const i = 4 * (y * canvas.width + x);
            return data[i] === 0xe8 && data[i + 1] === 0x59 && data[i + 2] === 0x0c && data[i + 3] > 100;
          };
          let y = 0;
          while (y < canvas.height && !marked(y)) y++;
          if (y === canvas.height) continue;
          const first = y;
          while (marked(y)) y++;
          rows.push([x, (first + y - 1) / 2]);
        }
        return rows;
      });
    await page.waitForTimeout(100);
    // The spectrum at the marker rises above the true one at its end; heights are a linear function of the values.
    const rows = await curve();
    const [left, right] = [rows[0][0], rows.at(-1)![0]];
    const higher = Array.from({ length: 8 }, (_, b) => Math.max(at(cube, b, 10, 50), at(truth, b, 10, 50)));
    const seen = higher.map((_, b) => rows.find(([x]) => x >= left + ((right - left) * b) / 7 - 0.5)![1]);
    // The dashes of the true curve have gaps: only bands where the solid one is the higher can be told.
    const solid = higher.map((_, b) => b).filter((b) => at(cube, b, 10, 50) >= at(truth, b, 10, 50));
    expect(solid.length).toBeGreaterThan(2);
    const [low, high] = [solid[0], solid.at(-1)!];
    const slope = (seen[high] - seen[low]) / (higher[high] - higher[low]);
    expect(slope).toBeLessThan(-100);
    for (const b of solid) expect(Math.abs(seen[b] - (seen[low] + slope * (higher[b] - higher[low]))), `band ${b}`).toBeLessThan(3);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.waitForTimeout(100);
    expect(await curve()).toEqual([]);
  });

  it('can be asked for by numbers', async () => {
    await open(`ev=0&${tenfold}`);
    await byNumbers();
    for (const [name, value] of [['x', '31'], ['y', '7'], ['wide', '3'], ['high', '2']]) await page.getByLabel(name, { exact: true }).fill(value);
    await page.keyboard.press('Enter');
    const rows = await table(1);
    const wanted = spectrum(cube, 31, 7, 3, 2).mean;
    rows.forEach((row, b) => expect(row[1]).toBeCloseTo(wanted[b], 4));
    await page.getByLabel('x', { exact: true }).fill('59');
    await page.keyboard.press('Enter');
    expect(await page.textContent('.toast')).toContain('60×40');
  });
});

describe('taking away', () => {
  it('a PNG of the view', async () => {
    await open(`ev=0&mode=band&band=3&${tenfold}`);
    const { name, bytes: png } = await save(page, () => page.keyboard.press('p'));
    expect(name).toBe('cube.png');
    const [sx, sy] = await place(33, 9);
    const found = await page.evaluate(async ({ data, x, y }) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      [canvas.width, canvas.height] = [image.width, image.height];
      const drawing = canvas.getContext('2d')!;
      drawing.drawImage(image, 0, 0);
      return [...drawing.getImageData(x, y, 1, 1).data.slice(0, 3)];
    }, { data: png.toString('base64'), x: Math.floor(sx), y: Math.floor(sy) });
    expectColour(found, grey(at(cube, 3, 9, 33)));
    const { width, height } = await stageSize(page);
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height]);
  });

  it('a link that restores the view', async () => {
    await open(`ev=0&${tenfold}`);
    await click(50, 10);
    await page.keyboard.press('b');
    await setSlider('Band', 2);
    await page.getByRole('radio', { name: 'Swipe' }).click();
    await page.waitForFunction(() => location.hash.includes('compare=swipe'));
    const link = page.url();
    expect(link).toContain('marks=50-10');
    const before = await page.locator('.picture').getAttribute('aria-label');
    const other = await context.newPage();
    await other.goto(link);
    await settled(other);
    expect(await other.locator('.picture').getAttribute('aria-label')).toBe(before);
    expect(await other.textContent('.band-text')).toBe('500.0 nm');
    expect(await other.locator('.marks .where').textContent()).toBe('50, 10');
    expectColour(await colourAt(other, ...(await place(20, 20))), grey(at(cube, 2, 20, 20)));
    await other.close();
  });
});
