// Two cubes compared; the page as a whole.

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mapColour } from '../../src/colour';
import { correlation } from '../../src/spectra';
import { at, bandPsnr, bandSsim, makeCube, writeCube } from './cubes';
import { bytes, cube, expectColour, folder, grey, leave, open, page, pixel, setSlider, size, tenfold, truth, viewer, wavelengths } from './session';
import { save, settled, Viewer } from './viewer';

describe('comparison', () => {
  const band = 'ev=0&mode=band&band=6';
  const shows = (x: number, y: number, which: typeof cube) => grey(at(which, 6, y, x));

  it('side by side, moving together', async () => {
    await open(`${band}&compare=side&${tenfold}`);
    const left = { left: 0, share: 0.5 };
    const right = { left: 0.5, share: 0.5 };
    expectColour(await pixel(28, 20, left), shows(28, 20, cube));
    expectColour(await pixel(28, 20, right), shows(28, 20, truth));
    await page.keyboard.press('x');
    await settled(page);
    expectColour(await pixel(28, 20, left), shows(28, 20, truth));
    await page.keyboard.press('Shift+ArrowRight'); // by 60 pixels of the screen, 6 of the image
    await settled(page);
    expectColour(await pixel(28, 20, left), shows(34, 20, truth));
    expectColour(await pixel(28, 20, right), shows(34, 20, cube));
  });

  it('by a swipe', async () => {
    await open(`${band}&compare=swipe&${tenfold}`);
    expectColour(await pixel(20, 20), shows(20, 20, cube));
    expectColour(await pixel(40, 20), shows(40, 20, truth));
    await setSlider('Swipe position', 0.9);
    await settled(page);
    expectColour(await pixel(40, 20), shows(40, 20, cube));
  });

  it('by blinking', async () => {
    await open(`${band}&compare=blink&${tenfold}`);
    const difference = (x: number) => Math.abs(at(cube, 6, 20, x) - at(truth, 6, 20, x));
    const x = [30, 31, 32, 33, 34, 35, 36].sort((p, q) => difference(q) - difference(p))[0];
    const seen = new Set<string>();
    for (let i = 0; i < 60 && seen.size < 2; i++) {
      seen.add(String(await pixel(x, 20)));
      await page.waitForTimeout(60);
    }
    const [p, q] = [...seen].map((text) => text.split(',').map(Number)).sort((a, b) => a[0] - b[0]);
    const wanted = [shows(x, 20, cube), shows(x, 20, truth)].sort((a, b) => a[0] - b[0]);
    expectColour(p, wanted[0]);
    expectColour(q, wanted[1]);
  });

  it('by an error map, of all bands or of one', async () => {
    const errors = (values: number[]) => [...values].sort((p, q) => p - q)[Math.round(0.995 * (values.length - 1))];
    const mean = Array.from({ length: 2400 }, (_, i) => {
      let sum = 0;
      for (let b = 0; b < 8; b++) sum += Math.abs(cube.values[b * 2400 + i] - truth.values[b * 2400 + i]);
      return sum / 8;
    });
    await open(`ev=0&compare=error&${tenfold}`);
    expectColour(await pixel(5, 5), bytes(mapColour('ember', 0)));
    expectColour(await pixel(42, 17), bytes(mapColour('ember', mean[17 * 60 + 42] / errors(mean))), 3);
    await page.getByRole('radio', { name: 'this band' }).click();
    await setSlider('Band', 5);
    await settled(page);
    await page.waitForFunction(() => document.querySelector('.picture')!.getAttribute('aria-label')!.includes('band 6'));
    await settled(page);
    const one = Array.from({ length: 2400 }, (_, i) => Math.abs(cube.values[5 * 2400 + i] - truth.values[5 * 2400 + i]));
    expectColour(await pixel(42, 17), bytes(mapColour('ember', one[17 * 60 + 42] / errors(one))), 3);
  });

  it('gives PSNR and SSIM of every band', async () => {
    await open(`${band}`);
    await page.waitForSelector('section[aria-labelledby=quality-title][data-ready=yes]');
    const all = Array.from({ length: 8 }, (_, b) => bandPsnr(cube, truth, b));
    const cells = await page.locator('.scores tbody td').allTextContents();
    expect(cells[0]).toBe(`${(all.reduce((s, v) => s + v) / 8).toFixed(2)} dB`);
    expect(cells[2]).toBe(`${all[6].toFixed(2)} dB`);
    const similar = Array.from({ length: 8 }, (_, b) => bandSsim(cube, truth, b));
    expect(cells[1]).toBe((similar.reduce((s, v) => s + v) / 8).toFixed(4));
    expect(cells[3]).toBe(similar[6].toFixed(4));
    // The plot, as it can be taken away: heights are linear functions of the values, PSNR's and SSIM's of their own.
    const svg = await save(page, () => page.getByRole('button', { name: 'SVG of the quality by band' }).click());
    expect(svg.name).toBe('cube-quality.svg');
    const curves = [...svg.bytes.toString().matchAll(/<polyline points="([^"]+)"/g)].map((m) => m[1].split(' ').map((p) => Number(p.split(',')[1])));
    expect(curves.length).toBe(2);
    [all, similar].forEach((values, k) => {
      const order = values.map((_, b) => b).sort((p, q) => values[p] - values[q]);
      const [low, high] = [order[0], order[7]];
      const slope = (curves[k][high] - curves[k][low]) / (values[high] - values[low]);
      expect(slope).toBeLessThan(0);
      values.forEach((v, b) => expect(curves[k][b]).toBeCloseTo(curves[k][low] + slope * (v - values[low]), 1));
    });
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((text) => document.querySelectorAll('.scores tbody td')[2].textContent === text, `${all[5].toFixed(2)} dB`);
  });
});

