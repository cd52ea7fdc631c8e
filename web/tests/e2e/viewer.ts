// The program and a browser to look at it.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chromium, type Browser, type Page } from 'playwright-core';

export const program = process.env.SNAPCUBE_PROGRAM ?? '../build/release/bin/snapcube';
const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium';

export class Viewer {
  private constructor(readonly process: ChildProcess, readonly address: string) {}

  static async start(args: string[], command = 'view'): Promise<Viewer> {
    const child = spawn(program, [command, '--no-open', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, OMP_NUM_THREADS: '2', OMP_WAIT_POLICY: 'passive' },
    });
    let output = '';
    const address = await new Promise<string>((resolve, reject) => {
      const collect = (chunk: Buffer) => {
        output += chunk;
        const found = /http:\/\/\S+\/\n/.exec(output);
        if (found) resolve(found[0].trim());
      };
      child.stdout!.on('data', collect);
      child.stderr!.on('data', collect);
      child.on('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)));
    });
    return new Viewer(child, address);
  }

  /** Ctrl-C; gives the exit code. */
  async stop(): Promise<number | null> {
    if (this.process.exitCode !== null) return this.process.exitCode;
    const ended = once(this.process, 'exit');
    this.process.kill('SIGINT');
    return (await ended)[0] as number | null;
  }
}

export function launch(extra: string[] = []): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', ...extra],
  });
}

/** Everything that was asked for is drawn. */
export async function settled(page: Page) {
  // A change reaches the stage in the next frame.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await page.waitForSelector('.stage[data-ready=yes]');
}

/** The colours of the picture at points of the stage, in CSS pixels. */
export async function coloursAt(page: Page, points: (readonly [number, number])[]): Promise<number[][]> {
  return page.evaluate((all) => {
    const picture = document.querySelector<HTMLCanvasElement>('.stage .picture')!;
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [all.length, 1];
    const context = canvas.getContext('2d', { willReadFrequently: true })!;
    all.forEach(([x, y], i) => context.drawImage(picture, Math.floor(x), Math.floor(y), 1, 1, i, 0, 1, 1));
    const { data } = context.getImageData(0, 0, all.length, 1);
    return all.map((_, i) => [...data.slice(4 * i, 4 * i + 3)]);
  }, points);
}
export const colourAt = async (page: Page, x: number, y: number) => (await coloursAt(page, [[x, y]]))[0];

/** The size of the stage. */
export const stageSize = (page: Page) =>
  page.evaluate(() => {
    const { clientWidth: width, clientHeight: height } = document.querySelector<HTMLElement>('.stage')!;
    return { width, height };
  });

export async function save(page: Page, press: () => Promise<unknown>): Promise<{ name: string; bytes: Buffer }> {
  const [file] = await Promise.all([page.waitForEvent('download'), press()]);
  const chunks: Buffer[] = [];
  for await (const chunk of await file.createReadStream()) chunks.push(chunk as Buffer);
  return { name: file.suggestedFilename(), bytes: Buffer.concat(chunks) };
}
