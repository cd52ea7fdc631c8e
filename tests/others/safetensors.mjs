// node safetensors.mjs FILE: reads with a package of npm what `snapcube convert` made of tests/data/models/zip_plain.pth,
// and compares every value with the formula of tests/golden.h. Needs `npm install @jax-js/loaders`.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// From where it was installed: the current folder.
const { safetensors } = await import(pathToFileURL(path.resolve('node_modules/@jax-js/loaders/dist/index.js')));

const word = (value) => BigInt.asUintN(64, value);

function* uniform(name) {
  let seed = 0xcbf29ce484222325n;
  for (const c of Buffer.from(name)) seed = word((seed ^ BigInt(c)) * 0x100000001b3n);
  for (let i = 1n; ; ++i) {
    let z = word(seed + i * 0x9e3779b97f4a7c15n);
    z = word((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n);
    z = word((z ^ (z >> 27n)) * 0x94d049bb133111ebn);
    z ^= z >> 31n;
    yield Number(z >> 40n) / 2 ** 24;
  }
}

function expected(name, shape, u) {
  const s = 2 * u - 1;
  const fanIn = shape.slice(1).reduce((a, b) => a * b, 1);
  if (shape.length >= 2) return s * Math.sqrt(3 / fanIn) * (name.endsWith('attn.fn.to_out.weight') ? 0.1 : 1);
  return name.endsWith('.weight') ? 1 + 0.1 * s : 0.1 * s;
}

const { tensors, metadata } = safetensors.parse(new Uint8Array(fs.readFileSync(process.argv[2])));
const config = JSON.parse(metadata.snapcube);
if (config.bands !== 1 || config.variant !== 'cst') throw new Error(`another configuration: ${metadata.snapcube}`);
let count = 0;
for (const [name, { dtype, shape, data }] of Object.entries(tensors)) {
  if (dtype !== 'F32' || data.length !== shape.reduce((a, b) => a * b, 1)) throw new Error(`${name}: ${dtype} ${shape}`);
  if (/hash_(alpha|beta)$/.test(name)) continue; // drawn from the seed
  const u = uniform(name);
  for (let i = 0; i < data.length; ++i, ++count) {
    const value = Math.fround(expected(name, shape, u.next().value));
    if (Math.abs(data[i] - value) > 1e-7 * Math.abs(value)) throw new Error(`${name}[${i}]: ${data[i]}, not ${value}`);
  }
}
if (count < 1000) throw new Error(`only ${count} values`);
console.log(`safetensors: ${Object.keys(tensors).length} tensors, ${count} values as they should be`);
