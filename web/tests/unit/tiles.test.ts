import { afterEach, describe, expect, it, vi } from 'vitest';
import { TileStore } from '../../src/tiles';

const layer = { name: 'band-0-1', version: '0' };
const at = (x: number) => ({ level: 0, x, y: 0 });
const wish = (x: number) => ({ layer, address: at(x), channels: 1 });
const shape = () => ({ width: 2, height: 2 });

function store(limit: number) {
  const released: number[] = [];
  const errors: string[] = [];
  const made = new TileStore<Uint16Array>(
    { cost: 1, upload: (values) => values, release: (values) => void released.push(values[0]) },
    limit, () => {}, (message) => void errors.push(message),
  );
  return { made, released, errors };
}

/** A server whose tiles hold their x; answers when told to. */
function server(length = 4) {
  const asked: { x: number; signal: AbortSignal; answer: () => void }[] = [];
  vi.stubGlobal('fetch', (url: string, { signal }: { signal: AbortSignal }) =>
    new Promise((resolve, reject) => {
      const x = Number(/&x=(\d+)/.exec(url)![1]);
      signal.addEventListener('abort', () => reject(new Error('aborted')));
      asked.push({ x, signal, answer: () => resolve({ ok: true, arrayBuffer: async () => new Uint16Array(length).fill(x).buffer }) });
    }),
  );
  return asked;
}
const settle = () => new Promise((f) => setTimeout(f, 0));
afterEach(() => void vi.unstubAllGlobals());

describe('a store of tiles', () => {
  it('asks for six at a time, the first first, and each once', () => {
    const asked = server();
    const { made } = store(1e6);
    for (let i = 0; i < 3; i++) made.want([0, 1, 2, 3, 4, 5, 6, 7].map(wish), shape);
    expect(asked.map((a) => a.x)).toEqual([0, 1, 2, 3, 4, 5]);
  });
  it('holds what came', async () => {
    const asked = server();
    const { made } = store(1e6);
    made.want([wish(3)], shape);
    expect(made.has(layer, at(3))).toBe(false);
    asked[0].answer();
    await settle();
    expect(made.find(layer, at(3))).toEqual(new Uint16Array([3, 3, 3, 3]));
    expect(made.find({ ...layer, version: '1' }, at(3))).toBeNull();
    expect(made.size).toBe(8);
  });
  it('gives up what nobody wants any more', async () => {
    const asked = server();
    const { made, errors } = store(1e6);
    made.want([wish(1), wish(2)], shape);
    made.want([wish(2)], shape);
    expect(asked.map((a) => a.signal.aborted)).toEqual([true, false]);
    await settle();
    expect(errors).toEqual([]);
    expect(made.loading).toBe(1);
  });
  it('drops the oldest beyond its limit, but nothing that is shown', async () => {
    const asked = server();
    const { made, released } = store(20); // two tiles and a half
    for (const x of [0, 1, 2, 3]) {
      made.find(layer, at(1));
      made.want([wish(1), wish(x)], shape);
      asked.forEach((a) => a.answer());
      await settle();
    }
    expect(made.has(layer, at(1))).toBe(true);
    expect(released).toContain(0);
    expect(made.size).toBeLessThanOrEqual(24);
  });
  it('tells of tiles of another size, and does not ask again', async () => {
    const asked = server(3);
    const { made, errors } = store(1e6);
    made.want([wish(0)], shape);
    asked[0].answer();
    await settle();
    made.want([wish(0)], shape);
    expect(errors.length).toBe(1);
    expect(asked.length).toBe(1);
  });
});
