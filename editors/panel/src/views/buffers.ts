// The buffers of the launch before and after it, and the lane that wrote an element.

import { button, type Child, h } from '../dom';
import type { BufferInfo, BufferPage, Buffers, Writer } from '../generated/answers';
import { count, grouped } from '../lanes';
import type { Element } from '../messages';
import { shortest } from '../numbers';
import type { Stage, View } from '../view';

/** The elements of a page. */
const PAGE = 1024;
/** The share of colour behind the largest element of a heat map, in percent: text on it can still be read. */
const MAX_HEAT = 25;
/** The width of the map of a buffer. */
const MAP = 512;

interface Content {
  all: Buffers;
  info: BufferInfo;
  page: BufferPage;
  /** The chosen element. */
  index: number | null;
  /** Null if no lane wrote it, undefined if that is not known. */
  writer: Writer | null | undefined;
}

export const buffersView: View<Content> = {
  label: 'Buffers',
  followsStep: false,
  legend: () => [h('b', 'bold'), ' changed  ', h('span.unexpected.sample', 'frame'), ' unexpected, with the expected value below'],

  async load(stage) {
    const { state, source } = stage;
    const all = await source.request('buffers', {});
    const info =
      all?.buffers.find((buffer) => buffer.name === state.buffer) ?? all?.buffers.find((buffer) => buffer.unexpected) ?? all?.buffers[0];
    if (!all || !info) throw new Error('The launch has no buffers: it passes no array to the kernel.');
    const from = info.name === state.buffer && state.bufferFrom < info.length ? state.bufferFrom : 0;
    const answer = await source.request('buffers', { name: info.name, from, count: PAGE });
    if (!answer?.page) throw new Error('The elements of this buffer are not known.');
    const chosen = info.name === state.buffer ? state.element : null;
    const index = chosen !== null && chosen < info.length ? chosen : (answer.page.unexpected[0] ?? null);
    const found = index === null ? null : await source.request('buffers', { name: info.name, element: index }).catch(() => null);
    return { all, info, page: answer.page, index, writer: found?.element?.writer };
  },

  table: (_, { page, info: { type } }) => [
    ['element', 'before', 'after', 'expected'],
    ...page.after.map((value, at) => [
      `${page.name}[${page.from + at}]`,
      text(page.before[at], type),
      text(value, type),
      page.from + at in page.expected ? text(page.expected[page.from + at], type) : '',
    ]),
  ],

  draw: (stage, content) =>
    h(
      'div.buffers',
      list(stage, content),
      h('div.scroll', map(stage, content), pager(stage, content), grid(stage, content)),
      detail(stage, content),
    ),

  key(stage, { info, index, page }, event) {
    const columns = columnsOf(stage, page, info);
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (!by || !(event.target as HTMLElement).id.startsWith('element-')) return false;
    const next = Math.max(page.from, Math.min(page.from + page.after.length - 1, (index ?? page.from) + by));
    if (next >= info.length) return true;
    stage.set({ buffer: info.name, element: next });
    document.getElementById(`element-${next}`)?.focus();
    return true;
  },
};

/** The first element of the page with an element. */
export function pageOf(element: number): number {
  return Math.floor(element / PAGE) * PAGE;
}

/** The text of an element: of a float, no more digits than it has. */
function text(value: Element | undefined, type: string): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'number' && /^b?f(16|32)/.test(type) ? shortest(value, 9) : String(value);
}

/** Chooses an element; the views go to the lane and the line that wrote it. */
async function choose(stage: Stage, buffer: string, element: number): Promise<void> {
  const found = await stage.source.request('buffers', { name: buffer, element }).catch(() => null);
  const writer = found?.element?.writer;
  if (writer && isShown(stage, writer)) go(stage, writer);
  else if (writer) show(stage, writer);
  stage.set({ buffer, element });
}

function isShown(stage: Stage, writer: Writer): boolean {
  return writer.warp === stage.base.warp && writer.cta.join() === stage.base.cta.join();
}

