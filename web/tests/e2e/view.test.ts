// `snapcube view` as a person uses it: every feature, and what it does to the picture and the numbers.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeSrgb, mapColour } from '../../src/colour';
import { correlation } from '../../src/spectra';
import { at, bandPsnr, makeCube, noise, spectrum, writeCube, writeNpy } from './cubes';
import { colourAt, launch, save, settled, stageSize, Viewer } from './viewer';

// 8 bands of 40×60 at 450, 475, … 625 nm. The left quarter is a flat grey of 0.5; the rest changes along every axis.
const truth = makeCube(8, 40, 60, (b, y, x) => (x < 15 ? 0.5 : 0.05 + 0.7 * (x / 60) * ((b + 1) / 8) + 0.15 * (y / 40)));
const random = noise(7);
const cube = makeCube(8, 40, 60, (b, y, x) => (x < 15 ? 0.5 : Math.min(1, Math.max(0, at(truth, b, y, x) + 0.2 * (random() - 0.5)))));
const wavelengths = ['--input-wavelengths', '450:25:8'];

let folder: string;
let viewer: Viewer;
let browser: Browser;
let context: BrowserContext;
let page: Page;
const problems: string[] = [];

/** Goes to a state: by its link, or in the page that is open by a change of the link alone. */
let visits = 0;
async function open(state: string, from = viewer) {
  const hash = `${state}&visit=${visits++}`;
  if (page.url().startsWith(from.address)) {
    await page.evaluate((text) => {
      (document.activeElement as HTMLElement | null)?.blur(); // keys are for the page, not for the last field
      location.hash = text;
    }, hash);
  } else {
    await page.goto(`${from.address}#${hash}`);
  }
  await settled(page);
}

/** A view that shows one image pixel on ten of the screen's, with the middle of the image in the middle. */
const tenfold = 'view=10_30_20';
/** Where a pixel of the image then is, in the whole stage or in a part of it. */
async function place(x: number, y: number, part: { left: number; share: number } = { left: 0, share: 1 }) {
  const { width, height } = await stageSize(page);
  return [part.left * width + (part.share * width) / 2 + (x + 0.5 - 30) * 10, height / 2 + (y + 0.5 - 20) * 10] as const;
}
const pixel = async (x: number, y: number, part?: { left: number; share: number }) => colourAt(page, ...(await place(x, y, part)));
const grey = (value: number) => Array(3).fill(Math.round(255 * encodeSrgb(value)));
const bytes = (colour: number[]) => colour.map((v) => Math.round(255 * v));

function expectColour(found: number[], wanted: number[], tolerance = 1) {
  found.forEach((v, k) => expect(Math.abs(v - wanted[k]), `${found} is not ${wanted}`).toBeLessThanOrEqual(tolerance));
}

async function click(x: number, y: number, options = {}) {
  const box = (await page.locator('.overlay').boundingBox())!;
  const [sx, sy] = await place(x, y);
  await page.mouse.click(box.x + sx, box.y + sy, options);
}

/** Opens the part of the page with fields and the table. */
async function byNumbers() {
  if (!(await page.locator('details[open]').count())) await page.getByText('By numbers', { exact: true }).click();
}

/** The table of spectra, once that many markers have theirs. */
async function table(markers: number): Promise<number[][]> {
  await page.waitForFunction((n) => document.querySelectorAll('.marks .where').length === n, markers);
  await page.waitForSelector('section[aria-labelledby=spectra-title][data-ready=yes]');
  await byNumbers();
  await page.waitForSelector('.table-holder tbody tr');
  return page.$$eval('.table-holder tbody tr', (rows) => rows.map((row) => [...row.children].map((cell) => Number(cell.textContent))));
}

