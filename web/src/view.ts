// Which part of an image is seen: a scale (screen pixels per image pixel) and the image point in the middle.

export interface View {
  scale: number;
  x: number;
  y: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Rect extends Size {
  left: number;
  top: number;
}

export const mostScale = 64;

export function fit(image: Size, pane: Size): View {
  const scale = Math.min(pane.width / image.width, pane.height / image.height);
  return { scale: scale > 0 && Number.isFinite(scale) ? scale : 1, x: image.width / 2, y: image.height / 2 };
}

export function toScreen(view: View, pane: Rect, x: number, y: number): [number, number] {
  return [
    pane.left + pane.width / 2 + (x - view.x) * view.scale,
    pane.top + pane.height / 2 + (y - view.y) * view.scale,
  ];
}

export function toImage(view: View, pane: Rect, sx: number, sy: number): [number, number] {
  return [
    view.x + (sx - pane.left - pane.width / 2) / view.scale,
    view.y + (sy - pane.top - pane.height / 2) / view.scale,
  ];
}

/** Keeps the image in reach: its middle point stays inside, the scale within a quarter of fitting and mostScale. */
export function clampView(view: View, image: Size, pane: Size): View {
  const least = fit(image, pane).scale / 4;
  return {
    scale: Math.min(Math.max(view.scale, Math.min(least, 1)), mostScale),
    x: Math.min(Math.max(view.x, 0), image.width),
    y: Math.min(Math.max(view.y, 0), image.height),
  };
}

/** Zooms by a factor; the image point under (sx, sy) stays where it is. */
export function zoomAt(view: View, pane: Rect, factor: number, sx: number, sy: number, image: Size): View {
  const [x, y] = toImage(view, pane, sx, sy);
  const { scale } = clampView({ ...view, scale: view.scale * factor }, image, pane);
  return clampView(
    {
      scale,
      x: x - (sx - pane.left - pane.width / 2) / scale,
      y: y - (sy - pane.top - pane.height / 2) / scale,
    },
    image,
    pane,
  );
}

// Levels and tiles, as src/serve/tile.h cuts them.

export function levelSize(size: number, level: number): number {
  return Math.ceil(size / 2 ** level);
}

export function lastLevel(image: Size, tile: number): number {
  let level = 0;
  while (levelSize(Math.max(image.width, image.height), level) > tile) level++;
  return level;
}

/** The coarsest level that still has a pixel for each of the screen's; `ratio` is device pixels per CSS pixel. */
export function levelFor(scale: number, ratio: number, image: Size, tile: number): number {
  const wanted = Math.floor(-Math.log2(scale * ratio) + 1e-6);
  return Math.min(Math.max(wanted, 0), lastLevel(image, tile));
}

export interface TileAddress {
  level: number;
  x: number;
  y: number;
}

/** Tiles of a level that a pane shows, those nearest to its middle first. */
export function visibleTiles(view: View, pane: Size, image: Size, level: number, tile: number): TileAddress[] {
  const span = tile * 2 ** level;
  const columns = Math.ceil(levelSize(image.width, level) / tile);
  const rows = Math.ceil(levelSize(image.height, level) / tile);
  const halfWidth = pane.width / 2 / view.scale;
  const halfHeight = pane.height / 2 / view.scale;
  const first = (centre: number, half: number) => Math.max(Math.floor((centre - half) / span), 0);
  const last = (centre: number, half: number, count: number) =>
    Math.min(Math.ceil((centre + half) / span) - 1, count - 1);
  const tiles: TileAddress[] = [];
  for (let y = first(view.y, halfHeight); y <= last(view.y, halfHeight, rows); y++) {
    for (let x = first(view.x, halfWidth); x <= last(view.x, halfWidth, columns); x++) tiles.push({ level, x, y });
  }
  const distance = (t: TileAddress) => Math.hypot((t.x + 0.5) * span - view.x, (t.y + 0.5) * span - view.y);
  return tiles.sort((a, b) => distance(a) - distance(b));
}

/** The rectangle of the image that a tile covers. */
export function tileRect(address: TileAddress, image: Size, tile: number): Rect {
  const span = tile * 2 ** address.level;
  const left = address.x * span;
  const top = address.y * span;
  return { left, top, width: Math.min(span, image.width - left), height: Math.min(span, image.height - top) };
}

/** The tile of a coarser level that covers this one. */
export function ancestor(address: TileAddress, level: number): TileAddress {
  const shift = level - address.level;
  return { level, x: address.x >> shift, y: address.y >> shift };
}
