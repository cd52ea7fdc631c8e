// The band slider, and playing through the bands.

import type { App } from './app';
import { bandText } from './axis';
import { cssColour, wavelengthTint } from './colour';
import { fillTrack, h, icon } from './dom';
import type { Stage } from './stage';

const framesPerSecond = 8;

export class Transport {
  readonly element: HTMLElement;
  private readonly slider = h('input', { type: 'range', class: 'bands', min: '0', step: '1', 'aria-label': 'Band' });
  private readonly playButton: HTMLButtonElement;
  private timer = 0;

  constructor(private readonly app: App, private readonly stage: Stage) {
    const tool = (name: string, label: string, onclick: () => void) =>
      h('button', { type: 'button', class: 'tool', title: label, 'aria-label': label, onclick }, icon(name));
    this.playButton = tool('play', 'Play through the bands (Space)', () => this.toggle());
    const text = h('output', { class: 'band-text' });
    const count = h('span', { class: 'band-count' });
    this.slider.addEventListener('input', () => this.go(this.slider.valueAsNumber));
    this.element = h('footer', { class: 'transport', 'aria-label': 'Bands' },
      this.playButton, tool('previous', 'Previous band (←)', () => this.step(-1)), tool('next', 'Next band (→)', () => this.step(1)),
      this.slider, h('div', { class: 'band-label' }, text, count));
    app.listen((state) => {
      const { source, band } = app;
      this.element.hidden = source.bands < 2;
      this.slider.max = String(source.bands - 1);
      this.slider.value = String(band);
      fillTrack(this.slider);
      const name = bandText(source, band);
      this.slider.setAttribute('aria-valuetext', `band ${band + 1}, ${name}`);
      text.textContent = name;
      count.textContent = source.wavelengths ? `band ${band + 1} of ${source.bands}` : '';
      const bandMatters = app.mode === 'band' || (state.compare === 'error' && !state.errorMean);
      this.element.classList.toggle('idle', !bandMatters);
      const colours = (source.wavelengths ?? []).map((nm) => cssColour(wavelengthTint(nm)));
      this.slider.style.setProperty('--rainbow', colours.length > 1 ? `linear-gradient(to right, ${colours.join(', ')})` : 'var(--line)');
    });
  }

  /** A band is wanted: show it as one, unless the error map does. */
  go(band: number) {
    const { app } = this;
    if (app.state.compare === 'error') app.update({ band, errorMean: false });
    else app.update({ band, mode: 'band' });
  }

  step(by: number) {
    const { bands } = this.app.source;
    this.go((this.app.band + by + bands) % bands);
  }

  toggle() {
    if (this.timer) {
      clearInterval(this.timer);
      this.timer = 0;
      this.stage.prefetch([]);
    } else {
      this.timer = window.setInterval(() => this.advance(), 1000 / framesPerSecond);
      this.advance();
    }
    const playing = this.timer !== 0;
    const label = playing ? 'Pause (Space)' : 'Play through the bands (Space)';
    this.playButton.replaceChildren(icon(playing ? 'pause' : 'play'));
    this.playButton.setAttribute('aria-label', label);
    this.playButton.title = label;
    this.playButton.setAttribute('aria-pressed', String(playing));
  }

  private advance() {
    const { bands } = this.app.source;
    this.step(1);
    this.stage.prefetch([1, 2].map((k) => (this.app.band + k) % bands));
  }
}