const setSlider = (name: string, value: number) =>
  page.getByRole('slider', { name, exact: true }).evaluate((input, v) => {
    (input as HTMLInputElement).value = String(v);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }, value);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'snapcube-e2e-'));
  writeCube(join(folder, 'truth.npy'), truth);
  writeCube(join(folder, 'cube.npy'), cube);
  viewer = await Viewer.start([join(folder, 'cube.npy'), '--truth', join(folder, 'truth.npy'), ...wavelengths]);
  browser = await launch();
  context = await browser.newContext({ viewport: { width: 1300, height: 800 }, colorScheme: 'dark', acceptDownloads: true });
  page = await context.newPage();
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    if (!/^(http:\/\/127\.0\.0\.1:|blob:|data:|about:)/.test(request.url())) problems.push(request.url());
  });
});
afterAll(async () => {
  await browser?.close();
  expect(await viewer?.stop(), 'Ctrl-C is the normal end').toBe(0);
  rmSync(folder, { recursive: true });
});
beforeEach(() => void (problems.length = 0));
afterEach(async () => {
  expect(problems).toEqual([]);
  expect(await context.cookies()).toEqual([]);
});

describe('the image', () => {
  it('is drawn by WebGL2, and a flat spectrum is grey', async () => {
    await open(`ev=0&${tenfold}`);
    expect(await page.getAttribute('.stage', 'data-renderer')).toBe('WebGL2');
    expect(await page.title()).toBe('cube · Snapcube');
    expectColour(await pixel(5, 20), grey(0.5));
    const coloured = await pixel(55, 20);
    expect(coloured[0]).toBeGreaterThan(coloured[2] + 20); // its spectrum rises to the red
  });

  it('shows single bands, by slider, keys and play', async () => {
    await open(`ev=0&mode=band&band=0&${tenfold}`);
    expect(await page.textContent('.band-text')).toBe('450.0 nm');
    for (const [x, y] of [[20, 5], [59, 39], [33, 20]]) expectColour(await pixel(x, y), grey(at(cube, 0, y, x)));
    await setSlider('Band', 6);
    await settled(page);
    expect(await page.textContent('.band-text')).toBe('600.0 nm');
    expectColour(await pixel(33, 20), grey(at(cube, 6, 20, 33)));
    await page.keyboard.press('ArrowRight');
    await settled(page);
    expectColour(await pixel(33, 20), grey(at(cube, 7, 20, 33)));
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await settled(page);
    expect(await page.textContent('.band-count')).toBe('band 6 of 8');
    await page.keyboard.press(' ');
    expect(await page.getByRole('button', { name: 'Pause (Space)' }).count()).toBe(1);
    await page.waitForFunction(() => document.querySelector('.band-text')!.textContent === '500.0 nm'); // after wrapping around
    await page.keyboard.press(' ');
    const band = await page.textContent('.band-text');
    await page.waitForTimeout(400);
    expect(await page.textContent('.band-text')).toBe(band);
  });

  it('moves to the band when the slider is used in colour', async () => {
    await open(`ev=0&${tenfold}`);
    await setSlider('Band', 3);
    await settled(page);
    expect(await page.getByRole('radio', { name: 'Band' }).getAttribute('aria-checked')).toBe('true');
    expectColour(await pixel(50, 30), grey(at(cube, 3, 30, 50)));
  });

  it('maps values to colours', async () => {
    await open(`ev=0&mode=band&band=4&${tenfold}`);
    for (const map of ['ember', 'lagoon', 'tint'] as const) {
      await page.getByLabel('Colour map').selectOption(map);
      await settled(page);
      expectColour(await pixel(41, 12), bytes(mapColour(map, at(cube, 4, 12, 41), 550)), 2);
    }
    await page.keyboard.press('c');
    await settled(page);
    expect(await page.getByLabel('Colour map').isVisible()).toBe(false);
  });

  it('obeys exposure, gamma and stretch', async () => {
    await open(`ev=0&mode=band&band=4&${tenfold}`);
    const value = at(cube, 4, 12, 25);
    await setSlider('Exposure', 1);
    await settled(page);
    expectColour(await pixel(25, 12), grey(2 * value));
    await setSlider('Exposure', 0);
    await setSlider('Gamma', 2);
    await settled(page);
    expectColour(await pixel(25, 12), grey(Math.sqrt(value)), 2); // the grey map is looked up after gamma
    await setSlider('Gamma', 1);
    await setSlider('Stretch', 5);
    await page.waitForFunction(() => document.querySelector('.colour-bar span')!.textContent !== '0');
    await settled(page);
    const sorted = [...cube.values.slice(4 * 2400, 5 * 2400)].sort((p, q) => p - q);
    const [low, high] = [sorted[Math.round(0.05 * 2399)], sorted[Math.round(0.95 * 2399)]];
    expectColour(await pixel(25, 12), grey((value - low) / (high - low)), 2);
    await page.getByRole('button', { name: 'Reset' }).click();
    await settled(page);
    expectColour(await pixel(25, 12), grey(value));
  });

  it('chooses an exposure for dark cubes', async () => {
    const dark = makeCube(8, 10, 10, () => 0.1);
    writeCube(join(folder, 'dark.npy'), dark);
    const other = await Viewer.start([join(folder, 'dark.npy'), ...wavelengths]);
    try {
      await open('', other);
      // log2(0.9/0.1) = 3.17, in quarters 3.25
      expect(await page.getByRole('slider', { name: 'Exposure' }).getAttribute('aria-valuetext')).toBe('+3.25 EV');
    } finally {
      await other.stop();
    }
  });

  it('takes any three bands as false colours', async () => {
    await open(`ev=0&mode=false&rgb=7-4-1&${tenfold}`);
    expectColour(await pixel(50, 20), [7, 4, 1].map((b) => grey(at(cube, b, 20, 50))[0]));
    await setSlider('Red', 0);
    await settled(page);
    expectColour(await pixel(50, 20), [0, 4, 1].map((b) => grey(at(cube, b, 20, 50))[0]));
  });

  it('zooms about the pointer and moves', async () => {
    await open(`ev=0&mode=band&band=7&${tenfold}`);
    const box = (await page.locator('.overlay').boundingBox())!;
    const [sx, sy] = await place(40, 30);
    await page.mouse.move(box.x + sx, box.y + sy);
    await page.mouse.wheel(0, -200);
    await settled(page);
    expectColour(await colourAt(page, sx, sy), grey(at(cube, 7, 30, 40)));
    expect(await page.textContent('.zoom-text')).toBe(`${Math.round(1000 * Math.exp(0.44))} %`);
    await page.keyboard.press('1');
    await settled(page);
    expect(await page.textContent('.zoom-text')).toBe('100 %');
    await open(`ev=0&mode=band&band=7&${tenfold}`);
    await page.mouse.move(box.x + sx, box.y + sy);
    await page.mouse.down();
    await page.mouse.move(box.x + sx - 55, box.y + sy + 30, { steps: 4 });
    await page.mouse.up();
    await settled(page);
    expectColour(await colourAt(page, sx - 55, sy + 30), grey(at(cube, 7, 30, 40)));
    expect(await page.locator('.marks li').count()).toBe(0); // a drag is no click
    await page.getByRole('button', { name: 'Whole image (0)' }).click();
    await settled(page);
    const { width, height } = await stageSize(page);
    expect(await page.textContent('.zoom-text')).toBe(`${Math.round(100 * Math.min(width / 60, height / 40))} %`);
  });

  it('tells the value under the pointer', async () => {
    await open(`ev=0&mode=band&band=2&${tenfold}`);
    const box = (await page.locator('.overlay').boundingBox())!;
    const [sx, sy] = await place(44, 3);
    await page.mouse.move(box.x + sx, box.y + sy);
    await page.waitForFunction(() => document.querySelector('.status')!.textContent !== '');
    expect(await page.textContent('.status')).toBe(`x 44  y 3  ${at(cube, 2, 3, 44).toPrecision(4)}`);
  });
});

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
    const svg = await save(page, () => page.getByRole('button', { name: 'SVG' }).click());
    const text = svg.bytes.toString();
    expect(text.match(/<polyline/g)!.length).toBe(2); // the cube and the truth
    expect(text.match(/<polygon/g)!.length).toBe(1); // the spread
    const points = /<polyline points="([^"]+)"/.exec(text)![1].split(' ').map((p) => Number(p.split(',')[1]));
    // Heights are a linear function of the values.
    const slope = (points[7] - points[0]) / (wanted.mean[7] - wanted.mean[0]);
    points.forEach((p, b) => expect(p).toBeCloseTo(points[0] + slope * (wanted.mean[b] - wanted.mean[0]), 1));
  });

  it('are drawn in the colour of their marker', async () => {
    await open(`ev=0&${tenfold}&marks=50-10`);
    await page.waitForSelector('section[aria-labelledby=spectra-title][data-ready=yes]');
    const count = () =>
      page.$eval('.chart canvas', (canvas) => {
        const c = canvas as HTMLCanvasElement;
        const { data } = c.getContext('2d')!.getImageData(0, 0, c.width, c.height);
        let n = 0;
        for (let i = 0; i < data.length; i += 4) n += Number(data[i] === 0xe8 && data[i + 1] === 0x59 && data[i + 2] === 0x0c);
        return n;
      });
    await page.waitForTimeout(100);
    expect(await count()).toBeGreaterThan(200);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.waitForTimeout(100);
    expect(await count()).toBe(0);
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
    expect(Number(cells[1])).toBeGreaterThan(0.3);
    expect(Number(cells[1])).toBeLessThan(1);
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction((text) => document.querySelectorAll('.scores tbody td')[2].textContent === text, `${all[5].toFixed(2)} dB`);
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

  it('is nowhere without its key', async () => {
    const response = await fetch(viewer.address.replace(/[0-9a-f]{32}/, '0'.repeat(32)));
    expect(response.status).toBe(403);
    expect((await response.json()).error).toContain('snapcube view');
  });
});

