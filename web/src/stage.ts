// The picture: panes, zoom and pan, markers, regions, comparison.

import type { App } from './app';
import { fetchSpectrum, type About, type Source } from './api';
import { CanvasBackend } from './canvas';
import { mapColour, cssColour } from './colour';
import { fillTrack, h, icon } from './dom';
import { GlBackend } from './gl';
import { errorPicture, screeningPicture, sourcePicture, wavelengthOf, type Picture } from './layers';
import { Overlay, type PaneMark } from './overlay';
import { Renderer, type Pane } from './renderer';
import type { Marker } from './state';
import { clampView, fit, toImage, zoomAt, type Rect, type View } from './view';

const blinkTime = 700;
/** Moves of fewer pixels are a click. */
const clickDistance = 4;

export interface Hover {
  x: number;
  y: number;
  source: number;
  mean: number[];
}

export class Stage {
  readonly element: HTMLElement;
  /** Called with the spectrum under the pointer; null when it leaves. */
  onHover: (hover: Hover | null) => void = () => {};
  private readonly picture = h('canvas', { class: 'picture', role: 'img' });
  private readonly overlay = new Overlay(h('canvas', { class: 'overlay', tabIndex: 0, 'aria-label': 'Image: drag to move, wheel to zoom, click for a spectrum, shift-drag for a region' }));
  private readonly swipe = h('input', { class: 'swipe', type: 'range', min: '0', max: '1', step: '0.005', 'aria-label': 'Swipe position' });
  private readonly bar = h('div', { class: 'colour-bar', role: 'img' });
  private readonly status = h('div', { class: 'status', 'aria-live': 'off' });
  private readonly zoomText = h('output', { class: 'zoom-text', 'aria-label': 'Zoom' });
  private readonly renderer: Renderer<any>;
  private readonly size = { width: 1, height: 1 };
  private frameRequested = false;
  private blinkOther = false;
  private blinkTimer = 0;
  private pending: Marker | null = null;
  private hover: [number, number] | null = null;
  private hoverBusy = false;
  private hoverNext: [number, number, Source] | null = null;
  /** Bands that will be shown next, while playing. */
  private ahead: number[] = [];
  /** Of newer values, which are being fetched. */
  private next: Picture[] = [];

  constructor(private readonly app: App, forceCanvas: boolean) {
    const gl = forceCanvas ? null : GlBackend.create(this.picture);
    const backend = gl ?? new CanvasBackend(this.picture);
    this.renderer = new Renderer<any>(backend as any, app.about.tile, () => this.draw(), app.complain);
    if (gl) {
      this.picture.addEventListener('webglcontextlost', (event) => event.preventDefault());
      this.picture.addEventListener('webglcontextrestored', () => {
        gl.prepare();
        this.renderer.forget();
        this.draw();
      });
    }
    const button = (name: string, label: string, onclick: () => void) =>
      h('button', { type: 'button', class: 'tool', title: label, 'aria-label': label, onclick }, icon(name));
    this.element = h(
      'section',
      { class: 'stage', 'aria-label': 'Image', 'data-renderer': backend.name },
      this.picture,
      this.overlay.canvas,
      this.swipe,
      this.bar,
      h('div', { class: 'corner' },
        this.status,
        h('div', { class: 'tools', role: 'group', 'aria-label': 'Zoom' },
          button('minus', 'Zoom out (−)', () => this.zoom(1 / 1.5)),
          this.zoomText,
          button('plus', 'Zoom in (+)', () => this.zoom(1.5)),
          button('fit', 'Whole image (0)', () => this.fit()))),
    );
    this.swipe.addEventListener('input', () => app.update({ swipe: this.swipe.valueAsNumber }));
    this.listenToPointer();
    new ResizeObserver(() => this.resized()).observe(this.element);
    app.listen(() => this.refresh(), true);
  }

  /** The zoom and place that are shown. */
  get view(): View {
    return this.app.state.view ?? fit(this.app.source, this.panes()[0].rect);
  }

  zoom(factor: number) {
    const pane = this.panes()[0].rect;
    this.setView(zoomAt(this.view, pane, factor, pane.left + pane.width / 2, pane.top + pane.height / 2, this.app.source));
  }
  /** One image pixel on `scale` of the screen's. */
  zoomTo(scale: number) {
    this.setView(clampView({ ...this.view, scale }, this.app.source, this.panes()[0].rect));
  }
  fit() {
    this.app.update({ view: null });
  }
  pan(dx: number, dy: number) {
    const view = this.view;
    this.setView(clampView({ ...view, x: view.x + dx / view.scale, y: view.y + dy / view.scale }, this.app.source, this.panes()[0].rect));
  }
  prefetch(bands: number[]) {
    this.ahead = bands;
  }

