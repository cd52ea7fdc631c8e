// How values become a picture.

import type { App } from './app';
import { axisOf } from './axis';
import { mapNames, type MapName } from './colour';
import { choice, h, slider } from './dom';
import type { Mode } from './state';

const mapTexts: Record<MapName, string> = { grey: 'Grey', ember: 'Ember', lagoon: 'Lagoon', tint: 'Tint of the wavelength' };

export class PicturePanel {
  readonly element: HTMLElement;

  constructor(app: App) {
    const mode = choice<Mode>('Picture', [
      { value: 'colour', text: 'Colour', title: 'Colours as seen: CIE 1931 observer, D65 (C)' },
      { value: 'false', text: 'False colour', title: 'Three bands as red, green and blue (F)' },
      { value: 'band', text: 'Band', title: 'One band (B)' },
    ], (value) => app.update({ mode: value }));
    const map = h('select', { 'aria-label': 'Colour map', onchange: () => app.update({ map: map.value as MapName }) },
      ...mapNames.map((name) => h('option', { value: name }, mapTexts[name])));
    const mapRow = h('label', { class: 'row' }, h('span', {}, 'Colours'), map);
    const channels = ['Red', 'Green', 'Blue'].map((name, k) => {
      const control = slider(name, { min: 0, max: 1, step: 1, usual: 0, text: (v) => this.bandName(app, v) }, (value) => {
        const falseBands: [number, number, number] = [...app.state.falseBands];
        falseBands[k] = value;
        app.update({ falseBands, mode: 'false' });
      });
      return control;
    });
    const channelRows = h('div', { class: 'channels' }, ...channels.map((c) => c.element));
    const signed = (v: number) => `${v > 0 ? '+' : v < 0 ? '−' : ''}${Math.abs(v).toFixed(2)} EV`;
    const exposure = slider('Exposure', { min: -4, max: 8, step: 0.05, usual: 0, text: signed }, (value) => app.update({ exposure: value }));
    const gamma = slider('Gamma', { min: 0.4, max: 2.5, step: 0.05, usual: 1, text: (v) => v.toFixed(2) }, (value) => app.update({ gamma: value }));
    const stretch = slider('Stretch', { min: 0, max: 10, step: 0.1, usual: 0, text: (v) => (v === 0 ? 'off' : `${v.toFixed(1)} %`) },
      (value) => app.update({ stretch: value, exposure: app.state.stretch === 0 && value > 0 ? 0 : app.state.exposure }));
    const reset = h('button', { type: 'button', class: 'quiet', onclick: () => app.update({ exposure: 0, gamma: 1, stretch: 0 }) }, 'Reset');
    this.element = h('section', { class: 'panel', 'aria-labelledby': 'picture-title' },
      h('header', {}, h('h2', { id: 'picture-title' }, 'Picture'), h('div', { class: 'actions' }, reset)),
      mode.element, mapRow, channelRows, exposure.element, gamma.element, stretch.element);
    app.listen((state) => {
      const error = state.compare === 'error';
      mode.set(app.mode);
      mode.enable('colour', Boolean(app.source.wavelengths));
      mode.enable('false', app.source.bands > 1);
      mode.enable('colour', Boolean(app.source.wavelengths) && app.source.bands > 1);
      mapRow.hidden = app.mode !== 'band' || error;
      channelRows.hidden = app.mode !== 'false';
      map.value = state.map;
      channels.forEach((control, k) => {
        control.input.max = String(app.source.bands - 1);
        control.set(Math.min(state.falseBands[k], app.source.bands - 1));
      });
      exposure.set(state.exposure);
      gamma.set(state.gamma);
      stretch.set(state.stretch);
      for (const control of [exposure, gamma, stretch]) control.input.disabled = error;
    });
  }

  private bandName(app: App, band: number): string {
    const axis = axisOf(app.source);
    const value = axis.values[band];
    return app.source.wavelengths ? `${value?.toFixed(1)} nm` : `band ${value}`;
  }
}
