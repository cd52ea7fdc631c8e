// The state of the page and those who listen to it.

import { fetchAbout, fetchNews, fetchRange, Outdated, type About, type Source } from './api';
import {
  bandLayer, colourLayer, errorLayer, naturalRange, possibleMode, sameImage, sameShape, steadyRange, stretchLayers, type LayerKey,
} from './layers';
import type { Range } from './shade';
import { decodeState, encodeState, mostMarkers, type Marker, type State } from './state';

export type Listener = (state: State) => void;

/** Errors are shown up to this percentile. */
const errorPercentile = 99.5;
/** Ranges of values that are kept; a camera that runs brings new ones with every frame. */
const mostRanges = 400;

export class App {
  about!: About;
  state!: State;
  /** What a link need not tell. */
  private base!: State;
  private readonly listeners: { listener: Listener; viewToo: boolean }[] = [];
  private readonly ranges = new Map<string, Range>();
  private readonly asked = new Set<string>();
  private linkTimer = 0;
  private scheduled = false;
  private onlyView = true;

  constructor(readonly complain: (message: string) => void) {}

  /** `waiting` is told when there is nothing to show yet. */
  async open(waiting: () => void) {
    this.about = await fetchAbout();
    if (!this.about.sources.length) waiting();
    while (!this.about.sources.length) this.about = await fetchNews(this.about.news);
    this.base = this.usualState();
    this.state = this.possible(decodeState(location.hash.slice(1), this.base));
    if (!new URLSearchParams(location.hash.slice(1)).has('ev')) this.state.exposure = await this.goodExposure(this.source);
    addEventListener('hashchange', () => {
      if (location.hash.slice(1) !== encodeState(this.state, this.base)) {
        this.update(decodeState(location.hash.slice(1), { ...this.base, exposure: this.state.exposure }));
      }
    });
  }

  get source(): Source {
    return this.about.sources[this.state.a];
  }
  get other(): Source {
    return this.about.sources[this.state.b];
  }
  get truth(): Source | null {
    return this.about.truth === null ? null : this.about.sources[this.about.truth];
  }
  get comparing(): boolean {
    return this.state.compare !== 'off';
  }

  /** The truth, if it can be held against this source. */
  truthFor(source: Source): Source | null {
    const { truth } = this;
    return truth && truth.id !== source.id && sameShape(truth, source) ? truth : null;
  }

  get mode(): State['mode'] {
    return possibleMode(this.source, this.state.mode);
  }
  get band(): number {
    return Math.min(this.state.band, this.source.bands - 1);
  }

  /** Markers that lie inside of a source, with their numbers. */
  markersOn(source: Source): { marker: Marker; index: number }[] {
    return this.state.markers
      .map((marker, index) => ({ marker, index }))
      .filter(({ marker: m }) => m.x + m.width <= source.width && m.y + m.height <= source.height);
  }

  /** Sources that can be shown beside this one. */
  comparable(source: Source): Source[] {
    return this.about.sources.filter((s) => s.id !== source.id && s.role !== 'screening' && sameImage(s, source));
  }

  /** Zooming and moving, which come with every frame, are told only to those who ask for them too. */
  listen(listener: Listener, viewToo = false) {
    this.listeners.push({ listener, viewToo });
  }

  update(change: Partial<State>) {
    this.state = this.possible({ ...this.state, ...change });
    this.notify(Object.keys(change).every((key) => key === 'view' || key === 'swipe'));
  }

  /** Tells everybody, once a turn. */
  notify(onlyView = false) {
    this.onlyView &&= onlyView;
    if (!this.scheduled) {
      this.scheduled = true;
      queueMicrotask(() => {
        const all = !this.onlyView;
        this.scheduled = false;
        this.onlyView = true;
        for (const { listener, viewToo } of this.listeners) if (all || viewToo) listener(this.state);
      });
    }
    clearTimeout(this.linkTimer);
    this.linkTimer = window.setTimeout(() => history.replaceState(null, '', this.link()), 250);
  }

  link(): string {
    return `${location.pathname}#${encodeState(this.state, this.base)}`;
  }

