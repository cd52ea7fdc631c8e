// The 2-D canvas, where there is no WebGL2: values go through tables of all 16-bit floats.

import type { Picture } from './layers';
import type { Backend, Patch } from './renderer';
import { channelTable, colourTable } from './shade';
import type { Rect } from './view';

interface CanvasTile {
  values: Uint16Array;
  width: number;
  height: number;
  /** The colours that were last asked for, and of which picture. */
  image: HTMLCanvasElement | null;
  shown: string;
}

const mostTables = 8;

export class CanvasBackend implements Backend<CanvasTile> {
  readonly name = '2-D canvas';
  readonly cost = 3; // the values, and four bytes a pixel for their colours
  private readonly context: CanvasRenderingContext2D;
  private readonly tables = new Map<string, Uint8Array | Uint32Array>();

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext('2d', { alpha: false })!;
  }

  upload(values: Uint16Array, width: number, height: number): CanvasTile {
    return { values, width, height, image: null, shown: '' };
  }

  release(tile: CanvasTile) {
    tile.image = null;
  }

  begin(width: number, height: number, background: [number, number, number]) {
    const { canvas, context } = this;
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    context.save();
    context.fillStyle = `rgb(${background.map((v) => Math.round(255 * v)).join(' ')})`;
    context.fillRect(0, 0, width, height);
  }

  clip({ left, top, width, height }: Rect) {
    this.context.restore();
    this.context.save();
    this.context.beginPath();
    this.context.rect(Math.round(left), Math.round(top), Math.round(left + width) - Math.round(left), Math.round(top + height) - Math.round(top));
    this.context.clip();
  }

  draw(tiles: CanvasTile[], patch: Patch, to: Rect, picture: Picture, smooth: boolean, alpha: number) {
    const image = this.coloured(tiles, picture);
    this.context.imageSmoothingEnabled = smooth;
    this.context.globalAlpha = alpha;
    this.context.drawImage(
      image,
      patch.left * image.width, patch.top * image.height,
      (patch.right - patch.left) * image.width, (patch.bottom - patch.top) * image.height,
      to.left, to.top, to.width, to.height,
    );
    this.context.globalAlpha = 1;
  }

  end() {
    this.context.restore();
  }

  private table<T extends Uint8Array | Uint32Array>(key: string, make: () => T): T {
    let table = this.tables.get(key);
    if (!table) {
      if (this.tables.size >= mostTables) this.tables.clear();
      this.tables.set(key, (table = make()));
    }
    return table as T;
  }

  private coloured(tiles: CanvasTile[], picture: Picture): HTMLCanvasElement {
    const first = tiles[0];
    const { kind, ranges, tone, unit, map, nm } = picture;
    const shown = JSON.stringify([kind, ranges, tone, unit, map, nm, picture.layers]);
    if (first.image && first.shown === shown) return first.image;
    const image = first.image ?? document.createElement('canvas');
    [image.width, image.height] = [first.width, first.height];
    const context = image.getContext('2d')!;
    const data = context.createImageData(first.width, first.height);
    const count = first.width * first.height;
    if (kind === 'map') {
      const table = this.table(JSON.stringify([map, nm, ranges[0], tone, unit]), () => colourTable(map, nm, ranges[0], tone, unit));
      const pixels = new Uint32Array(data.data.buffer);
      for (let i = 0; i < count; i++) pixels[i] = table[first.values[i]];
    } else {
      for (let k = 0; k < 3; k++) {
        const range = ranges[Math.min(k, ranges.length - 1)];
        const table = this.table(JSON.stringify(['channel', range, tone, unit]), () => channelTable(range, tone, unit));
        const values = kind === 'rgb' ? first.values : tiles[k].values;
        const [step, offset] = kind === 'rgb' ? [3, k] : [1, 0];
        for (let i = 0; i < count; i++) data.data[4 * i + k] = table[values[step * i + offset]];
      }
      for (let i = 0; i < count; i++) data.data[4 * i + 3] = 255;
    }
    context.putImageData(data, 0, 0);
    first.image = image;
    first.shown = shown;
    return image;
  }
}
