import { describe, expect, it } from 'vitest';
import { ancestor, clampView, fit, lastLevel, levelFor, levelSize, tileRect, toImage, toScreen, visibleTiles, zoomAt } from '../../src/view';

const image = { width: 3376, height: 2704 };
const pane = { left: 100, top: 20, width: 1000, height: 800 };

describe('a view', () => {
  it('fits the whole image', () => {
    const view = fit(image, pane);
    expect(view.scale).toBeCloseTo(800 / 2704, 12);
    expect(toScreen(view, pane, 0, 0)[1]).toBeCloseTo(20, 9);
    expect(toScreen(view, pane, 0, 2704)[1]).toBeCloseTo(820, 9);
  });
  it('goes to the screen and back', () => {
    const view = { scale: 1.7, x: 1000, y: 333 };
    const [sx, sy] = toScreen(view, pane, 1234.5, 99.25);
    expect(toImage(view, pane, sx, sy)[0]).toBeCloseTo(1234.5, 9);
    expect(toImage(view, pane, sx, sy)[1]).toBeCloseTo(99.25, 9);
  });
  it('zooms about the pointer', () => {
    const view = { scale: 1, x: 1600, y: 1300 };
    const before = toImage(view, pane, 300, 200);
    const after = zoomAt(view, pane, 2, 300, 200, image);
    expect(after.scale).toBe(2);
    expect(toImage(after, pane, 300, 200)[0]).toBeCloseTo(before[0], 9);
    expect(toImage(after, pane, 300, 200)[1]).toBeCloseTo(before[1], 9);
  });
  it('keeps the image in reach', () => {
    expect(clampView({ scale: 1e9, x: -50, y: 1e7 }, image, pane)).toEqual({ scale: 64, x: 0, y: 2704 });
    expect(clampView({ scale: 1e-9, x: 1, y: 1 }, image, pane).scale).toBeCloseTo(800 / 2704 / 4, 12);
  });
});

describe('tiles', () => {
  it('have the levels of the server', () => {
    // the values of tests/serve/tile_test.cpp
    expect([[1, 1], [256, 256], [1, 257], [513, 512], [3376, 2704]].map(([width, height]) => lastLevel({ width, height }, 256))).toEqual([0, 0, 1, 2, 4]);
    expect(levelSize(13, 3)).toBe(2);
  });
  it('have at least the pixels of the screen', () => {
    expect(levelFor(1, 1, image, 256)).toBe(0);
    expect(levelFor(8, 1, image, 256)).toBe(0);
    expect(levelFor(0.5, 1, image, 256)).toBe(1);
    expect(levelFor(0.3, 1, image, 256)).toBe(1);
    expect(levelFor(0.25, 2, image, 256)).toBe(1);
    expect(levelFor(0.001, 1, image, 256)).toBe(4);
  });
  it('cover what is seen, the middle first', () => {
    const tiles = visibleTiles({ scale: 1, x: 1000, y: 1000 }, { width: 600, height: 400 }, image, 0, 256);
    // x 700 … 1300: tiles 2 … 5; y 800 … 1200: tiles 3 … 4
    expect(tiles.length).toBe(8);
    expect(tiles.map((t) => t.x).sort()[0]).toBe(2);
    expect(tiles[0]).toEqual({ level: 0, x: 3, y: 3 });
    expect(new Set(tiles.map((t) => t.y))).toEqual(new Set([3, 4]));
  });
  it('end with the image', () => {
    expect(visibleTiles({ scale: 0.01, x: 0, y: 0 }, pane, image, 0, 256).length).toBe(14 * 11);
    expect(tileRect({ level: 0, x: 13, y: 10 }, image, 256)).toEqual({ left: 3328, top: 2560, width: 48, height: 144 });
    expect(tileRect({ level: 4, x: 0, y: 0 }, image, 256)).toEqual({ left: 0, top: 0, width: 3376, height: 2704 });
  });
  it('know their ancestors', () => expect(ancestor({ level: 1, x: 5, y: 2 }, 3)).toEqual({ level: 3, x: 1, y: 0 }));
});
