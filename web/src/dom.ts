// Elements in one line.

type Child = Node | string | null | undefined;
type Properties = Record<string, unknown>;

/** h('button', {class: 'quiet', onclick: f, 'aria-label': 'Play'}, 'text', …) */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key === 'class') element.className = String(value);
    else if (key.startsWith('on')) element.addEventListener(key.slice(2), value as EventListener);
    else if (key.includes('-') || key === 'role' || key === 'for' || key === 'list') element.setAttribute(key, String(value));
    else (element as unknown as Properties)[key] = value;
  }
  element.append(...children.filter((c): c is Node | string => c !== null && c !== undefined));
  return element;
}

const paths: Record<string, string> = {
  play: '<path d="M6 4.5v11l9-5.5z" fill="currentColor"/>',
  pause: '<path d="M6 4.5h3v11H6zM11 4.5h3v11h-3z" fill="currentColor"/>',
  previous: '<path d="M12.5 5l-5 5 5 5"/>',
  next: '<path d="M7.5 5l5 5-5 5"/>',
  image: '<rect x="3" y="4" width="14" height="12" rx="1.5"/><path d="M3.5 14l4-4 3 3 2.5-2.5 3.5 3.5"/><circle cx="12.8" cy="7.6" r="1.2"/>',
  link: '<path d="M8.5 11.5l3-3M9 6.5l1.6-1.6a3.2 3.2 0 014.5 4.5L13.5 11M11 13.5l-1.6 1.6a3.2 3.2 0 01-4.5-4.5L6.5 9"/>',
  theme: '<circle cx="10" cy="10" r="6.2"/><path d="M10 3.8a6.2 6.2 0 010 12.4z" fill="currentColor"/>',
  help: '<circle cx="10" cy="10" r="6.8"/><path d="M8 8.2a2 2 0 113 1.8c-.7.4-1 .8-1 1.5"/><circle cx="10" cy="13.8" r=".5" fill="currentColor"/>',
  close: '<path d="M6 6l8 8M14 6l-8 8"/>',
  minus: '<path d="M5.5 10h9"/>',
  plus: '<path d="M5.5 10h9M10 5.5v9"/>',
  fit: '<path d="M4 8V4h4M12 4h4v4M16 12v4h-4M8 16H4v-4"/>',
  swap: '<path d="M4 7.5h11l-3-3M16 12.5H5l3 3"/>',
  download: '<path d="M10 4v8M6.5 9l3.5 3.5L13.5 9M4.5 16h11"/>',
};

export function icon(name: keyof typeof paths): SVGElement {
  const holder = document.createElement('template');
  holder.innerHTML = `<svg class="icon" viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">${paths[name]}</svg>`;
  return holder.content.firstElementChild as SVGElement;
}

/** A row of buttons of which one is pressed. */
export function choice<T extends string>(label: string, options: { value: T; text: string; title?: string }[], choose: (value: T) => void) {
  const buttons = options.map(({ value, text, title }) =>
    h('button', { type: 'button', title, role: 'radio', 'data-value': value, onclick: () => choose(value) }, text),
  );
  const element = h('div', { class: 'choice', role: 'radiogroup', 'aria-label': label }, ...buttons);
  element.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const usable = buttons.filter((b) => !b.disabled);
    const at = usable.indexOf(document.activeElement as HTMLButtonElement);
    const next = usable[(at + step + usable.length) % usable.length];
    next.focus();
    next.click();
  });
  const set = (value: T) =>
    buttons.forEach((button) => {
      const on = button.dataset.value === value;
      button.setAttribute('aria-checked', String(on));
      button.tabIndex = on ? 0 : -1;
    });
  const enable = (value: T, on: boolean) => {
    buttons.find((b) => b.dataset.value === value)!.disabled = !on;
  };
  return { element, set, enable };
}

/** A slider with its name and value; a double click brings back `usual`. */
export function slider(label: string, options: { min: number; max: number; step: number; usual: number; text: (v: number) => string }, change: (value: number) => void) {
  const output = h('output', {});
  const input = h('input', { type: 'range', min: String(options.min), max: String(options.max), step: String(options.step), 'aria-label': label });
  const show = () => {
    output.textContent = options.text(input.valueAsNumber);
    input.setAttribute('aria-valuetext', output.textContent);
    fillTrack(input);
  };
  input.addEventListener('input', () => {
    show();
    change(input.valueAsNumber);
  });
  input.addEventListener('dblclick', () => {
    input.value = String(options.usual);
    show();
    change(options.usual);
    input.dispatchEvent(new Event('change'));
  });
  const element = h('label', { class: 'slider' }, h('span', {}, label), input, output);
  const set = (value: number) => {
    if (document.activeElement !== input || input.valueAsNumber !== value) input.value = String(value);
    show();
  };
  return { element, set, input };
}

/** Colours the part of a slider's track that is left of its handle. */
export function fillTrack(input: HTMLInputElement) {
  const [low, high] = [Number(input.min), Number(input.max)];
  input.style.setProperty('--share', `${(100 * (input.valueAsNumber - low)) / (high - low || 1)}%`);
}

export function download(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  const anchor = h('a', { href: url, download: name });
  document.body.append(anchor);
  anchor.click();
  anchor.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
