// Cubes of known values, as .npy files that the program reads.

import { readFileSync, writeFileSync } from 'node:fs';

export interface TestCube {
  bands: number;
  height: number;
  width: number;
  values: Float32Array;
}

export function makeCube(bands: number, height: number, width: number, value: (b: number, y: number, x: number) => number): TestCube {
  const values = new Float32Array(bands * height * width);
  let i = 0;
  for (let b = 0; b < bands; b++) for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) values[i++] = value(b, y, x);
  return { bands, height, width, values };
}

export const at = (cube: TestCube, b: number, y: number, x: number) => cube.values[(b * cube.height + y) * cube.width + x];

export function spectrum(cube: TestCube, x: number, y: number, width = 1, height = 1) {
  const mean: number[] = [];
  const deviation: number[] = [];
  for (let b = 0; b < cube.bands; b++) {
    const all: number[] = [];
    for (let r = y; r < y + height; r++) for (let c = x; c < x + width; c++) all.push(at(cube, b, r, c));
    const m = all.reduce((s, v) => s + v, 0) / all.length;
    mean.push(m);
    deviation.push(Math.sqrt(all.reduce((s, v) => s + (v - m) ** 2, 0) / all.length));
  }
  return { mean, deviation };
}

/** PSNR of a band, toolbox protocol: round(256·x) of both, peak 255. */
export function bandPsnr(p: TestCube, q: TestCube, b: number) {
  const even = (v: number) => {
    const r = Math.round(v);
    return Math.abs(v % 1) === 0.5 && r % 2 ? r - 1 : r;
  };
  const n = p.height * p.width;
  let sum = 0;
  for (let i = b * n; i < (b + 1) * n; i++) sum += (even(256 * p.values[i]) - even(256 * q.values[i])) ** 2;
  return 10 * Math.log10((255 * 255) / (sum / n));
}

/**
 * SSIM of a band, toolbox protocol: the values as they are, zeros around them, a Gaussian window of 11×11 (σ 1.5) at every
 * pixel, C = 0.01² and 0.03². Written out plainly, window by window.
 */
export function bandSsim(p: TestCube, q: TestCube, b: number) {
  const half = 5;
  const offsets = Array.from({ length: 2 * half + 1 }, (_, i) => i - half);
  const weight = (dy: number, dx: number) => Math.exp(-(dx * dx + dy * dy) / (2 * 1.5 ** 2));
  const total = offsets.reduce((s, dy) => s + offsets.reduce((t, dx) => t + weight(dy, dx), 0), 0);
  const value = (c: TestCube, y: number, x: number) => (y < 0 || x < 0 || y >= c.height || x >= c.width ? 0 : at(c, b, y, x));
  let sum = 0;
  for (let y = 0; y < p.height; y++) {
    for (let x = 0; x < p.width; x++) {
      let [mp, mq, pp, qq, pq] = [0, 0, 0, 0, 0];
      for (const dy of offsets) {
        for (const dx of offsets) {
          const w = weight(dy, dx) / total;
          const [u, v] = [value(p, y + dy, x + dx), value(q, y + dy, x + dx)];
          mp += w * u;
          mq += w * v;
          pp += w * u * u;
          qq += w * v * v;
          pq += w * u * v;
        }
      }
      sum += ((2 * mp * mq + 1e-4) * (2 * (pq - mp * mq) + 9e-4)) / ((mp * mp + mq * mq + 1e-4) * (pp - mp * mp + qq - mq * mq + 9e-4));
    }
  }
  return sum / (p.height * p.width);
}

/** NumPy's format, version 1.0. */
export function writeNpy(path: string, shape: number[], values: Float32Array) {
  let header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(', ')}), }`;
  header = header.padEnd(64 * Math.ceil((header.length + 11) / 64) - 11) + '\n';
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(header.length, 8);
  writeFileSync(path, Buffer.concat([head, Buffer.from(header, 'latin1'), Buffer.from(values.buffer)]));
}
export const writeCube = (path: string, cube: TestCube) => writeNpy(path, [cube.bands, cube.height, cube.width], cube.values);

/** A file of 32-bit floats as the program writes it: rows, columns, bands. */
export function readCube(path: string): TestCube {
  const file = readFileSync(path);
  const start = 10 + file.readUInt16LE(8);
  const [height, width, bands] = /'shape': \(([^)]*)\)/.exec(file.toString('latin1', 10, start))![1].split(',').map(Number);
  return makeCube(bands, height, width, (b, y, x) => file.readFloatLE(start + 4 * ((y * width + x) * bands + b)));
}

/** The same numbers on every run: a small linear congruential generator. */
export function noise(seed: number) {
  let state = seed >>> 0;
  return () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32;
}