  /** Fetches what the picture needs of newer values, so that it is then drawn once, and whole. */
  async load(about: About) {
    const { app, size } = this;
    const { state } = app;
    if (state.compare === 'error' || size.width < 2) return;
    const sources = app.comparing ? [about.sources[state.a], about.sources[state.b]] : [about.sources[state.a]];
    this.next = sources.flatMap((source) => {
      const ranges = app.rangesFor(source);
      return ranges ? [sourcePicture(source, state, ranges)] : [];
    });
    await this.renderer.load(this.next, this.panes()[0].rect, this.view, devicePixelRatio || 1);
    this.next = [];
  }

  /** The picture and what is drawn over it. */
  async png(): Promise<Blob> {
    await this.settled();
    const canvas = h('canvas', { width: this.picture.width, height: this.picture.height });
    const context = canvas.getContext('2d')!;
    context.drawImage(this.picture, 0, 0);
    context.drawImage(this.overlay.canvas, 0, 0);
    return new Promise((resolve, reject) => canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png'));
  }

  /** Until every tile is there. */
  private async settled() {
    for (let i = 0; i < 600 && this.element.dataset.ready !== 'yes'; i++) await new Promise((f) => setTimeout(f, 16));
    this.paint();
  }

  private setView(view: View) {
    this.app.update({ view });
  }

  private resized() {
    this.size.width = Math.max(this.element.clientWidth, 1);
    this.size.height = Math.max(this.element.clientHeight, 1);
    this.draw();
  }

  private refresh() {
    const { state } = this.app;
    this.swipe.hidden = state.compare !== 'swipe';
    if (this.swipe.valueAsNumber !== state.swipe) this.swipe.value = String(state.swipe);
    fillTrack(this.swipe);
    const blinking = state.compare === 'blink';
    if (blinking && !this.blinkTimer) {
      this.blinkTimer = window.setInterval(() => {
        this.blinkOther = !this.blinkOther;
        this.draw();
      }, blinkTime);
    } else if (!blinking && this.blinkTimer) {
      clearInterval(this.blinkTimer);
      this.blinkTimer = 0;
      this.blinkOther = false;
    }
    this.element.dataset.ready = 'no';
    this.draw();
  }

  private draw() {
    if (this.frameRequested) return;
    this.frameRequested = true;
    requestAnimationFrame(() => {
      this.frameRequested = false;
      this.paint();
    });
  }

  /** Where the panes are, and what they show. */
  private panes(): (Pick<Pane, 'rect' | 'clip'> & { shows: 'a' | 'b' | 'error' })[] {
    const { width, height } = this.size;
    const all: Rect = { left: 0, top: 0, width, height };
    const { compare, swipe } = this.app.state;
    if (compare === 'side') {
      const half = width / 2;
      const right: Rect = { left: half, top: 0, width: half, height };
      return [{ rect: { ...all, width: half }, clip: { ...all, width: half }, shows: 'a' }, { rect: right, clip: right, shows: 'b' }];
    }
    if (compare === 'swipe') {
      const at = width * swipe;
      return [
        { rect: all, clip: { ...all, width: at }, shows: 'a' },
        { rect: all, clip: { left: at, top: 0, width: width - at, height }, shows: 'b' },
      ];
    }
    if (compare === 'blink') return [{ rect: all, clip: all, shows: this.blinkOther ? 'b' : 'a' }];
    return [{ rect: all, clip: all, shows: compare === 'error' ? 'error' : 'a' }];
  }

  private pictureOf(shows: 'a' | 'b' | 'error'): Picture | null {
    const { app } = this;
    if (shows === 'error') {
      const most = app.errorScale();
      return most === null ? null : errorPicture(app.source, app.other, app.state, most);
    }
    // Both by the same range: what looks different is different.
    const ranges = app.rangesFor(app.source);
    if (!ranges) return null;
    const source = shows === 'a' ? app.source : app.other;
    const fitting = source.bands === app.source.bands ? ranges : app.rangesFor(source);
    return fitting && sourcePicture(source, app.state, fitting);
  }

  private overlayOf(shows: 'a' | 'b' | 'error'): Picture | null {
    const { app } = this;
    const { model } = app.about;
    if (!app.state.showScreening || !model || model.screening === null || shows === 'error') return null;
    const source = shows === 'a' ? app.source : app.other;
    return source.id === model.source ? screeningPicture(app.about.sources[model.screening]) : null;
  }

  private paint() {
    const { app, size } = this;
    const ratio = devicePixelRatio || 1;
    const view = this.view;
    const places = this.panes();
    const panes: Pane[] = [];
    for (const place of places) {
      const picture = this.pictureOf(place.shows);
      if (picture) panes.push({ ...place, picture, overlay: this.overlayOf(place.shows) });
    }
    if (panes.length < places.length) return; // a range is being asked for; the last frame stays
    const ahead = this.ahead.map((band) => sourcePicture(app.source, { ...app.state, mode: 'band', band }, panes[0].picture.ranges));
    const whole = this.renderer.frame(size, ratio, backgroundOf(this.element), panes, view, [...this.next, ...ahead]);
    this.element.dataset.ready = whole ? 'yes' : 'no';
    const names = { a: app.source.name, b: app.other.name, error: `|${app.source.name} − ${app.other.name}|` };
    const marks: PaneMark[] = places.map((place, i) => ({ ...place, label: names[place.shows], right: i === 1 }));
    this.overlay.draw(app, size, ratio, marks, view, this.pending, this.hover);
    this.zoomText.textContent = `${view.scale >= 0.1 ? Math.round(100 * view.scale) : (100 * view.scale).toFixed(1)} %`;
    this.picture.setAttribute('aria-label', this.describe());
    this.drawBar(panes[0].picture);
  }

  private describe(): string {
    const { app } = this;
    const name = app.comparing ? `${app.source.name} and ${app.other.name}` : app.source.name;
    const nm = wavelengthOf(app.source, app.band);
    if (app.state.compare === 'error') return `Error map of ${name}, ${app.state.errorMean ? 'mean over bands' : `band ${app.band + 1}`}`;
    if (app.mode === 'colour') return `${name} in colour`;
    if (app.mode === 'false') return `${name} in false colour`;
    return `${name}, band ${app.band + 1}${nm === null ? '' : `, ${nm} nm`}`;
  }

  /** The legend of a mapped picture. */
  private drawBar(picture: Picture) {
    const mapped = picture.kind === 'map';
    this.bar.hidden = !mapped;
    if (!mapped) return;
    const { low, high } = picture.ranges[0];
    const top = low + (high - low) / 2 ** picture.tone.exposure;
    const key = JSON.stringify([picture.map, picture.nm, low, top, picture.tone.gamma]);
    if (this.bar.dataset.key === key) return;
    this.bar.dataset.key = key;
    const stops = Array.from({ length: 17 }, (_, i) => cssColour(mapColour(picture.map, (i / 16) ** (1 / picture.tone.gamma), picture.nm)));
    const strip = h('div', { class: 'strip' });
    strip.style.background = `linear-gradient(to right, ${stops.join(', ')})`;
    const number = (v: number) => (v === 0 ? '0' : Number(v.toPrecision(3)).toString());
    this.bar.replaceChildren(h('span', {}, number(low)), strip, h('span', {}, number(top)));
    this.bar.setAttribute('aria-label', `Colours from ${number(low)} to ${number(top)}`);
  }

  private paneAt(x: number): Rect {
    const panes = this.panes();
    return (this.app.state.compare === 'side' && x >= this.size.width / 2 ? panes[1] : panes[0]).rect;
  }

  private sourceAt(x: number): Source {
    const { compare, swipe } = this.app.state;
    const other =
      (compare === 'side' && x >= this.size.width / 2) ||
      (compare === 'swipe' && x >= this.size.width * swipe) ||
      (compare === 'blink' && this.blinkOther);
    return other ? this.app.other : this.app.source;
  }

  private listenToPointer() {
    const target = this.overlay.canvas;
    const fingers = new Map<number, [number, number]>();
    let start: [number, number] | null = null;
    let moved = false;
    let region: [number, number] | null = null;
    const place = (event: MouseEvent): [number, number] => [event.offsetX, event.offsetY];
    const pixel = ([sx, sy]: [number, number]): [number, number] => {
      const [x, y] = toImage(this.view, this.paneAt(sx), sx, sy);
      return [Math.floor(x), Math.floor(y)];
    };
    const inside = ([x, y]: [number, number]) => x >= 0 && y >= 0 && x < this.app.source.width && y < this.app.source.height;

    target.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      target.setPointerCapture(event.pointerId);
      target.focus({ preventScroll: true });
      fingers.set(event.pointerId, place(event));
      start = place(event);
      moved = false;
      region = event.shiftKey && inside(pixel(start)) ? pixel(start) : null;
    });
    target.addEventListener('pointermove', (event) => {
      const now = place(event);
      const before = fingers.get(event.pointerId);
      if (!before || !start) return this.point(now, pixel(now), inside(pixel(now)));
      if (Math.hypot(now[0] - start[0], now[1] - start[1]) >= clickDistance) moved = true;
      if (fingers.size === 2) {
        const [, other] = [...fingers].find(([id]) => id !== event.pointerId)!;
        const factor = Math.hypot(now[0] - other[0], now[1] - other[1]) / (Math.hypot(before[0] - other[0], before[1] - other[1]) || 1);
        const middle: [number, number] = [(now[0] + other[0]) / 2, (now[1] + other[1]) / 2];
        this.setView(zoomAt(this.view, this.paneAt(middle[0]), factor, ...middle, this.app.source));
        moved = true;
      } else if (region) {
        this.pending = this.regionBetween(region, pixel(now));
        this.draw();
      } else if (moved) {
        this.pan(before[0] - now[0], before[1] - now[1]);
      }
      fingers.set(event.pointerId, now);
    });
    const up = (event: PointerEvent) => {
      if (!fingers.delete(event.pointerId) || !start || fingers.size) return;
      const at = pixel(start);
      if (event.type === 'pointerup') {
        if (region && moved) this.app.addMarker(this.regionBetween(region, pixel(place(event))));
        else if (!moved && inside(at)) this.app.addMarker({ x: at[0], y: at[1], width: 1, height: 1 });
      }
      start = region = this.pending = null;
      this.draw();
    };
    target.addEventListener('pointerup', up);
    target.addEventListener('pointercancel', up);
    target.addEventListener('pointerleave', () => {
      this.hover = null;
      this.hoverNext = null;
      this.status.textContent = '';
      this.onHover(null);
      this.draw();
    });
    target.addEventListener('wheel', (event) => {
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 30 : 1;
      const factor = Math.exp(-Math.max(-240, Math.min(240, event.deltaY * lines)) * (event.ctrlKey ? 0.01 : 0.0022));
      const [x, y] = place(event);
      this.setView(zoomAt(this.view, this.paneAt(x), factor, x, y, this.app.source));
    }, { passive: false });
  }

  private regionBetween([x0, y0]: [number, number], [x1, y1]: [number, number]): Marker {
    const { width, height } = this.app.source;
    const within = (v: number, size: number) => Math.min(Math.max(v, 0), size - 1);
    const [left, right] = [within(Math.min(x0, x1), width), within(Math.max(x0, x1), width)];
    const [top, bottom] = [within(Math.min(y0, y1), height), within(Math.max(y0, y1), height)];
    return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
  }

  private point([sx]: [number, number], [x, y]: [number, number], inside: boolean) {
    if (!inside) {
      this.hover = null;
      this.status.textContent = '';
      this.onHover(null);
      return;
    }
    if (!this.hover || this.hover[0] !== x || this.hover[1] !== y) {
      this.hover = [x, y];
      if (this.app.comparing) this.draw();
    }
    this.hoverNext = [x, y, this.sourceAt(sx)];
    void this.askHover();
  }

  /** One request at a time; only the newest place counts. */
  private async askHover() {
    if (this.hoverBusy) return;
    this.hoverBusy = true;
    try {
      while (this.hoverNext) {
        const [x, y, source] = this.hoverNext;
        this.hoverNext = null;
        const { mean } = await fetchSpectrum(source, { x, y, width: 1, height: 1 });
        if (!this.hover) break;
        const value = mean[Math.min(this.app.state.band, mean.length - 1)];
        this.status.textContent = this.app.mode === 'band' ? `x ${x}  y ${y}  ${value.toPrecision(4)}` : `x ${x}  y ${y}`;
        this.onHover({ x, y, source: source.id, mean });
      }
    } catch (error) {
      this.app.problem(error as Error);
    } finally {
      this.hoverBusy = false;
    }
  }
}

/** The stage's background, as the style sheet has it. */
function backgroundOf(element: HTMLElement): [number, number, number] {
  const numbers = getComputedStyle(element).backgroundColor.match(/[\d.]+/g)?.map(Number) ?? [];
  return [numbers[0] ?? 0, numbers[1] ?? 0, numbers[2] ?? 0].map((v) => v / 255) as [number, number, number];
}
