import { describe, expect, it } from 'vitest';
import { decodeState, encodeState, type State } from '../../src/state';

const usual: State = {
  a: 0, b: 1, compare: 'off', mode: 'colour', band: 14, falseBands: [22, 12, 3], map: 'grey', errorMean: true,
  exposure: 0, gamma: 1, stretch: 0, swipe: 0.5, view: null, markers: [], showScreening: false, showWindows: false,
  sigma: null,
};

describe('links', () => {
  it('restore everything', () => {
    const base: State = { ...usual, sigma: 0.5 };
    const state: State = {
      a: 2, b: 0, compare: 'swipe', mode: 'band', band: 3, falseBands: [1, 2, 3], map: 'tint', errorMean: false,
      exposure: -1.25, gamma: 1.35, stretch: 2.5, swipe: 0.25, view: { scale: 2.5, x: 100.25, y: 33.5 },
      markers: [{ x: 1, y: 2, width: 1, height: 1 }, { x: 10, y: 20, width: 30, height: 4 }], showScreening: true, showWindows: true,
      sigma: 0.25,
    };
    expect(decodeState(encodeState(state, base), base)).toEqual(state);
  });
  it('tell only what is different', () => {
    expect(encodeState(usual, usual)).toBe('ev=0');
    expect(encodeState({ ...usual, band: 2 }, usual)).toBe('band=2&ev=0');
  });
  it('tell the σ wherever there is one, and ask for none where there is not', () => {
    const model = { ...usual, sigma: 0.5 };
    expect(encodeState(model, model)).toBe('ev=0&sigma=0.5');
    expect(decodeState('sigma=0.3', model).sigma).toBe(0.3);
    for (const text of ['', 'sigma=', 'sigma=1', 'sigma=-0.1', 'sigma=x']) expect(decodeState(text, model).sigma, text).toBe(0.5);
    expect(decodeState('sigma=0.3', usual).sigma).toBe(null);
  });
  it('that make no sense change nothing', () => {
    for (const text of [
      '', '&&&', 'a=-1', 'a=x', 'a=1.5', 'a=', 'compare=sideways', 'mode=', 'band=1e99', 'rgb=1-2', 'rgb=1-2-x', 'map=<script>',
      'gamma=0', 'gamma=-1', 'swipe=2', 'view=1_2', 'view=0_1_2', 'view=a_b_c', 'view=Infinity_1_1', 'marks=x', 'marks=1', 'marks=1-2-0-5', 'ev=NaN',
    ]) {
      expect(decodeState(text, usual), text).toEqual(usual);
    }
  });
  it('hold a limited number of markers', () => {
    const many = Array.from({ length: 500 }, (_, i) => `${i}-0`).join('_');
    expect(decodeState(`marks=${many}`, usual).markers.length).toBe(24);
  });
  it('do not share what they hold', () => {
    const state = decodeState('', usual);
    state.falseBands[0] = 99;
    expect(usual.falseBands[0]).toBe(22);
  });
});