describe('without WebGL', () => {
  it('a 2-D canvas shows the same', async () => {
    const states = ['mode=band&band=6&map=lagoon&gamma=1.4', 'mode=false&rgb=7-4-1&ev=0.5', 'mode=colour&stretch=2', 'compare=error', 'compare=swipe&mode=band&band=2'];
    const points = [[20, 5], [45, 30], [7, 20]];
    const look = async () => {
      const colours: number[][] = [];
      for (const state of states) {
        await open(`ev=0&${state}&${tenfold}`);
        for (const [x, y] of points) colours.push(await pixel(x, y));
      }
      return colours;
    };
    const gl = await look();
    const usual = page;
    const plain = await launch(['--disable-webgl', '--disable-3d-apis']);
    try {
      page = await plain.newPage({ viewport: { width: 1300, height: 800 } });
      const canvas = await look();
      expect(await page.getAttribute('.stage', 'data-renderer')).toBe('2-D canvas');
      gl.forEach((colour, i) => expectColour(canvas[i], colour, 2));
    } finally {
      page = usual;
      await plain.close();
    }
  });
});

describe('large images', () => {
  it('come in tiles at the resolution shown', async () => {
    const wide = makeCube(2, 700, 900, (b, y, x) => (b === 0 ? x / 900 : (Math.floor(x / 2) + Math.floor(y / 2)) % 2));
    writeNpy(join(folder, 'wide.npy'), [2, 700, 900], wide.values);
    const other = await Viewer.start([join(folder, 'wide.npy'), '--layout', 'bhw']);
    try {
      const levels: number[] = [];
      page.on('request', (request) => {
        const found = /tile\?.*level=(\d)/.exec(request.url());
        if (found) levels.push(Number(found[1]));
      });
      // Half the size: a level of half the resolution, where the checkers of 2×2 are single pixels.
      await open('mode=band&band=1&ev=0&view=0.5_450_350', other);
      expect(Math.min(...levels)).toBe(1);
      const { width, height } = await stageSize(page);
      const values = [];
      for (const [dx, dy] of [[0, 0], [1, 0], [0, 1], [1, 1]]) values.push((await colourAt(page, width / 2 + 10 + dx, height / 2 + 10 + dy))[0]);
      expect(values[0]).toBe(values[3]);
      expect(values[1]).toBe(values[2]);
      expect(Math.abs(values[0] - values[1])).toBe(255);
      // Full size in a corner: only tiles that are seen, and the right ones.
      await open('mode=band&band=0&ev=0&view=2_850_650', other);
      expect(levels).toContain(0);
      const size = await stageSize(page);
      expectColour(await colourAt(page, size.width / 2 + 40, size.height / 2 + 40), grey(870 / 900));
      expectColour(await colourAt(page, size.width / 2 - 160, size.height / 2), grey(770 / 900)); // beyond the edge of a tile
    } finally {
      await other.stop();
    }
  });
});