describe('two cubes and their truth', () => {
  // A name that would be markup, were it not written as text.
  const name = `<img src=x onerror=alert(1)> & "b"`;
  const dim = makeCube(8, 40, 60, (b, y, x) => 0.8 * at(truth, b, y, x));

  it('have curves, correlations and scores of both, under the names of their files', async () => {
    copyFileSync(join(folder, 'cube.npy'), join(folder, `${name}.npy`));
    writeCube(join(folder, 'dim.npy'), dim);
    const other = await Viewer.start([join(folder, `${name}.npy`), join(folder, 'dim.npy'), '--truth', join(folder, 'truth.npy'), ...wavelengths]);
    try {
      await open(`ev=0&mode=band&band=6&compare=side&b=1&marks=45-25&${tenfold}`, other);
      expectColour(await pixel(28, 20, { left: 0.5, share: 0.5 }), grey(at(dim, 6, 20, 28)));
      await page.waitForSelector('section[aria-labelledby=quality-title][data-ready=yes]');
      await page.waitForFunction(() => document.querySelectorAll('.correlation').length === 2);
      const column = (c: typeof cube) => Array.from({ length: 8 }, (_, b) => at(c, b, 25, 45));
      expect(await page.locator('.correlation').allTextContents()).toEqual([
        `${name} r = ${correlation(column(cube), column(truth)).toFixed(4)}`, 'dim r = 1.0000']);
      expect(await page.locator('.scores tbody th').allTextContents()).toEqual([name, 'dim']);
      const mean = Array.from({ length: 8 }, (_, b) => bandPsnr(dim, truth, b)).reduce((s, v) => s + v) / 8;
      expect(await page.locator('.scores tbody tr').nth(1).locator('td').first().textContent()).toBe(`${mean.toFixed(2)} dB`);
      expect(await page.title()).toBe(`${name} · Snapcube`);
      expect(await page.locator('img[src=x]').count()).toBe(0);
      const svg = await save(page, () => page.getByRole('button', { name: 'SVG', exact: true }).click());
      expect(svg.bytes.toString()).toContain('&lt;img src=x onerror=alert(1)&gt; &amp; &quot;b&quot;');
      expect(svg.bytes.toString()).not.toContain('<img');
    } finally {
      await leave(other);
    }
  });
});

describe('the page', () => {
  it('names everything for screen readers', async () => {
    await open('ev=0&compare=swipe&marks=5-5');
    await page.waitForSelector('.marks li');
    const nameless = await page.$$eval('button, input, select, canvas.picture, canvas.overlay', (all) =>
      all.filter((e) => !(e.getAttribute('aria-label') || e.textContent?.trim() || e.closest('label')?.textContent?.trim())).map((e) => e.outerHTML));
    expect(nameless).toEqual([]);
    expect(await page.locator('.picture').getAttribute('aria-label')).toBe('cube and truth in colour');
  });

  it('is usable by keyboard', async () => {
    await open('ev=0');
    await page.keyboard.press('?');
    expect(await page.locator('dialog[open]').count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await page.locator('dialog[open]').count()).toBe(0);
    const reached = new Set<string>();
    for (let i = 0; i < 40; i++) {
      await page.keyboard.press('Tab');
      reached.add(await page.evaluate(() => document.activeElement!.getAttribute('aria-label') ?? document.activeElement!.textContent ?? ''));
    }
    for (const name of ['Shown', 'Single', 'Colour', 'Exposure', 'Band', 'Play through the bands (Space)']) expect([...reached]).toContain(name);
    await page.getByRole('radio', { name: 'Colour', exact: true }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('radio', { name: 'False colour' }).getAttribute('aria-checked')).toBe('true');
  });

  it('is light or dark', async () => {
    await open('ev=0');
    const background = () => page.$eval('.side', (side) => getComputedStyle(side).backgroundColor);
    expect(await background()).toBe('rgb(26, 29, 33)');
    await page.keyboard.press('t');
    expect(await background()).toBe('rgb(255, 255, 255)');
    await page.keyboard.press('t');
    expect(await background()).toBe('rgb(26, 29, 33)');
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await background()).toBe('rgb(26, 29, 33)'); // what was chosen stays
    await page.emulateMedia({ colorScheme: 'dark' });
  });

  it('fits narrow windows', async () => {
    try {
      for (const width of [800, 400]) {
        await page.setViewportSize({ width, height: 700 });
        await open('ev=0&compare=side&marks=5-5_20-20-8-8');
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        expect((await page.locator('.transport').boundingBox())!.y).toBeLessThan(700);
      }
    } finally {
      await page.setViewportSize(size);
    }
  });

  it('is nowhere without its key', async () => {
    const response = await fetch(viewer.address.replace(/[0-9a-f]{32}/, '0'.repeat(32)));
    expect(response.status).toBe(403);
    expect((await response.json()).error).toContain('snapcube view');
  });
});
