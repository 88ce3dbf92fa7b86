// Elements of the page and of drawings.

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(['svg', 'rect', 'path', 'line', 'text', 'tspan', 'g', 'defs', 'marker', 'title', 'pattern', 'circle', 'style']);

type Value = string | number | boolean | null | undefined | ((event: never) => void);
export type Attributes = Record<string, Value>;
export type Child = Node | string | number | null | undefined | false | Child[];

/** An element from `tag#id.class.class`, attributes and children. Attributes that start with `on` are listeners; `css` is the style. */
export function h(selector: string, ...content: [Attributes, ...Child[]] | Child[]): HTMLElement & SVGElement {
  const [head = '', ...classes] = selector.split('.');
  const [tag = '', id] = head.split('#');
  const element = (SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag)) as HTMLElement & SVGElement;
  if (id) element.id = id;
  if (tag === 'button') element.setAttribute('type', 'button');
  if (classes.length) element.setAttribute('class', classes.join(' '));
  const [attributes, ...children] = isAttributes(content[0]) ? content : [{}, ...content];
  for (const [name, value] of Object.entries(attributes as Attributes)) {
    if (value === undefined || value === false || value === null) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as (event: Event) => void);
    // A style attribute would violate the content security policy.
    else if (name === 'css') element.style.cssText = String(value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children as Child[]);
  return element;
}

function isAttributes(value: Attributes | Child): value is Attributes {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Node);
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child !== null && child !== undefined && child !== false) element.append(typeof child === 'number' ? String(child) : child);
  }
}

/** Replaces the content of an element; the focus stays at the element with the same id. */
export function fill(element: Element, ...children: Child[]): void {
  const focused = document.activeElement;
  const id = focused && element.contains(focused) ? focused.id : '';
  element.replaceChildren();
  append(element, children);
  if (id) document.getElementById(id)?.focus({ preventScroll: true });
}

const ICONS = {
  first: 'M3 3h1.5v10H3zM13 3v10L6 8z',
  previous: 'M11 3v10L4 8z',
  next: 'M5 3v10l7-5z',
  last: 'M11.5 3H13v10h-1.5zM3 3v10l7-5z',
  table: 'M1.5 2.5h13v11h-13zM1.5 6h13M1.5 9.7h13M6 6v7.5',
  copy: 'M5.5 4.500v-3h8v9h-3M2.500 4.500h8v10h-8z',
  pin: 'M5 2h6M6 2v5L4 9.500h8L10 7V2M8 9.500V14.500',
  save: 'M8 1.500v8.500M4.500 6.500L8 10l3.500-3.500M2 11v3h12v-3',
};

export type Icon = keyof typeof ICONS;

/** A drawing of 16 pixels in the colour of the text. */
export function icon(name: Icon): SVGElement {
  const isFilled = ['first', 'previous', 'next', 'last'].includes(name);
  const path = h('path', {
    d: ICONS[name],
    fill: isFilled ? 'currentColor' : 'none',
    stroke: isFilled ? null : 'currentColor',
    'stroke-width': isFilled ? null : 1.2,
  });
  return h('svg', { width: 16, height: 16, viewBox: '0 0 16 16', 'aria-hidden': 'true' }, path);
}

/** A button with a name for screen readers, which is its title too. */
export function button(id: string, name: string, content: Child, action: () => void, attributes: Attributes = {}): HTMLElement {
  return h('button', { id, 'aria-label': name, title: name, onclick: action, ...attributes }, content);
}
