// The picture: colours, bands, tone, zoom, the 2-D canvas, tiles.

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mapColour } from '../../src/colour';
import { at, makeCube, writeCube, writeNpy } from './cubes';
import { bytes, cube, expectColour, folder, grey, leave, open, page, pixel, place, setSlider, size, tenfold, usePage, wavelengths } from './session';
import { colourAt, coloursAt, launch, settled, stageSize, Viewer } from './viewer';

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
      await leave(other);
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

describe('without WebGL', () => {
  it('a 2-D canvas shows the same', async () => {
    const states = ['mode=band&band=6&map=lagoon&gamma=1.4', 'mode=false&rgb=7-4-1&ev=0.5', 'mode=colour&stretch=2', 'compare=error', 'compare=swipe&mode=band&band=2'];
    const points = [[20, 5], [45, 30], [7, 20]];
    const look = async () => {
      const colours: number[][] = [];
      for (const state of states) {
        await open(`ev=0&${state}&${tenfold}`);
        colours.push(...(await coloursAt(page, await Promise.all(points.map(([x, y]) => place(x, y))))));
      }
      return colours;
    };
    const gl = await look();
    const usual = page;
    const plain = await launch(['--disable-webgl', '--disable-3d-apis']);
    try {
      usePage(await plain.newPage({ viewport: size }));
      const canvas = await look();
      expect(await page.getAttribute('.stage', 'data-renderer')).toBe('2-D canvas');
      gl.forEach((colour, i) => expectColour(canvas[i], colour, 2));
    } finally {
      usePage(usual);
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
      await expect.poll(() => levels, { timeout: 5000 }).toContain(0);
      const stage = await stageSize(page);
      expectColour(await colourAt(page, stage.width / 2 + 40, stage.height / 2 + 40), grey(870 / 900));
      expectColour(await colourAt(page, stage.width / 2 - 160, stage.height / 2), grey(770 / 900)); // beyond the edge of a tile
    } finally {
      await leave(other);
    }
  });
});
