// watch_page.mjs PROGRAM [MODEL [FRAMES [SIZE]]]: from a frame to the page. Frames are renamed into a folder that
// `snapcube watch --view` watches, one after the other; Debian's Chromium shows the page. Measured from the rename to the
// picture that is drawn, against the time that the network takes for the same frame. At most 1.3 times that and 50 ms
// is the aim. Needs web/node_modules (npm ci) and a measured model, such as cst-s.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from '../web/node_modules/playwright-core/index.mjs';

const [program, model = 'cst-s', count = '40', sizeText = '256'] = process.argv.slice(2);
const size = Number(sizeText);
const width = size + 54;

function npy(height, columns, value) {
  let header = `{'descr': '<f4', 'fortran_order': False, 'shape': (${height}, ${columns}), }`;
  header = header.padEnd(64 * Math.ceil((header.length + 11) / 64) - 11) + '\n';
  const head = Buffer.alloc(10);
  head.write('\x93NUMPY\x01\x00', 'latin1');
  head.writeUInt16LE(header.length, 8);
  const values = Float32Array.from({ length: height * columns }, (_, i) => value(i));
  return Buffer.concat([head, Buffer.from(header, 'latin1'), Buffer.from(values.buffer)]);
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const now = () => performance.timeOrigin + performance.now();
const folder = mkdtempSync(join(tmpdir(), 'snapcube-bench-'));
let child;
let browser;
try {
  mkdirSync(join(folder, 'shots'));
  writeFileSync(join(folder, 'mask.npy'), npy(size, size, (i) => ((i * 7919) % 13 < 6 ? 1 : 0)));
  child = spawn(program, ['watch', join(folder, 'shots'), '--mask', join(folder, 'mask.npy'), '--model', model, '--passes', '1', '--refine', 'none',
    '--view', '--no-open', '--json'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (event) => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      const found = JSON.parse(line.value);
      if (found.event === event) return found;
    }
    throw new Error('the program has ended');
  };
  const { address } = await next('start');
  browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
  const page = await browser.newPage({ viewport: { width: 1080, height: 640 } });
  await page.goto(`${address}#ev=0&marks=100-100${process.env.RENDERER ? `&renderer=${process.env.RENDERER}` : ''}`);
  const arrive = async (i) => {
    const name = `${String(i).padStart(4, '0')}.npy`;
    writeFileSync(join(folder, name), npy(size, width, (k) => 1 + ((k * (31 + i)) % 170) / 170));
    const start = now();
    renameSync(join(folder, name), join(folder, 'shots', name));
    const cube = next('cube');
    const drawn = await page.evaluate((wanted) => new Promise((done) => {
      const look = () => {
        const text = document.querySelector('section[aria-labelledby=live-title] .hint')?.textContent ?? '';
        const ready = document.querySelector('.stage')?.dataset.ready === 'yes';
        if (text.startsWith(wanted) && ready) done(performance.timeOrigin + performance.now());
        else setTimeout(look, 1);
      };
      look();
    }), name);
    const { seconds, shown } = await cube;
    return { network: 1000 * seconds, offered: 1000 * shown, page: drawn - start };
  };
  for (let i = 0; i < 3; i++) await arrive(i); // the page opens, memory is planned
  const runs = [];
  for (let i = 3; i < 3 + Number(count); i++) {
    runs.push(await arrive(i));
    await new Promise((done) => setTimeout(done, 50));
  }
  const network = median(runs.map((r) => r.network));
  const shown = median(runs.map((r) => r.page));
  const within = runs.filter((r) => r.page <= 1.3 * r.network + 50).length;
  console.log(`${cpus()[0].model}, ${runs.length} frames of ${size}×${width}, ${model}, one pass`);
  console.log(`network ${network.toFixed(0)} ms, offered to the page ${median(runs.map((r) => r.offered)).toFixed(0)} ms and drawn ${shown.toFixed(0)} ms after the frame (medians); aim ${(1.3 * network + 50).toFixed(0)} ms`);
  console.log(`beyond the network's time ${median(runs.map((r) => r.page - r.network)).toFixed(0)} ms (median); within the aim: ${within} of ${runs.length}`);
} finally {
  await browser?.close();
  if (child && child.exitCode === null) {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGINT');
    await ended;
  }
  rmSync(folder, { recursive: true });
}