describe('models', () => {
  it('reconstruct the measurement first', async () => {
    const mask = Float32Array.from({ length: 24 * 24 }, (_, i) => ((i * 7919) % 13 < 6 ? 1 : 0));
    const shot = Float32Array.from({ length: 24 * 30 }, (_, i) => 1 + ((i * 31) % 17) / 17);
    writeNpy(join(folder, 'mask.npy'), [24, 24], mask);
    writeNpy(join(folder, 'shot.npy'), [24, 30], shot);
    const other = await Viewer.start(['--measurement', join(folder, 'shot.npy'), '--mask', join(folder, 'mask.npy'), '--model', 'gap-tv', '--bands', '4']);
    try {
      await open('', other);
      expect(await page.getByLabel('Shown').locator('option').allTextContents()).toEqual(['gap-tv (reconstruction)', 'shot (measurement)', 'mask']);
      await page.getByLabel('Shown').selectOption('shot (measurement)');
      await settled(page);
      expect(await page.locator('.transport').isVisible()).toBe(false); // a single band
      expect(await page.locator('section[aria-labelledby=sparsity-title]').isVisible()).toBe(false);
    } finally {
      await other.stop();
    }
  });

  it.skipIf(!process.env.MAKE_MODEL)('show where they looked, and run again at another σ', async () => {
    const model = join(folder, 'any.safetensors');
    execFileSync(process.env.MAKE_MODEL!, [model, '4']);
    const mask = Float32Array.from({ length: 128 * 128 }, (_, i) => ((i * 7919) % 13 < 6 ? 1 : 0));
    const shot = Float32Array.from({ length: 128 * 134 }, (_, i) => 1 + ((i * 31) % 170) / 170 + (i % 134 < 60 ? 1 : 0));
    writeNpy(join(folder, 'mask128.npy'), [128, 128], mask);
    writeNpy(join(folder, 'shot128.npy'), [128, 134], shot);
    const other = await Viewer.start(['--measurement', join(folder, 'shot128.npy'), '--mask', join(folder, 'mask128.npy'), '--model', model]);
    try {
      await open('mode=band&band=1&ev=0&view=4_64_64', other);
      const panel = page.locator('section[aria-labelledby=sparsity-title]');
      // 8×8 windows of 16×16; σ = 0.5 leaves 32
      expect(await panel.locator('.hint').textContent()).toMatch(/^any: [\d.]+ s, 32 windows kept$/);
      const whole = async () =>
        page.$$eval('.stage canvas', (all) => all.map((c) => (c as HTMLCanvasElement).toDataURL()).map((text) => text.length + text.slice(-4000)));
      const [plain, bare] = await whole();
      await panel.getByLabel('Kept windows').check();
      await settled(page);
      expect((await whole())[1], 'the overlay').not.toBe(bare);
      await panel.getByLabel(/Screening mask/).check();
      await settled(page);
      const screened = (await whole())[0];
      expect(screened, 'the picture').not.toBe(plain);
      await panel.getByLabel(/Screening mask/).uncheck();
      await panel.getByLabel(/Sparsity σ/).fill('0.25');
      await page.waitForFunction(() => /48 windows kept/.test(document.querySelector('section[aria-labelledby=sparsity-title] .hint')!.textContent!));
      await settled(page);
      expect((await whole())[0], 'another cube').not.toBe(plain);
    } finally {
      await other.stop();
    }
  });
});
