// `snapcube watch --view`: the page follows the camera.

import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, readCube, writeNpy } from './cubes';
import { expectColour, folder, grey, page } from './session';
import { colourAt, program, stageSize, Viewer } from './viewer';

const camera = ['--mask', '', '--bands', '4', '--wavelengths', '450,500,550,600', '--step', '1', '--method', 'gap-tv', '--set', 'iterations=5'];

/** A frame of 24×27 pixels, renamed into the folder when it is complete. */
function arrive(shots: string, name: string, seed: number) {
  const path = join(folder, name);
  writeNpy(path, [24, 27], Float32Array.from({ length: 24 * 27 }, (_, i) => 0.2 + ((i * (31 + seed)) % 17) / 17));
  renameSync(path, join(shots, name));
}

describe('a camera that runs', () => {
  it('shows the newest frame, with the markers kept', async () => {
    const mask = join(folder, 'watch-mask.npy');
    writeNpy(mask, [24, 24], Float32Array.from({ length: 24 * 24 }, (_, i) => ((i * 7919) % 13 < 6 ? 1 : 0)));
    camera[1] = mask;
    const shots = join(folder, 'shots');
    const cubes = join(folder, 'cubes');
    mkdirSync(shots);
    const other = await Viewer.start([shots, ...camera, '--view', '-o', cubes, '--format', 'npy'], 'watch');
    const live = page.locator('section[aria-labelledby=live-title]');
    /** Until the page tells of a frame, and has drawn it with its spectra. */
    const shown = async (frame: string) => {
      await page.waitForFunction((name) => document.querySelector('section[aria-labelledby=live-title] .hint')?.textContent?.startsWith(name), frame);
      await page.waitForFunction(() => document.querySelector<HTMLElement>('.stage')!.dataset.ready === 'yes');
    };
    const check = async (name: string) => {
      // What the page shows is what the file has, which comes a moment later.
      await expect.poll(() => { try { return readCube(join(cubes, name)).bands; } catch { return 0; } }, { timeout: 20_000 }).toBe(4);
      const wanted = readCube(join(cubes, name));
      const largest = wanted.values.reduce((p, q) => Math.max(p, q));
      const white = largest > 1.5 ? 2 ** Math.ceil(Math.log2(largest)) : 1;
      const { width, height } = await stageSize(page);
      for (const [x, y] of [[3, 4], [20, 17], [12, 12]]) {
        const place = [width / 2 + (x + 0.5 - 12) * 10, height / 2 + (y + 0.5 - 12) * 10] as const;
        expectColour(await colourAt(page, ...place), grey(at(wanted, 2, y, x) / white), 2);
      }
      await page.waitForSelector('section[aria-labelledby=spectra-title][data-ready=yes]');
      const numbers = await page.$$eval('.table-holder tbody tr', (rows) => rows.map((row) => Number(row.children[1].textContent)));
      numbers.forEach((value, b) => expect(value).toBeCloseTo(at(wanted, b, 6, 5), 4));
    };
    try {
      // Nothing has come yet.
      await page.goto(`${other.address}#ev=0&mode=band&band=2&view=10_12_12&marks=5-6`);
      await page.getByText('Waiting for the first frame…').waitFor();
      arrive(shots, 'one.npy', 1);
      await shown('one.npy');
      await page.getByText('By numbers', { exact: true }).click();
      await check('one.npy');
      arrive(shots, 'two.npy', 2);
      await shown('two.npy');
      await check('two.npy');
      expect(await page.locator('.marks .where').allTextContents()).toEqual(['5, 6']);
      expect(await live.locator('.hint').textContent()).toMatch(/^two\.npy · [\d.]+ s after it came/);
      expect(await page.getByLabel('Shown').locator('option').allTextContents()).toEqual(['gap-tv (reconstruction)', 'measurement']);

      // Held, the page stays; then it shows what is newest.
      await live.getByRole('button', { name: 'Hold' }).click();
      arrive(shots, 'three.npy', 3);
      arrive(shots, 'four.npy', 4);
      await expect.poll(async () => (await (await fetch(`${other.address}about.json`)).json()).live.cubes, { timeout: 20_000 }).toBe(4);
      await page.waitForTimeout(200);
      expect(await live.locator('.hint').textContent()).toMatch(/^two\.npy/);
      await live.getByRole('button', { name: 'Go on' }).click();
      await shown('four.npy');
      await check('four.npy');

      // Many at once, as a camera sends them: the page ends with the last.
      for (let i = 0; i < 6; i++) arrive(shots, `burst${String(i).padStart(2, '0')}.npy`, 5 + i);
      await shown('burst05.npy');
      await check('burst05.npy');
    } finally {
      await page.goto('about:blank');
      expect(await other.stop(), 'Ctrl-C is the normal end').toBe(0);
    }
    execFileSync('test', ['-f', join(cubes, 'watch.jsonl')]);
  });
});