/** Shows the store of another warp. */
function show(stage: Stage, writer: Writer): void {
  stage.choose(writer.lane);
  stage.source.reveal?.(writer.line, false);
  stage.source.warp?.(writer, writer.step);
}

function go(stage: Stage, writer: Writer): void {
  stage.choose(writer.lane);
  if (writer.step !== undefined) stage.goTo(writer.step);
  else stage.source.reveal?.(writer.line, false);
}

function list(stage: Stage, { all, page }: Content): HTMLElement {
  const item = ({ name, type, length, changed, nan, unexpected, checked }: BufferInfo) => {
    const choose = () => stage.set({ buffer: name, element: null, bufferFrom: 0 });
    const verdict = unexpected ? h('strong.error', `${grouped(unexpected)} unexpected`) : checked ? 'as expected' : null;
    return h(
      'button',
      { id: `buffer-${name}`, 'aria-pressed': String(name === page.name), onclick: choose },
      h('span.mono', h('strong', name), ` ${type}[${grouped(length)}]`),
      h('br'),
      changed ? `${grouped(changed)} changed` : 'not changed',
      nan > 0 && h('strong', ` · ${grouped(nan)} NaN`),
      verdict && [h('br'), verdict],
    );
  };
  return h('div.list', { role: 'group', 'aria-label': 'Buffers' }, all.buffers.map(item));
}

/** The buttons to the other pages of a long buffer. */
function pager(stage: Stage, { page, info }: Content): Child {
  if (info.length <= PAGE) return null;
  const turn = (from: number, label: string) =>
    h('button', { id: `page-${label}`, onclick: () => stage.set({ buffer: info.name, bufferFrom: from }) }, label);
  return h(
    'p',
    page.from > 0 ? turn(Math.max(0, page.from - PAGE), '◀ previous elements') : null,
    ` ${grouped(page.from)}–${grouped(page.from + page.after.length - 1)} of ${grouped(info.length)} `,
    page.from + PAGE < info.length ? turn(page.from + PAGE, 'next elements ▶') : null,
  );
}

/** The whole buffer; a click shows its part. */
function map(stage: Stage, { page, info }: Content): HTMLElement {
  const width = MAP / Math.max(1, page.map.length);
  const turn = (event: MouseEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    const element = Math.floor(((event.clientX - box.left) / box.width) * info.length);
    stage.set({ buffer: info.name, bufferFrom: pageOf(element) });
  };
  const parts = [...page.map].map((digit, at) => {
    const look = digit === '2' ? { y: 1, height: 15, fill: 'var(--error)' } : { y: 6, height: 6, fill: 'var(--dim)' };
    return digit === '0' ? null : h('rect', { x: at * width, width: Math.max(1, width), ...look });
  });
  const name = `Map of ${page.name}: ${count(info.changed, 'changed element')}, ${grouped(info.unexpected)} unexpected`;
  const frame = h('rect', { x: 0.5, y: 0.5, width: MAP - 1, height: 17, fill: 'none', stroke: 'var(--wire)' });
  const attributes = { viewBox: `0 0 ${MAP} 18`, preserveAspectRatio: 'none', role: 'img', 'aria-label': name, onclick: turn };
  return h(
    'div.row',
    h('span.dim.map-name', 'whole buffer'),
    h('svg.map', attributes, frame, parts),
    rowLength(stage, info),
    heatChoice(stage),
    expectButton(stage, info),
  );
}

/** The field of the number of elements in a row, such as the width of a matrix. */
function rowLength(stage: Stage, { name, length }: BufferInfo): HTMLElement {
  const choose = (event: Event) => {
    const chosen = Math.min(Number((event.target as HTMLInputElement).value) | 0, PAGE, length);
    const { [name]: _, ...others } = stage.state.rowLengths;
    stage.set({ rowLengths: chosen > 0 ? { ...others, [name]: chosen } : others });
  };
  const value = stage.state.rowLengths[name] ?? '';
  const field = { type: 'number', min: 1, max: PAGE, placeholder: 'auto', value, onchange: choose };
  return h('label.dim', 'in a row ', h('input#row-length', field));
}

