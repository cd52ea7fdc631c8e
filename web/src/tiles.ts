// Tiles that were fetched, as many as fit into a limit of bytes, and those on their way.

import { fetchTile, Outdated } from './api';
import type { LayerKey } from './layers';
import type { TileAddress } from './view';

const mostRequests = 6;
/** Of tiles that could not be had: remembered, so that they are not asked for again and again. */
const mostFailed = 1000;

export interface Tile<Drawable> {
  drawable: Drawable;
  bytes: number;
  /** When it was last used; counts frames. */
  used: number;
}

/** Makes of a tile's values what a renderer draws; `channels` is 1 or 3. */
export interface Uploader<Drawable> {
  /** Bytes that a byte of a tile takes in the end. */
  readonly cost: number;
  upload(values: Uint16Array, width: number, height: number, channels: number): Drawable;
  release(drawable: Drawable): void;
}

export class TileStore<Drawable> {
  private readonly tiles = new Map<string, Tile<Drawable>>();
  private readonly pending = new Map<string, AbortController>();
  private readonly loads = new Set<Promise<void>>();
  private readonly failed = new Set<string>();
  private frame = 0;
  private bytes = 0;

  constructor(
    private readonly uploader: Uploader<Drawable>,
    private readonly limit: number,
    private readonly onChange: () => void,
    private readonly onError: (message: string) => void,
  ) {}

  static key(layer: LayerKey, { level, x, y }: TileAddress): string {
    return `${layer.name}@${layer.version}/${level}/${x}/${y}`;
  }

  get size() {
    return this.bytes;
  }
  get loading() {
    return this.pending.size;
  }

  find(layer: LayerKey, address: TileAddress): Drawable | null {
    const tile = this.tiles.get(TileStore.key(layer, address));
    if (!tile) return null;
    tile.used = this.frame;
    return tile.drawable;
  }

  has(layer: LayerKey, address: TileAddress) {
    return this.tiles.has(TileStore.key(layer, address));
  }

  /**
   * Fetches what of the wanted is not there, the first first, and gives up on what is no longer wanted.
   * `shape` gives a tile's pixels.
   */
  want(
    wanted: { layer: LayerKey; address: TileAddress; channels: number }[],
    shape: (address: TileAddress) => { width: number; height: number },
  ) {
    this.frame++;
    const keys = new Set(wanted.map((w) => TileStore.key(w.layer, w.address)));
    for (const [key, controller] of this.pending) {
      if (!keys.has(key)) {
        controller.abort();
        this.pending.delete(key);
      }
    }
    for (const { layer, address, channels } of wanted) {
      if (this.pending.size >= mostRequests) break;
      const key = TileStore.key(layer, address);
      if (this.tiles.has(key) || this.pending.has(key) || this.failed.has(key)) continue;
      const load = this.load(key, layer, address, channels, shape(address));
      this.loads.add(load);
      void load.finally(() => this.loads.delete(load));
    }
  }

  /** Until what is on its way now has come, or failed. */
  async settled() {
    await Promise.all(this.loads);
  }

  clear() {
    for (const controller of this.pending.values()) controller.abort();
    this.pending.clear();
    for (const tile of this.tiles.values()) this.uploader.release(tile.drawable);
    this.tiles.clear();
    this.bytes = 0;
  }

  private async load(
    key: string,
    layer: LayerKey,
    address: TileAddress,
    channels: number,
    { width, height }: { width: number; height: number },
  ) {
    const controller = new AbortController();
    this.pending.set(key, controller);
    try {
      const values = await fetchTile(layer.name, layer.version, address.level, address.x, address.y, controller.signal);
      if (controller.signal.aborted) return;
      if (values.length !== width * height * channels) throw new Error(`tile ${key} has ${values.length} values`);
      const bytes = values.byteLength * this.uploader.cost;
      this.tiles.set(key, { drawable: this.uploader.upload(values, width, height, channels), bytes, used: this.frame });
      this.bytes += bytes;
      this.shrink();
    } catch (error) {
      if (controller.signal.aborted) return;
      if (this.failed.size >= mostFailed) this.failed.clear();
      this.failed.add(key);
      if (!(error instanceof Outdated)) this.onError((error as Error).message);
    } finally {
      if (this.pending.get(key) === controller) this.pending.delete(key);
    }
    this.onChange();
  }

  /** Drops the tiles that were not used for longest. */
  private shrink() {
    if (this.bytes <= this.limit) return;
    const old = [...this.tiles].sort(([, p], [, q]) => p.used - q.used);
    for (const [key, tile] of old) {
      if (this.bytes <= this.limit || tile.used >= this.frame - 1) break;
      this.uploader.release(tile.drawable);
      this.tiles.delete(key);
      this.bytes -= tile.bytes;
    }
  }
}
