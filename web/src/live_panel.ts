// A camera that runs: asks for the newest frame when the last one is drawn, and tells how fast it goes.

import type { App } from './app';
import { fetchNews, type About, type Live } from './api';
import { h } from './dom';

/** A frame that is not drawn after so long (a page in the background draws nothing) does not hold up the next. */
const longestWait = 1000;
const pause = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));

/** "shot_012.tif · 0.14 s after it came · 7.1 cubes/s · 3 waiting" */
export function liveText(live: Live): string {
  const parts = [live.frame, `${live.latency.toFixed(2)} s after it came`];
  if (live.per_second) parts.push(`${live.per_second.toFixed(1)} cubes/s`);
  if (live.waiting) parts.push(`${live.waiting} waiting`);
  if (live.dropped) parts.push(`${live.dropped} dropped`);
  if (live.passed_over) parts.push(`${live.passed_over} passed over`);
  return parts.join(' · ');
}

export class LivePanel {
  readonly element: HTMLElement;
  private readonly text = h('p', { class: 'hint', role: 'status', 'aria-live': 'off' });
  private readonly hold: HTMLButtonElement;
  private held = false;
  private release: () => void = () => {};

  /** `ready` tells whether all of the newest frame is on the screen; `load` fetches what its picture needs. */
  constructor(private readonly app: App, private readonly ready: () => boolean, private readonly load: (about: About) => Promise<void>) {
    this.hold = h('button', { type: 'button', class: 'quiet', 'aria-pressed': 'false', title: 'Keep this frame on the screen; the camera goes on',
      onclick: () => this.setHeld(!this.held) }, 'Hold');
    this.element = h('section', { class: 'panel', 'aria-labelledby': 'live-title' },
      h('header', {}, h('h2', { id: 'live-title' }, 'Live'), h('div', { class: 'actions' }, this.hold)), this.text);
    this.element.hidden = !app.about.live;
    if (!app.about.live) return;
    this.show();
    void this.run(app.about.news);
  }

  private setHeld(held: boolean) {
    this.held = held;
    this.hold.setAttribute('aria-pressed', String(held));
    this.hold.textContent = held ? 'Go on' : 'Hold';
    if (!held) this.release();
  }

  private show() {
    if (this.app.about.live) this.text.textContent = liveText(this.app.about.live);
    this.element.dataset.news = String(this.app.about.news);
  }

  private async run(news: number) {
    try {
      while (true) {
        const about = await fetchNews(news);
        if (this.held) {
          await new Promise<void>((go) => (this.release = go));
          continue; // with what is newest by then
        }
        if (about.news === news) {
          await pause(200);
          continue;
        }
        news = about.news;
        await Promise.race([this.load(about), pause(longestWait)]);
        this.app.replaceAbout(about);
        this.show();
        await this.drawn();
      }
    } catch (error) {
      this.text.textContent = `The program has ended, or cannot be reached (${(error as Error).message}). This is the last frame.`;
      this.hold.disabled = true;
    }
  }

  private async drawn() {
    const until = performance.now() + longestWait;
    do await pause(4);
    while (!this.ready() && performance.now() < until);
  }
}
