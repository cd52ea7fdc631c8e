// The model: where it looked closer, and how much it may leave out.

import type { App } from './app';
import { reconstruct } from './api';
import { h, slider } from './dom';
import { mostSigma } from './state';

export class SparsityPanel {
  readonly element: HTMLElement;
  private busy = false;

  constructor(private readonly app: App) {
    const text = h('p', { class: 'hint', role: 'status' });
    const screening = h('input', { type: 'checkbox', onchange: () => app.update({ showScreening: screening.checked }) });
    const windows = h('input', { type: 'checkbox', onchange: () => app.update({ showWindows: windows.checked }) });
    const sigma = slider('σ', { min: 0, max: mostSigma, step: 0.05, usual: 0.5, text: (v) => v.toFixed(2) }, () => {});
    sigma.input.setAttribute('aria-label', 'Sparsity σ: the share of windows that are left out');
    sigma.input.addEventListener('change', () => app.update({ sigma: sigma.input.valueAsNumber }));
    this.element = h('section', { class: 'panel', 'aria-labelledby': 'sparsity-title' },
      h('header', {}, h('h2', { id: 'sparsity-title' }, 'Sparsity')),
      h('label', { class: 'check' }, screening, h('span', {}, 'Screening mask M', h('sub', {}, 's'))),
      h('label', { class: 'check' }, windows, 'Kept windows'),
      sigma.element, text);
    app.listen((state) => {
      const { model } = app.about;
      this.element.hidden = !model || (model.screening === null && model.sigma === null);
      if (!model) return;
      screening.checked = state.showScreening;
      windows.checked = state.showWindows;
      screening.disabled = model.screening === null;
      windows.disabled = model.kept.length === 0;
      sigma.element.hidden = model.sigma === null;
      sigma.input.disabled = false;
      if (!this.busy && state.sigma !== null) {
        sigma.set(state.sigma);
        if (this.wanted() !== null) void this.run();
      }
      this.element.dataset.busy = this.busy ? 'yes' : 'no';
      text.textContent = this.busy ? 'Reconstructing…' : `${model.name}: ${model.seconds.toFixed(2)} s, ${model.kept.length} windows kept`;
    });
  }

  /** The σ of the page (or of its link), if the model has run with another one. */
  private wanted(): number | null {
    const { state, about: { model } } = this.app;
    return model && model.sigma !== null && state.sigma !== null && state.sigma !== model.sigma ? state.sigma : null;
  }

  /** Reconstructs again; while that runs, only the newest wish is kept. */
  private async run() {
    if (this.busy) return;
    this.busy = true;
    try {
      for (let sigma = this.wanted(); sigma !== null; sigma = this.wanted()) this.app.replaceAbout(await reconstruct(sigma));
    } catch (error) {
      this.app.complain((error as Error).message);
      this.app.update({ sigma: this.app.about.model?.sigma ?? null });
    } finally {
      this.busy = false;
      this.app.notify();
    }
  }
}
