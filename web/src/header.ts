// The bar at the top: what is shown, compared how, and the way out.

import type { App } from './app';
import type { Role, Source } from './api';
import { choice, h, icon } from './dom';
import { sameShape } from './layers';
import type { Compare } from './state';

const roleTexts: Record<Role, string> = {
  cube: '', truth: 'truth', measurement: 'measurement', mask: 'mask', reconstruction: 'reconstruction', screening: 'M_s', expected: '',
};
const title = (s: Source) => (roleTexts[s.role] && roleTexts[s.role] !== s.name ? `${s.name} (${roleTexts[s.role]})` : s.name);

export interface HeaderActions {
  png(): void;
  link(): void;
  theme(): void;
  help(): void;
}

export class Header {
  readonly element: HTMLElement;

  constructor(app: App, actions: HeaderActions) {
    const first = h('select', { 'aria-label': 'Shown', onchange: () => app.update({ a: Number(first.value) }) });
    const second = h('select', { 'aria-label': 'Compared with', onchange: () => app.update({ b: Number(second.value) }) });
    const swap = h('button', { type: 'button', class: 'tool', title: 'Swap (X)', 'aria-label': 'Swap the two', onclick: () => app.update({ a: app.state.b, b: app.state.a }) }, icon('swap'));
    const compare = choice<Compare>('Comparison', [
      { value: 'off', text: 'Single', title: 'One picture' },
      { value: 'side', text: 'Side by side', title: 'Two pictures that move together' },
      { value: 'swipe', text: 'Swipe', title: 'One left of the line, the other right of it' },
      { value: 'blink', text: 'Blink', title: 'One after the other' },
      { value: 'error', text: 'Error', title: 'Absolute difference' },
    ], (value) => app.update({ compare: value }));
    const which = choice<'mean' | 'band'>('Error of', [
      { value: 'mean', text: 'all bands', title: 'Mean over the bands' },
      { value: 'band', text: 'this band', title: 'The band of the slider' },
    ], (value) => app.update({ errorMean: value === 'mean' }));
    const button = (name: string, label: string, text: string, onclick: () => void) =>
      h('button', { type: 'button', class: text ? 'quiet' : 'tool', title: label, 'aria-label': label, onclick }, icon(name), text ? h('span', { class: 'word' }, text) : null);
    const other = h('div', { class: 'with' }, swap, second);
    this.element = h('header', { class: 'top' },
      h('h1', {}, h('img', { src: './icon.svg', alt: '', width: 24, height: 24 }), h('span', { class: 'word' }, 'Snapcube')),
      first, compare.element, other, which.element,
      h('div', { class: 'ways-out' },
        button('image', 'Save the view as PNG (P)', 'PNG', actions.png),
        button('link', 'Copy a link to this view (L)', 'Link', actions.link),
        button('theme', 'Light or dark (T)', '', actions.theme),
        button('help', 'Keys (?)', '', actions.help)));
    app.listen((state) => {
      const others = app.comparable(app.source);
      fill(first, app.about.sources, state.a);
      fill(second, others, state.b);
      compare.set(state.compare);
      for (const value of ['side', 'swipe', 'blink'] as const) compare.enable(value, others.length > 0);
      compare.enable('error', others.length > 0 && (sameShape(app.source, app.other) || others.some((o) => sameShape(o, app.source))));
      compare.element.hidden = app.about.sources.length < 2;
      other.hidden = !app.comparing;
      which.element.hidden = state.compare !== 'error';
      which.set(state.errorMean ? 'mean' : 'band');
      document.title = `${app.source.name} · Snapcube`;
    });
  }
}

function fill(select: HTMLSelectElement, sources: Source[], chosen: number) {
  const key = sources.map((s) => `${s.id}${s.name}`).join('\n');
  if (select.dataset.key !== key) {
    select.dataset.key = key;
    select.replaceChildren(...sources.map((s) => h('option', { value: String(s.id) }, title(s))));
  }
  select.value = String(chosen);
}
