// What the tests share: a program that shows a cube of known values with its truth, a browser, and ways to use the page.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { encodeSrgb } from '../../src/colour';
import { at, makeCube, noise, writeCube } from './cubes';
import { colourAt, launch, settled, stageSize, Viewer } from './viewer';

// 8 bands of 40×60 at 450, 475, … 625 nm. The left quarter is a flat grey of 0.5; the rest changes along every axis.
export const truth = makeCube(8, 40, 60, (b, y, x) => (x < 15 ? 0.5 : 0.05 + 0.7 * (x / 60) * ((b + 1) / 8) + 0.15 * (y / 40)));
const random = noise(7);
export const cube = makeCube(8, 40, 60, (b, y, x) => (x < 15 ? 0.5 : Math.min(1, Math.max(0, at(truth, b, y, x) + 0.2 * (random() - 0.5)))));
export const wavelengths = ['--input-wavelengths', '450:25:8'];

/** Small: a processor draws all of it. */
export const size = { width: 1080, height: 640 };

export let folder: string;
export let viewer: Viewer;
let browser: Browser;
export let context: BrowserContext;
export let page: Page;
const problems: string[] = [];

/** Goes to a state: by its link, or in the page that is open by a change of the link alone. */
let visits = 0;
export async function open(state: string, from = viewer) {
  const hash = `${state}&visit=${visits++}`;
  if (page.url().startsWith(from.address)) {
    await page.evaluate((text) => {
      (document.activeElement as HTMLElement | null)?.blur(); // keys are for the page, not for the last field
      // The page hears of it later, on a busy machine after several frames; its own listener comes before this one.
      const heard = new Promise<void>((done) => addEventListener('hashchange', () => done(), { once: true }));
      location.hash = text;
      return heard;
    }, hash);
  } else {
    await page.goto(`${from.address}#${hash}`);
  }
  await settled(page);
}

/** A view that shows one image pixel on ten of the screen's, with the middle of the image in the middle. */
export const tenfold = 'view=10_30_20';
/** Where a pixel of the image then is, in the whole stage or in a part of it. */
export async function place(x: number, y: number, part: { left: number; share: number } = { left: 0, share: 1 }) {
  const { width, height } = await stageSize(page);
  return [part.left * width + (part.share * width) / 2 + (x + 0.5 - 30) * 10, height / 2 + (y + 0.5 - 20) * 10] as const;
}
export const pixel = async (x: number, y: number, part?: { left: number; share: number }) => colourAt(page, ...(await place(x, y, part)));
export const grey = (value: number) => Array(3).fill(Math.round(255 * encodeSrgb(value)));
export const bytes = (colour: number[]) => colour.map((v) => Math.round(255 * v));

export function expectColour(found: number[], wanted: number[], tolerance = 1) {
  found.forEach((v, k) => expect(Math.abs(v - wanted[k]), `${found} is not ${wanted}`).toBeLessThanOrEqual(tolerance));
}

export async function click(x: number, y: number, options = {}) {
  const box = (await page.locator('.overlay').boundingBox())!;
  const [sx, sy] = await place(x, y);
  await page.mouse.click(box.x + sx, box.y + sy, options);
}

/** Opens the part of the page with fields and the table. */
export async function byNumbers() {
  if (!(await page.locator('details[open]').count())) await page.getByText('By numbers', { exact: true }).click();
}

/** The table of spectra, once that many markers have theirs. */
export async function table(markers: number): Promise<number[][]> {
  await page.waitForFunction((n) => document.querySelectorAll('.marks .where').length === n, markers);
  await page.waitForSelector('section[aria-labelledby=spectra-title][data-ready=yes]');
  await byNumbers();
  await page.waitForSelector('.table-holder tbody tr');
  return page.$$eval('.table-holder tbody tr', (rows) => rows.map((row) => [...row.children].map((cell) => Number(cell.textContent))));
}

export const setSlider = (name: string, value: number) =>
  page.getByRole('slider', { name, exact: true }).evaluate((input, v) => {
    (input as HTMLInputElement).value = String(v);
    input.dispatchEvent(new Event('input', { bubbles: true }));
  }, value);

/** Ends another viewer, after its page: what that still asks for would be refused, and taken for an error of the next test. */
export async function leave(other: Viewer) {
  await page.goto('about:blank');
  await other.stop();
}

/** Another page is used, until the next call. */
export const usePage = (other: Page) => void (page = other);

/** Starts the program and the browser, and looks after each test for what must never happen. */
export function session() {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'snapcube-e2e-'));
    writeCube(join(folder, 'truth.npy'), truth);
    writeCube(join(folder, 'cube.npy'), cube);
    viewer = await Viewer.start([join(folder, 'cube.npy'), '--truth', join(folder, 'truth.npy'), ...wavelengths]);
    browser = await launch();
    context = await browser.newContext({ viewport: size, colorScheme: 'dark', acceptDownloads: true });
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
}
