import { describe, expect, it } from 'vitest';
import type { Source } from '../../src/api';
import { steadyRange } from '../../src/layers';
import { liveText } from '../../src/live_panel';

describe('the range of frames that follow each other', () => {
  const source = (maximum: number, unit: number) => ({ maximum, unit }) as Source;
  it('does not change with every frame', () => {
    expect(steadyRange(source(0.4, 2))).toEqual({ low: 0, high: 1 });
    expect(steadyRange(source(2100, 2 ** -12))).toEqual({ low: 0, high: 4096 });
    expect(steadyRange(source(3900, 2 ** -12))).toEqual({ low: 0, high: 4096 });
    expect(steadyRange(source(-1, 1))).toEqual({ low: 0, high: 1 });
  });
});

describe('the live line', () => {
  const live = { frame: 'a.tif', cubes: 3, per_second: 7.123, latency: 0.1449, waiting: 0, dropped: 0, passed_over: 0 };
  it('tells what is worth telling', () => {
    expect(liveText(live)).toBe('a.tif · 0.14 s after it came · 7.1 cubes/s');
    expect(liveText({ ...live, per_second: 0, waiting: 2, dropped: 5, passed_over: 1 })).toBe(
      'a.tif · 0.14 s after it came · 2 waiting · 5 dropped · 1 passed over');
  });
});
