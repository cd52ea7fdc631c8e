// What is drawn over the picture: markers, kept windows, names of panes, the swipe's line.

import type { App } from './app';
import { markerColour } from './colour';
import type { Marker } from './state';
import { toScreen, type Rect, type View } from './view';

export interface PaneMark {
  rect: Rect;
  clip: Rect;
  label: string;
  /** Labels of a right half stand at its right end. */
  right: boolean;
}

export class Overlay {
  private readonly context: CanvasRenderingContext2D;
  constructor(readonly canvas: HTMLCanvasElement) {
    this.context = canvas.getContext('2d')!;
  }

  draw(app: App, size: { width: number; height: number }, ratio: number, panes: PaneMark[], view: View,
       pending: Marker | null, hover: [number, number] | null) {
    const { canvas, context } = this;
    const [width, height] = [Math.round(size.width * ratio), Math.round(size.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, size.width, size.height);
    for (const pane of panes) {
      context.save();
      context.beginPath();
      context.rect(pane.clip.left, pane.clip.top, pane.clip.width, pane.clip.height);
      context.clip();
      if (app.state.showWindows) this.windows(app, pane, view);
      for (const { marker, index } of app.markersOn(app.source)) this.marker(marker, String(index + 1), markerColour(index), pane, view);
      if (pending) this.marker(pending, '', markerColour(app.state.markers.length), pane, view);
      if (hover && panes.length > 1) this.cross(hover, pane, view);
      context.restore();
    }
    const { compare, swipe } = app.state;
    if (compare === 'swipe' || compare === 'side') {
      const x = Math.round(size.width * (compare === 'swipe' ? swipe : 0.5)) + 0.5;
      context.strokeStyle = compare === 'swipe' ? '#fff' : 'rgb(128 128 128 / 60%)';
      context.lineWidth = compare === 'swipe' ? 2 : 1;
      if (compare === 'swipe') {
        context.shadowColor = 'rgb(0 0 0 / 60%)';
        context.shadowBlur = 4;
      }
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, size.height);
      context.stroke();
      context.shadowBlur = 0;
    }
    if (app.comparing) for (const pane of panes) this.label(pane);
  }

  private marker(marker: Marker, text: string, colour: string, pane: PaneMark, view: View) {
    const { context } = this;
    const [left, top] = toScreen(view, pane.rect, marker.x, marker.y);
    const [right, bottom] = toScreen(view, pane.rect, marker.x + marker.width, marker.y + marker.height);
    const region = marker.width * marker.height > 1;
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    for (const [style, width] of [['rgb(255 255 255 / 90%)', 4], [colour, 2]] as const) {
      context.strokeStyle = style;
      context.lineWidth = width;
      context.beginPath();
      if (region) context.rect(left, top, right - left, bottom - top);
      else context.arc(x, y, Math.max(5, (right - left) * 0.75), 0, 2 * Math.PI);
      context.stroke();
    }
    if (!text) return;
    context.font = '600 11px system-ui, sans-serif';
    const width = context.measureText(text).width + 8;
    const [bx, by] = region ? [left, top - 17] : [x + Math.max(7, (right - left) * 0.75), y - 18];
    context.fillStyle = colour;
    context.beginPath();
    context.roundRect(bx, by, width, 15, 4);
    context.fill();
    context.fillStyle = '#fff';
    context.textBaseline = 'middle';
    context.fillText(text, bx + 4, by + 8);
  }

  private cross([x, y]: [number, number], pane: PaneMark, view: View) {
    const { context } = this;
    const [sx, sy] = toScreen(view, pane.rect, x + 0.5, y + 0.5);
    for (const [style, width] of [['rgb(0 0 0 / 55%)', 3], ['rgb(255 255 255 / 90%)', 1]] as const) {
      context.strokeStyle = style;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(sx - 8, sy);
      context.lineTo(sx + 8, sy);
      context.moveTo(sx, sy - 8);
      context.lineTo(sx, sy + 8);
      context.stroke();
    }
  }

  /** Everything but the windows that were kept is darker. */
  private windows(app: App, pane: PaneMark, view: View) {
    const { model } = app.about;
    if (!model?.kept.length) return;
    const { context } = this;
    const source = app.about.sources[model.source];
    const [left, top] = toScreen(view, pane.rect, 0, 0);
    const [right, bottom] = toScreen(view, pane.rect, source.width, source.height);
    const path = new Path2D();
    path.rect(left, top, right - left, bottom - top);
    const kept = new Path2D();
    for (const [y, x, height, width] of model.kept) {
      const [l, t] = toScreen(view, pane.rect, x, y);
      const [r, b] = toScreen(view, pane.rect, Math.min(x + width, source.width), Math.min(y + height, source.height));
      kept.rect(l, t, r - l, b - t);
    }
    path.addPath(kept);
    context.fillStyle = 'rgb(0 0 0 / 55%)';
    context.fill(path, 'evenodd');
    context.strokeStyle = 'rgb(255 255 255 / 45%)';
    context.lineWidth = 1;
    context.stroke(kept);
  }

  private label({ clip, label, right }: PaneMark) {
    const { context } = this;
    context.font = '600 12px system-ui, sans-serif';
    let text = label;
    while (text.length > 4 && context.measureText(text).width > clip.width - 40) text = `${text.slice(0, -2)}…`;
    const width = context.measureText(text).width + 18;
    if (clip.width < width + 12) return;
    const x = right ? clip.left + clip.width - width - 12 : clip.left + 12;
    context.fillStyle = 'rgb(20 22 26 / 78%)';
    context.beginPath();
    context.roundRect(x, clip.top + 12, width, 24, 6);
    context.fill();
    context.fillStyle = '#fff';
    context.textBaseline = 'middle';
    context.fillText(text, x + 9, clip.top + 24.5);
  }
}