/** Whether the background of an element shows how large it is. */
function heatChoice(stage: Stage): HTMLElement {
  const choose = (event: Event) => stage.set({ heat: (event.target as HTMLInputElement).checked });
  return h('label.dim', h('input#heat', { type: 'checkbox', checked: stage.state.heat, onchange: choose }), ' heat map');
}

/** Writes the contents into the launch, which is checked against them from then on. */
function expectButton({ source }: Stage, { name, checked, unexpected }: BufferInfo): Child {
  if (!source.expect || (checked && unexpected === 0)) return null;
  const title = `Write what ${name} holds into the launch, as what it must hold`;
  return h('button#expect.secondary', { title, onclick: () => source.expect?.(name) }, 'Expect this result');
}

/** For each element of the page, its place between the least (0) and the most (1); undefined if it is not a finite number. */
function heatOf({ after }: BufferPage): (number | undefined)[] {
  const numbers = after.map((value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined));
  const finite = numbers.filter((value) => value !== undefined);
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  return numbers.map((value) => (value === undefined || least === most ? undefined : (value - least) / (most - least)));
}

/** The chosen number of columns, or the power of two that fits. */
function columnsOf(stage: Stage, page: BufferPage, { type }: BufferInfo): number {
  const chosen = stage.state.rowLengths[page.name];
  if (typeof chosen === 'number' && chosen > 0) return chosen;
  const widest = Math.max(3, ...[...page.after, ...Object.values(page.expected)].map((value) => text(value, type).length));
  const space = stage.isNarrow ? stage.root.clientWidth - 50 : stage.root.clientWidth - 480;
  return [32, 16, 8, 4, 2].find((columns) => columns * (widest * 7.3 + 18) <= space) ?? 1;
}

function grid(stage: Stage, content: Content): HTMLElement {
  const { page, info } = content;
  const columns = Math.min(columnsOf(stage, page, info), page.after.length);
  const heat = stage.state.heat ? heatOf(page) : [];
  const numbers = (from: number) => Array.from({ length: Math.min(columns, page.after.length - from) }, (_, column) => from + column);
  const rows: HTMLElement[] = [];
  for (let at = 0; at < page.after.length; at += columns) {
    const cells = numbers(at).map((number) => h('td', element(stage, content, number, heat[number])));
    rows.push(h('tr', h('th.number', { scope: 'row' }, grouped(page.from + at)), cells));
  }
  const head = h(
    'tr',
    h('td'),
    numbers(0).map((column) => h('th.number', { scope: 'col' }, column)),
  );
  return h('table.elements', h('thead', head), h('tbody', rows));
}

/** The button of an element, by its number in the page. */
function element(stage: Stage, { page, index, info: { type } }: Content, at: number, heat: number | undefined): HTMLElement {
  const number = page.from + at;
  const isUnexpected = number in page.expected;
  const isChanged = page.after[at] !== page.before[at];
  const isFirst = at === 0 && !isHere(page, index);
  const marks = [isChanged ? '.changed-element' : '', isUnexpected ? '.unexpected' : '', number === index ? '.picked' : ''].join('');
  return h(
    `button#element-${number}.element.mono${marks}`,
    {
      tabindex: number === (index ?? page.from) || isFirst ? 0 : -1,
      css: heat === undefined ? null : `background: color-mix(in srgb, var(--lane) ${Math.round(heat * MAX_HEAT)}%, var(--bg))`,
      onclick: () => void choose(stage, page.name, number),
    },
    h('span.visually-hidden', `${page.name}[${number}] = `),
    text(page.after[at], type),
    h('span.visually-hidden', isUnexpected ? ', expected ' : isChanged ? ', changed' : ''),
    isUnexpected ? h('small', text(page.expected[number], type)) : null,
  );
}

