import { describe, expect, it } from 'vitest';
import { liveText } from '../../src/live_panel';

describe('the live line', () => {
  const live = { frame: 'a.tif', cubes: 3, per_second: 7.123, latency: 0.1449, waiting: 0, dropped: 0, passed_over: 0 };
  it('tells what is worth telling', () => {
    expect(liveText(live)).toBe('a.tif · 0.14 s after it came · 7.1 cubes/s');
    expect(liveText({ ...live, per_second: 0, waiting: 2, dropped: 5, passed_over: 1 })).toBe(
      'a.tif · 0.14 s after it came · 2 waiting · 5 dropped · 1 passed over');
  });
});
