// Draws pictures made of tiles. What is drawn where is decided here; gl.ts and canvas.ts fill rectangles.

import type { Picture } from './layers';
import { TileStore, type Uploader } from './tiles';
import {
  ancestor, lastLevel, levelFor, levelSize, tileRect, toScreen, visibleTiles,
  type Rect, type TileAddress, type View,
} from './view';

/** Pixels of a texture: in units of its size, 0 … 1. */
export interface Patch {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Backend<Drawable> extends Uploader<Drawable> {
  readonly name: string;
  /** Starts a frame of that many device pixels. */
  begin(width: number, height: number, background: [number, number, number]): void;
  /** What follows is seen only here. Device pixels from the top left. */
  clip(rect: Rect): void;
  /** Fills a rectangle with a patch of the tile (or of three) of a picture. `smooth` mixes neighbouring pixels. */
  draw(tiles: Drawable[], patch: Patch, to: Rect, picture: Picture, smooth: boolean, alpha: number): void;
  end(): void;
}

export interface Pane {
  /** CSS pixels in the canvas. */
  rect: Rect;
  /** Where it is seen: a part of rect. */
  clip: Rect;
  picture: Picture;
  /** On top of the picture, half transparent. */
  overlay: Picture | null;
}

/** Tiles that are not seen are kept up to this much; a screen of 1600×1000 pixels in colour needs 15 MB. */
const tileBytes = 20 * 2 ** 20;

const channelsOf = (picture: Picture) => (picture.kind === 'rgb' ? 3 : 1);

export class Renderer<Drawable> {
  readonly store: TileStore<Drawable>;
  /** Per pane, what was last drawn without holes: shown until the next one is there. */
  private readonly complete = new Map<string, Picture>();
  private want: { layer: Picture['layers'][number]; address: TileAddress; channels: number; picture: Picture }[] = [];

  constructor(
    readonly backend: Backend<Drawable>,
    private readonly tile: number,
    onChange: () => void,
    onError: (message: string) => void,
  ) {
    this.store = new TileStore<Drawable>(backend, tileBytes, onChange, onError);
  }

  /** Draws all panes; `ahead` are pictures that will be wanted soon. True if nothing was missing. */
  frame(size: { width: number; height: number }, ratio: number, background: [number, number, number],
        panes: Pane[], view: View, ahead: Picture[]): boolean {
    this.want = [];
    this.backend.begin(Math.round(size.width * ratio), Math.round(size.height * ratio), background);
    let whole = true;
    panes.forEach((pane, i) => {
      this.backend.clip(scaled(pane.clip, ratio));
      whole = this.pane(`${i}`, pane.picture, pane, view, ratio, 1) && whole;
      if (pane.overlay) whole = this.pane(`${i}+`, pane.overlay, pane, view, ratio, 0.55) && whole;
    });
    this.backend.end();
    if (panes.length) for (const picture of ahead) this.enqueue(picture, panes[0].rect, view, ratio);
    this.fetch();
    return whole && this.store.loading === 0;
  }

  /** Fetches what pictures that come next will need; most of it is there when this is done. */
  async load(pictures: Picture[], rect: Rect, view: View, ratio: number) {
    this.want = [];
    for (const picture of pictures) this.enqueue(picture, rect, view, ratio);
    this.fetch();
    await this.store.settled();
  }

  private fetch() {
    // One shape function serves all: tiles of equal addresses of pictures of equal size are alike.
    const shapes = new Map(this.want.map((w) => [w.address, w.picture]));
    this.store.want(this.want, (address) => {
      const picture = shapes.get(address)!;
      return {
        width: Math.min(this.tile, levelSize(picture.width, address.level) - address.x * this.tile),
        height: Math.min(this.tile, levelSize(picture.height, address.level) - address.y * this.tile),
      };
    });
  }

  forget() {
    this.complete.clear();
    this.store.clear();
  }

  private enqueue(picture: Picture, rect: Rect, view: View, ratio: number): TileAddress[] {
    const top = lastLevel(picture, this.tile);
    const level = levelFor(view.scale, ratio, picture, this.tile);
    const tiles = visibleTiles(view, rect, picture, level, this.tile);
    const add = (address: TileAddress) => {
      for (const layer of picture.layers) this.want.push({ layer, address, channels: channelsOf(picture), picture });
    };
    if (level !== top) add({ level: top, x: 0, y: 0 });
    tiles.forEach(add);
    return tiles;
  }

  /** The tile itself or the nearest ancestor that is there. */
  private best(picture: Picture, address: TileAddress): { tiles: Drawable[]; from: TileAddress } | null {
    for (let level = address.level; level <= lastLevel(picture, this.tile); level++) {
      const from = ancestor(address, level);
      if (!picture.layers.every((layer) => this.store.has(layer, from))) continue;
      return { tiles: picture.layers.map((layer) => this.store.find(layer, from)!), from };
    }
    return null;
  }

  private pane(key: string, wanted: Picture, { rect }: Pane, view: View, ratio: number, alpha: number): boolean {
    const tiles = this.enqueue(wanted, rect, view, ratio);
    const covered = tiles.every((t) => this.best(wanted, t));
    const before = this.complete.get(key);
    const picture = !covered && before && before.width === wanted.width && before.height === wanted.height ? before : wanted;
    if (covered) this.complete.set(key, wanted);
    let exact = picture === wanted;
    const level = levelFor(view.scale, ratio, picture, this.tile);
    for (const address of visibleTiles(view, rect, picture, level, this.tile)) {
      const found = this.best(picture, address);
      if (!found) {
        exact = false;
        continue;
      }
      if (found.from.level !== address.level) exact = false;
      const part = tileRect(address, picture, this.tile);
      // A texture of a level covers whole blocks, also where the image ends inside of one.
      const block = 2 ** found.from.level;
      const origin = { x: found.from.x * this.tile * block, y: found.from.y * this.tile * block };
      const texture = {
        width: Math.min(this.tile, levelSize(picture.width, found.from.level) - found.from.x * this.tile) * block,
        height: Math.min(this.tile, levelSize(picture.height, found.from.level) - found.from.y * this.tile) * block,
      };
      const patch = {
        left: (part.left - origin.x) / texture.width,
        top: (part.top - origin.y) / texture.height,
        right: (part.left + part.width - origin.x) / texture.width,
        bottom: (part.top + part.height - origin.y) / texture.height,
      };
      const [left, top] = toScreen(view, rect, part.left, part.top);
      const [right, bottom] = toScreen(view, rect, part.left + part.width, part.top + part.height);
      const smooth = view.scale * ratio * block < 1.999;
      this.backend.draw(found.tiles, patch, scaled({ left, top, width: right - left, height: bottom - top }, ratio),
        picture, smooth, alpha);
    }
    return exact;
  }
}

function scaled(rect: Rect, ratio: number): Rect {
  return { left: rect.left * ratio, top: rect.top * ratio, width: rect.width * ratio, height: rect.height * ratio };
}