function isHere(page: BufferPage, index: number | null): boolean {
  return index !== null && index >= page.from && index < page.from + page.after.length;
}

/** The chosen element and the lane that wrote it. */
function detail(stage: Stage, content: Content): HTMLElement {
  const { page, info, index, writer } = content;
  if (index === null) return h('div.detail', h('p.dim', 'Choose an element to see the lane that wrote it.'));
  const unknown = () => h('p.dim', writer === null ? 'No lane wrote it.' : 'The writer of this element is not in the report.');
  return h(
    'div.detail',
    h('div.row.spread', h('strong.mono', `${page.name}[${index}]`), unexpectedStepper(stage, content, index)),
    isHere(page, index) ? values(page, info.type, index) : null,
    writer ? written(stage, writer) : unknown(),
    stage.source.why &&
      h('button#why.secondary', { onclick: () => stage.source.why?.({ buffer: page.name, element: index }) }, 'Why does it hold this?'),
  );
}

/** The element before and after the run, and what was expected. */
function values(page: BufferPage, type: string, index: number): HTMLElement {
  const at = index - page.from;
  const [after, expected] = [page.after[at], page.expected[index]];
  const difference = typeof after === 'number' && typeof expected === 'number' ? Number((after - expected).toPrecision(7)) : null;
  return h(
    'table',
    h(
      'tbody',
      h('tr', h('th', { scope: 'row' }, 'after'), h('td.number.mono.strong', text(after, type))),
      expected === undefined ? null : line('expected', text(expected, type)),
      difference === null ? null : line('difference', difference),
      line('before', text(page.before[at], type)),
    ),
  );
}

function line(name: string, ...value: Child[]): HTMLElement {
  return h('tr', h('th', { scope: 'row' }, name), h('td.number.mono', value));
}

/** Steps through the unexpected elements, if there are several. */
function unexpectedStepper(stage: Stage, { page, info }: Content, index: number): Child {
  const { unexpected } = page;
  if (unexpected.length <= 1) return null;
  const at = unexpected.indexOf(index);
  const step = (by: number) => {
    const next = unexpected[(Math.max(0, at) + by + unexpected.length) % unexpected.length];
    if (next === undefined) return;
    stage.state.bufferFrom = pageOf(next);
    void choose(stage, info.name, next);
  };
  return h(
    'span.row.tight',
    button('unexpected-back', 'Previous unexpected element', '◀', () => step(-1)),
    `${at + 1} of ${grouped(info.unexpected)}`,
    button('unexpected-on', 'Next unexpected element', '▶', () => step(1)),
  );
}

function written(stage: Stage, writer: Writer): Child[] {
  const { cta, warp, lane, step } = writer;
  const steps = step === undefined ? null : line('step', grouped(step + 1));
  const warpAndLane = h('span#writer', `${warp}, ${lane}`);
  const reveal = () => stage.source.reveal?.(writer.line, true);
  return [
    h('h3', 'Written by'),
    h('table', h('tbody', line('block', cta.join(',')), line('warp, lane', warpAndLane), steps)),
    h(
      'p',
      h('button#writer-line.link', { onclick: reveal }, `line ${writer.line + 1}`),
      ' ',
      h('code', stage.source.statement(writer.line)),
    ),
    goToWriter(stage, writer),
  ];
}

/** Goes to the step of the store, or to the warp that executed it. */
function goToWriter(stage: Stage, writer: Writer): Child {
  const { source } = stage;
  const isHere = isShown(stage, writer);
  const goButton = (text: string, onclick: () => void) => h('button#go-to-writer.primary', { onclick }, text);
  if (isHere && writer.step !== undefined) return goButton(`Go to step ${grouped(writer.step + 1)}`, () => go(stage, writer));
  if (isHere || !source.warp) return null;
  return goButton(`Show block ${writer.cta.join(',')}, warp ${writer.warp}`, () => show(stage, writer));
}
