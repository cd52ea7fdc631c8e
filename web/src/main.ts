// Puts the page together.

import { App } from './app';
import { download, h } from './dom';
import { Header } from './header';
import { LivePanel } from './live_panel';
import { PicturePanel } from './picture_panel';
import { QualityPanel } from './quality_panel';
import { SparsityPanel } from './sparsity_panel';
import { SpectraPanel } from './spectra_panel';
import { Stage } from './stage';
import { comparisons } from './state';
import './style.css';
import { Transport } from './transport';

const keys: [string, string][] = [
  ['← →', 'previous and next band'], ['Space', 'play through the bands'], ['C  F  B', 'colour, false colour, band'],
  ['+  −', 'zoom'], ['0', 'whole image'], ['1', 'one pixel on one of the screen'], ['Shift ← → ↑ ↓', 'move the image'],
  ['M', 'next way to compare'], ['X', 'swap the two'], ['Delete', 'remove the last marker'],
  ['P', 'save the view as PNG'], ['L', 'copy a link to the view'], ['T', 'light or dark'], ['?', 'this list'],
];

const toast = h('div', { class: 'toast', role: 'status', 'aria-live': 'polite', hidden: true });
let toastTimer = 0;
function say(message: string) {
  toast.textContent = message;
  toast.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = window.setTimeout(() => (toast.hidden = true), 4000);
}

function helpDialog(): HTMLDialogElement {
  const dialog = h('dialog', { class: 'help', 'aria-label': 'Keys' },
    h('h2', {}, 'Keys'),
    h('dl', {}, ...keys.flatMap(([key, text]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, text)])),
    h('p', { class: 'hint' }, 'Drag moves the image, the wheel zooms, a click marks a pixel, Shift and drag marks a region.'),
    h('form', { method: 'dialog' }, h('button', { class: 'quiet' }, 'Close')));
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
  return dialog;
}

async function main() {
  const root = document.getElementById('app')!;
  const app = new App(say);
  try {
    await app.open(() => root.replaceChildren(h('p', { class: 'loading', role: 'status' }, 'Waiting for the first frame…')));
  } catch (error) {
    root.replaceChildren(h('p', { class: 'loading', role: 'alert' }, `The viewer cannot be reached: ${(error as Error).message}`));
    return;
  }
  const forceCanvas = new URLSearchParams(location.hash.slice(1)).get('renderer') === 'canvas';
  const stage = new Stage(app, forceCanvas);
  const spectra = new SpectraPanel(app);
  const quality = new QualityPanel(app);
  const transport = new Transport(app, stage);
  const whole = () => stage.element.dataset.ready === 'yes' && (spectra.element.hidden || spectra.element.dataset.ready === 'yes');
  const live = new LivePanel(app, whole, (about) => stage.load(about));
  const help = helpDialog();
  stage.onHover = (hover) => spectra.showHover(hover);

  const dark = matchMedia('(prefers-color-scheme: dark)');
  const restyle = () => {
    spectra.restyle();
    quality.restyle();
    app.notify();
  };
  dark.addEventListener('change', restyle);
  const actions = {
    png: async () => download(await stage.png(), `${app.source.name}.png`),
    link: async () => {
      const address = new URL(app.link(), location.href).href;
      try {
        await navigator.clipboard.writeText(address);
        say('Link copied. It works while this viewer runs.');
      } catch {
        prompt('A link to this view:', address);
      }
    },
    theme: () => {
      const now = document.documentElement.dataset.theme ?? (dark.matches ? 'dark' : 'light');
      document.documentElement.dataset.theme = now === 'dark' ? 'light' : 'dark';
      restyle();
    },
    help: () => help.showModal(),
  };
  const header = new Header(app, actions);
  root.replaceChildren(
    header.element,
    h('main', {}, stage.element,
      h('aside', { class: 'side', 'aria-label': 'Controls' },
        h('div', { class: 'controls' }, live.element, new PicturePanel(app).element, new SparsityPanel(app).element),
        h('div', { class: 'readings' }, spectra.element, quality.element))),
    transport.element, help, toast);

  const pan = 60;
  const commands: Record<string, () => void> = {
    ArrowLeft: () => transport.step(-1), ArrowRight: () => transport.step(1), ' ': () => transport.toggle(),
    c: () => app.update({ mode: 'colour' }), f: () => app.update({ mode: 'false' }), b: () => app.update({ mode: 'band' }),
    '+': () => stage.zoom(1.5), '=': () => stage.zoom(1.5), '-': () => stage.zoom(1 / 1.5), '0': () => stage.fit(), '1': () => stage.zoomTo(1),
    'Shift ArrowLeft': () => stage.pan(-pan, 0), 'Shift ArrowRight': () => stage.pan(pan, 0),
    'Shift ArrowUp': () => stage.pan(0, -pan), 'Shift ArrowDown': () => stage.pan(0, pan),
    m: () => app.update({ compare: comparisons[(comparisons.indexOf(app.state.compare) + 1) % comparisons.length] }),
    x: () => app.comparing && app.update({ a: app.state.b, b: app.state.a }),
    Delete: () => app.update({ markers: app.state.markers.slice(0, -1) }),
    p: actions.png, l: actions.link, t: actions.theme, '?': actions.help,
  };
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const target = event.target as HTMLElement;
    if (target.matches('input[type=number], select')) return;
    if (target.matches('input[type=range]') && event.key.startsWith('Arrow')) return;
    if (target.matches('button, summary, input[type=checkbox]') && event.key === ' ') return;
    const shift = event.shiftKey && event.key.startsWith('Arrow') ? 'Shift ' : '';
    const command = commands[shift + (event.key.length === 1 ? event.key.toLowerCase() : event.key)];
    if (!command) return;
    event.preventDefault();
    command();
  });
  app.notify();
}

void main();
