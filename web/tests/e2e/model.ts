// Measurements that are reconstructed first, and models with screening.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mapColour } from '../../src/colour';
import { at, readCube, writeNpy, type TestCube } from './cubes';
import { bytes, expectColour, folder, grey, leave, open, page } from './session';
import { colourAt, program, settled, stageSize, Viewer } from './viewer';

/** The place of an image pixel in the stage, where the view shows (cx, cy) in its middle, `scale` times as large. */
async function placeIn(scale: number, cx: number, cy: number, x: number, y: number) {
  const { width, height } = await stageSize(page);
  return [width / 2 + (x + 0.5 - cx) * scale, height / 2 + (y + 0.5 - cy) * scale] as const;
}

/** The value that is shown white: 1, or the largest of data in other units. */
const white = (cube: TestCube) => {
  const largest = cube.values.reduce((p, q) => Math.max(p, q));
  return largest > 1.5 ? largest : 1;
};

/** What `snapcube reconstruct` makes of a measurement. */
function reconstructed(shot: string, mask: string, ...options: string[]) {
  const output = join(folder, `wanted${options.join('').replace(/\W/g, '')}.npy`);
  execFileSync(program, ['reconstruct', shot, '--mask', mask, '-q', '-o', output, ...options]);
  return readCube(output);
}

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
      const wanted = reconstructed(join(folder, 'shot.npy'), join(folder, 'mask.npy'), '--method', 'gap-tv', '--bands', '4');
      await open('mode=band&band=2&ev=0&view=10_12_12', other);
      for (const [x, y] of [[3, 4], [20, 17], [12, 12]]) {
        expectColour(await colourAt(page, ...(await placeIn(10, 12, 12, x, y))), grey(at(wanted, 2, y, x) / white(wanted)), 2);
      }
      await page.getByLabel('Shown').selectOption('shot (measurement)');
      await settled(page);
      const largest = Math.max(...shot);
      for (const [x, y] of [[3, 4], [25, 17]]) {
        expectColour(await colourAt(page, ...(await placeIn(10, 12, 12, x, y))), grey(shot[y * 30 + x] / largest), 2);
      }
      expect(await page.locator('.transport').isVisible()).toBe(false); // a single band
      expect(await page.locator('section[aria-labelledby=sparsity-title]').isVisible()).toBe(false);
    } finally {
      await leave(other);
    }
  });

  it.skipIf(!process.env.MAKE_MODEL)('show the error that they expect', async () => {
    const model = join(folder, 'prism.safetensors');
    execFileSync(process.env.MAKE_MODEL!, [model, '4', 'prism-s']);
    const mask = Float32Array.from({ length: 24 * 24 }, (_, i) => ((i * 7919) % 13 < 6 ? 1 : 0));
    const shot = Float32Array.from({ length: 24 * 30 }, (_, i) => 1 + ((i * 31) % 17) / 17);
    writeNpy(join(folder, 'mask.npy'), [24, 24], mask);
    writeNpy(join(folder, 'shot.npy'), [24, 30], shot);
    const [shotFile, maskFile] = [join(folder, 'shot.npy'), join(folder, 'mask.npy')];
    const other = await Viewer.start(['--measurement', shotFile, '--mask', maskFile, '--model', model]);
    try {
      await open('mode=band&band=1&view=10_12_12', other);
      await page.getByLabel('Shown').selectOption('expected error of prism');
      await settled(page);
      const about = await (await fetch(`${other.address}about.json`)).json();
      const source = about.sources.find((s: { role: string }) => s.role === 'expected');
      for (const [x, y] of [[3, 4], [20, 17], [12, 12]]) {
        const value = (await (await fetch(`${other.address}spectrum?source=${source.id}&x=${x}&y=${y}`)).json()).mean[0];
        expectColour(await colourAt(page, ...(await placeIn(10, 12, 12, x, y))), bytes(mapColour('ember', value / source.maximum)), 2);
      }
    } finally {
      await leave(other);
    }
  });

  it.skipIf(!process.env.MAKE_MODEL)('show where they looked, and run again at another σ', async () => {
    const model = join(folder, 'any.safetensors');
    execFileSync(process.env.MAKE_MODEL!, [model, '4']);
    const mask = Float32Array.from({ length: 128 * 128 }, (_, i) => ((i * 7919) % 13 < 6 ? 1 : 0));
    const shot = Float32Array.from({ length: 128 * 134 }, (_, i) => 1 + ((i * 31) % 170) / 170 + (i % 134 < 60 ? 1 : 0));
    writeNpy(join(folder, 'mask128.npy'), [128, 128], mask);
    writeNpy(join(folder, 'shot128.npy'), [128, 134], shot);
    const [shotFile, maskFile] = [join(folder, 'shot128.npy'), join(folder, 'mask128.npy')];
    const other = await Viewer.start(['--measurement', shotFile, '--mask', maskFile, '--model', model]);
    try {
      await open('mode=band&band=1&ev=0&view=4_64_64', other);
      const panel = page.locator('section[aria-labelledby=sparsity-title]');
      // 8×8 windows of 16×16; σ = 0.5 leaves 32
      expect(await panel.locator('.hint').textContent()).toMatch(/^any: [\d.]+ s, 32 windows kept$/);
      const about = await (await fetch(`${other.address}about.json`)).json();
      const kept: number[][] = about.model.kept;
      expect(kept.length).toBe(32);
      const isKept = (x: number, y: number) => kept.some(([top, left, height, width]) => x >= left && x < left + width && y >= top && y < top + height);
      const pixelAt = async (x: number, y: number) => colourAt(page, ...(await placeIn(4, 64, 64, x, y)));
      /** How opaque what lies over the picture is at a pixel of it. */
      const cover = async (x: number, y: number) => {
        const [sx, sy] = await placeIn(4, 64, 64, x, y);
        return page.$eval('.overlay', (c, p) => (c as HTMLCanvasElement).getContext('2d')!.getImageData(p[0], p[1], 1, 1).data[3], [Math.floor(sx), Math.floor(sy)]);
      };
      // Middles of windows: what was left out is darker by 55 %.
      const middles = Array.from({ length: 64 }, (_, i) => [16 * (i % 8) + 7, 16 * Math.floor(i / 8) + 7]);
      const covers = async () => Promise.all(middles.map(([x, y]) => cover(x, y)));
      expect(new Set(await covers())).toEqual(new Set([0]));
      await panel.getByLabel('Kept windows').check();
      await settled(page);
      (await covers()).forEach((alpha, i) => expect(alpha, `window ${i}`).toBe(isKept(middles[i][0], middles[i][1]) ? 0 : 140));
      await panel.getByLabel('Kept windows').uncheck();

      // M_s in the colours of errors, 55 % opaque over the band.
      const wanted = reconstructed(shotFile, maskFile, '--model', model);
      const band = (c: TestCube, x: number, y: number) => grey(at(c, 1, y, x) / white(c));
      const screening = about.sources[about.model.screening];
      for (const [x, y] of [[20, 30], [100, 64], [70, 110]]) expectColour(await pixelAt(x, y), band(wanted, x, y), 2);
      await panel.getByLabel(/Screening mask/).check();
      await settled(page);
      for (const [x, y] of [[20, 30], [100, 64], [70, 110]]) {
        const value = (await (await fetch(`${other.address}spectrum?source=${screening.id}&x=${x}&y=${y}`)).json()).mean[0];
        const over = bytes(mapColour('ember', (value - screening.minimum) / (screening.maximum - screening.minimum)));
        const mixed = band(wanted, x, y).map((under, k) => Math.round(0.45 * under + 0.55 * over[k]));
        expectColour(await pixelAt(x, y), mixed, 3);
      }
      await panel.getByLabel(/Screening mask/).uncheck();

      const before = page.url();
      expect(before).toContain('sigma=0.5');
      await panel.getByLabel(/Sparsity σ/).fill('0.25');
      const runs = (count: number) =>
        page.waitForFunction((n) => document.querySelector('section[aria-labelledby=sparsity-title] .hint')!.textContent!.includes(`${n} windows kept`), count);
      await runs(48);
      await settled(page);
      const again = reconstructed(shotFile, maskFile, '--model', model, '--sigma', '0.25');
      let changed = 0;
      for (const [x, y] of [[20, 30], [100, 64], [70, 110], [9, 90]]) {
        expectColour(await pixelAt(x, y), band(again, x, y), 2);
        changed = Math.max(changed, Math.abs(at(again, 1, y, x) - at(wanted, 1, y, x)));
      }
      expect(changed).toBeGreaterThan(0);
      // A link brings the σ back that it was made at.
      await open(new URL(before).hash.slice(1), other);
      await runs(32);
    } finally {
      await leave(other);
    }
  });
});