  addMarker(marker: Marker) {
    const markers = [...this.state.markers, marker].slice(-mostMarkers);
    this.update({ markers });
  }

  /** What is outdated is no problem: newer values are on their way. */
  problem(error: Error) {
    if (!(error instanceof Outdated)) this.complain(error.message);
  }

  /** New values came: the numbers of sources stay, their versions do not. */
  replaceAbout(about: About) {
    this.about = about;
    this.notify();
  }

  private usualRange(source: Source): Range {
    return this.about.live ? steadyRange(source) : naturalRange(source);
  }

  /** What is black and what white in the picture of a source; null while that is being asked. */
  rangesFor(source: Source): Range[] | null {
    const layers = stretchLayers(source, this.state);
    if (this.state.stretch === 0) return layers.map(() => this.usualRange(source));
    const found = layers.map((layer) => this.range(layer, this.state.stretch, 100 - this.state.stretch));
    return found.every((r) => r !== null) ? (found as Range[]) : null;
  }

  /** The largest error that the error map tells apart. */
  errorScale(): number | null {
    const { source, other, state } = this;
    const layer = errorLayer(source, other, state.errorMean ? 'mean' : this.band);
    const range = this.range(layer, 0, errorPercentile);
    return range ? range.high || 1e-6 : null;
  }

  private range(layer: LayerKey, low: number, high: number): Range | null {
    const key = `${layer.name}@${layer.version}:${low}-${high}`;
    const known = this.ranges.get(key);
    if (known) return known;
    if (!this.asked.has(key)) {
      if (this.asked.size >= mostRanges) {
        this.asked.clear();
        this.ranges.clear();
      }
      this.asked.add(key);
      fetchRange(layer.name, layer.version, low, high)
        .then((range) => {
          this.ranges.set(key, range);
          this.notify();
        })
        .catch((error: Error) => this.problem(error));
    }
    return null;
  }

  /** Stops that bring all but the brightest hundredth below white; never darker, and 0 where it is nearly right. */
  private async goodExposure(source: Source): Promise<number> {
    const layer = possibleMode(source, 'colour') === 'colour' ? colourLayer(source) : bandLayer(source, source.bands >> 1);
    try {
      const { high } = await fetchRange(layer.name, layer.version, 0, 99);
      const stops = Math.log2((0.9 * this.usualRange(source).high) / high);
      return Number.isFinite(stops) ? Math.max(0, Math.min(8, Math.round(4 * stops) / 4)) : 0;
    } catch {
      return 0;
    }
  }

  private usualState(): State {
    const { sources, truth } = this.about;
    const first = sources[0];
    const other = [truth !== null && truth !== 0 ? sources[truth] : undefined, ...this.comparable(first)].find(
      (s) => s && sameImage(s, first),
    );
    return {
      a: 0,
      b: other?.id ?? 0,
      compare: 'off',
      mode: 'colour',
      band: first.bands >> 1,
      falseBands: [Math.round(0.8 * (first.bands - 1)), Math.round(0.45 * (first.bands - 1)), Math.round(0.1 * (first.bands - 1))],
      map: 'grey',
      errorMean: true,
      exposure: 0,
      gamma: 1,
      stretch: 0,
      swipe: 0.5,
      view: null,
      markers: [],
      showScreening: false,
      showWindows: false,
      sigma: this.about.model?.sigma ?? null,
    };
  }

  /** The state with what does not fit the sources put right. */
  private possible(wanted: State): State {
    const { sources } = this.about;
    const state = { ...wanted };
    if (!sources[state.a]) state.a = 0;
    const source = sources[state.a];
    const others = this.comparable(source);
    if (!others.some((s) => s.id === state.b)) state.b = (others.find((s) => s.role === 'truth') ?? others[0] ?? source).id;
    if (!others.length) state.compare = 'off';
    if (state.compare === 'error' && !sameShape(source, sources[state.b])) state.compare = 'side';
    // Bands beyond this source's may exist in another one: layers.ts takes the nearest.
    const most = Math.max(...sources.map((s) => s.bands)) - 1;
    state.band = Math.min(state.band, most);
    state.falseBands = state.falseBands.map((b) => Math.min(b, most)) as State['falseBands'];
    return state;
  }
}
