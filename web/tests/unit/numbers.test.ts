import { describe, expect, it } from 'vitest';
import { encodeSrgb, mapColour, mapNames, mapTable } from '../../src/colour';
import { halfValues } from '../../src/half';
import { channelByte, channelTable, colourTable, mapIndex, mapSteps, position } from '../../src/shade';

describe('16-bit floats', () => {
  it.each([
    // IEEE 754-2008, binary16
    [0x0000, 0], [0x3c00, 1], [0xc000, -2], [0x7bff, 65504], [0x0400, 2 ** -14], [0x0001, 2 ** -24], [0x03ff, 1023 * 2 ** -24],
    [0x3555, 0.333251953125], [0x7c00, Infinity], [0xfc00, -Infinity],
  ])('%i', (bits, value) => expect(halfValues[bits]).toBe(value));
  it('knows what is not a number', () => expect(halfValues[0x7e00]).toBeNaN());
});

describe('tone', () => {
  const plain = { exposure: 0, gamma: 1 };
  const unit = { low: 0, high: 1 };
  it('is the sRGB curve', () => {
    // IEC 61966-2-1: 0.5 linear is 188, ((128/255 + 0.055)/1.055)^2.4 is 128
    expect(channelByte(0.5, unit, plain)).toBe(188);
    expect(channelByte(0.2158605, unit, plain)).toBe(128);
    expect(channelByte(0.001, unit, plain)).toBe(Math.round(255 * 12.92 * 0.001));
    expect([channelByte(-1, unit, plain), channelByte(2, unit, plain)]).toEqual([0, 255]);
    expect(encodeSrgb(0.0031308)).toBeCloseTo(0.04045, 5);
  });
  it('doubles with each stop', () => {
    expect(channelByte(0.25, unit, { exposure: 1, gamma: 1 })).toBe(188);
    expect(channelByte(1, unit, { exposure: -1, gamma: 1 })).toBe(188);
  });
  it('stretches', () => expect(position(0.3, { low: 0.2, high: 0.4 }, plain)).toBeCloseTo(0.5, 12));
  it('survives an empty range', () => expect(position(0.7, { low: 0.7, high: 0.7 }, plain)).toBe(0));
  it('lifts the dark with gamma', () => {
    expect(mapIndex(0.25, unit, { exposure: 0, gamma: 2 })).toBe(Math.round((mapSteps - 1) * 0.5));
    expect(channelByte(0.05, unit, { exposure: 0, gamma: 2 })).toBeGreaterThan(channelByte(0.05, unit, plain));
  });
});

describe('tables of all 16-bit floats', () => {
  const range = { low: 0.1, high: 0.9 };
  const tone = { exposure: 0.5, gamma: 1.3 };
  it('equal the formula, with units', () => {
    const bytes = channelTable(range, tone, 0.25);
    const colours = colourTable('lagoon', null, range, tone, 0.25);
    const map = new Uint32Array(mapTable('lagoon', mapSteps).buffer);
    for (const bits of [0, 1, 0x2c00, 0x3000, 0x3155, 0x3c00, 0xbc00, 0x7bff]) {
      const value = halfValues[bits] * 4;
      expect(bytes[bits]).toBe(channelByte(value, range, tone));
      expect(colours[bits]).toBe(map[mapIndex(value, range, tone)]);
    }
  });
  it('make what is no number black', () => expect(channelTable(range, tone, 1)[0x7e00]).toBe(0));
});

describe('colour maps', () => {
  // Luminance (IEC 61966-2-1), from encoded sRGB
  const linear = (v: number) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const luminance = (c: number[]) => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
  it.each(mapNames)('%s gets brighter all the way', (name) => {
    let before = -1;
    for (let i = 0; i <= 50; i++) {
      const now = luminance(mapColour(name, i / 50, 550));
      expect(now).toBeGreaterThan(before - 1e-9);
      before = now;
    }
  });
  it('has the error colours of the program', () => {
    // error_colour(0.6) of src/render/colour_map.cpp is L* 57, a* 52, b* 34; numpy, by the inverse of the sRGB matrix
    expect(mapColour('ember', 0.6).map((v) => Math.round(255 * v))).toEqual([228, 93, 81]);
  });
  it('fills tables', () => {
    const table = mapTable('grey', 3);
    expect([...table]).toEqual([0, 0, 0, 255, 188, 188, 188, 255, 255, 255, 255, 255]);
  });
});
