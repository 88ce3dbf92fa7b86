// The buffers of the launch before and after it, and the lane that wrote an element.
import { button, type Child, h } from '../dom';
import { count, grouped } from '../lanes';
import type { BufferInfo, BufferPage, Buffers, Element, Writer } from '../messages';
import type { Panel } from '../panel';
import type { View } from '../view';

/** The elements of a page. */
const PAGE = 1024;
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
  legend: () => [
    h('b', null, 'bold'),
    ' changed  ',
    h('span', { class: 'unexpected sample' }, 'frame'),
    ' unexpected, with the expected value below',
  ],

  async load(panel) {
    const { state, source } = panel;
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

  table: (_, { page }) => [
    ['element', 'before', 'after', 'expected'],
    ...page.after.map((value, at) => [
      `${page.name}[${page.from + at}]`,
      text(page.before[at]),
      text(value),
      page.from + at in page.expected ? text(page.expected[page.from + at]) : '',
    ]),
  ],

  draw(panel, content) {
    const { page, info } = content;
    const turn = (from: number, label: string) =>
      h('button', { type: 'button', id: `page-${label}`, onclick: () => panel.set({ buffer: info.name, bufferFrom: from }) }, label);
    const pages =
      info.length <= PAGE
        ? null
        : h(
            'p',
            null,
            page.from > 0 ? turn(Math.max(0, page.from - PAGE), '◀ previous elements') : null,
            ` ${grouped(page.from)}–${grouped(page.from + page.after.length - 1)} of ${grouped(info.length)} `,
            page.from + PAGE < info.length ? turn(page.from + PAGE, 'next elements ▶') : null,
          );
    return h(
      'div',
      { class: 'buffers' },
      list(panel, content),
      h('div', { class: 'scroll' }, map(panel, content), pages, grid(panel, content)),
      detail(panel, content),
    );
  },

  key(panel, { info, index, page }, event) {
    const columns = columnsOf(panel, page);
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (!by || !(event.target as HTMLElement).id.startsWith('element-')) return false;
    const next = Math.max(page.from, Math.min(page.from + page.after.length - 1, (index ?? page.from) + by));
    if (next < info.length) void choose(panel, info.name, next, false).then(() => document.getElementById(`element-${next}`)?.focus());
    return true;
  },
};

function text(value: Element | undefined): string {
  return value === undefined || value === null ? '' : String(value);
}

/** Chooses an element; the views go to the lane and the line that wrote it. */
async function choose(panel: Panel, buffer: string, element: number, goes = true): Promise<void> {
  panel.state.buffer = buffer;
  if (!goes) return panel.set({ element });
  const found = await panel.source.request('buffers', { name: buffer, element }).catch(() => null);
  const writer = found?.element?.writer;
  if (writer && isShown(panel, writer)) go(panel, writer);
  else if (writer) panel.revealLine(writer.line);
  panel.set({ element });
}

function isShown(panel: Panel, writer: Writer): boolean {
  return writer.warp === panel.base.warp && writer.cta.join() === panel.base.cta.join();
}

function go(panel: Panel, writer: Writer): void {
  panel.choose(writer.lane);
  if (writer.step !== undefined) panel.goTo(writer.step);
  else panel.revealLine(writer.line);
}

function list(panel: Panel, { all, page }: Content): HTMLElement {
  return h(
    'div',
    { class: 'list', role: 'group', 'aria-label': 'Buffers' },
    all.buffers.map((one) =>
      h(
        'button',
        {
          id: `buffer-${one.name}`,
          type: 'button',
          'aria-pressed': String(one.name === page.name),
          onclick: () => panel.set({ buffer: one.name, element: null, bufferFrom: 0 }),
        },
        h('span', { class: 'mono' }, h('strong', null, one.name), ` ${one.type}[${grouped(one.length)}]`),
        h('br'),
        one.changed ? `${grouped(one.changed)} changed` : 'not changed',
        one.unexpected
          ? [h('br'), h('strong', { class: 'error' }, `${grouped(one.unexpected)} unexpected`)]
          : one.checked
            ? [h('br'), 'as expected']
            : null,
      ),
    ),
  );
}

/** The whole buffer; a click shows its part. */
function map(panel: Panel, { page, info }: Content): HTMLElement {
  const width = MAP / Math.max(1, page.map.length);
  const turn = (event: MouseEvent) => {
    const box = (event.currentTarget as SVGElement).getBoundingClientRect();
    const element = Math.floor(((event.clientX - box.left) / box.width) * info.length);
    panel.set({ buffer: info.name, bufferFrom: Math.floor(element / PAGE) * PAGE });
  };
  const parts = [...page.map].flatMap((digit, at) =>
    digit === '0'
      ? []
      : [
          h('rect', {
            x: at * width,
            y: digit === '2' ? 1 : 6,
            width: Math.max(1, width),
            height: digit === '2' ? 15 : 6,
            fill: digit === '2' ? 'var(--error)' : 'var(--dim)',
          }),
        ],
  );
  return h(
    'div',
    { class: 'row' },
    h('span', { class: 'dim' }, 'whole buffer'),
    h(
      'svg',
      {
        class: 'map',
        viewBox: `0 0 ${MAP} 18`,
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': `Map of ${page.name}: ${count(info.changed, 'changed element')}, ${grouped(info.unexpected)} unexpected`,
        onclick: turn,
      },
      h('rect', { x: 0.5, y: 0.5, width: MAP - 1, height: 17, fill: 'none', stroke: 'var(--wire)' }),
      parts,
    ),
  );
}

/** The columns that fit, a power of two. */
function columnsOf(panel: Panel, page: BufferPage): number {
  const widest = Math.max(3, ...[...page.after, ...Object.values(page.expected)].map((value) => text(value).length));
  const space = panel.isNarrow ? panel.root.clientWidth - 50 : panel.root.clientWidth - 480;
  return [32, 16, 8, 4, 2].find((columns) => columns * (widest * 7.3 + 18) <= space) ?? 1;
}

function grid(panel: Panel, { page, index }: Content): HTMLElement {
  const columns = columnsOf(panel, page);
  const cell = (at: number) => {
    const place = page.from + at;
    const isUnexpected = place in page.expected;
    const value = text(page.after[at]);
    const note = isUnexpected ? ', expected ' : page.after[at] !== page.before[at] ? ', changed' : '';
    const classes = [
      'element mono',
      page.after[at] !== page.before[at] ? 'changed-element' : '',
      isUnexpected ? 'unexpected' : '',
      place === index ? 'picked' : '',
    ].join(' ');
    return h(
      'td',
      null,
      h(
        'button',
        {
          id: `element-${place}`,
          type: 'button',
          class: classes,
          tabindex: place === (index ?? page.from) || (at === 0 && !isHere(page, index)) ? 0 : -1,
          onclick: () => void choose(panel, page.name, place),
        },
        h('span', { class: 'visually-hidden' }, `${page.name}[${place}] = `),
        value,
        h('span', { class: 'visually-hidden' }, note),
        isUnexpected ? h('small', null, text(page.expected[place])) : null,
      ),
    );
  };
  const rows: HTMLElement[] = [];
  for (let at = 0; at < page.after.length; at += columns) {
    rows.push(
      h(
        'tr',
        null,
        h('th', { scope: 'row', class: 'number' }, grouped(page.from + at)),
        Array.from({ length: Math.min(columns, page.after.length - at) }, (_, column) => cell(at + column)),
      ),
    );
  }
  const head = h(
    'tr',
    null,
    h('td'),
    Array.from({ length: Math.min(columns, page.after.length) }, (_, column) => h('th', { scope: 'col', class: 'number' }, column)),
  );
  return h('table', { class: 'elements' }, h('thead', null, head), h('tbody', null, rows));
}

function isHere(page: BufferPage, index: number | null): boolean {
  return index !== null && index >= page.from && index < page.from + page.after.length;
}

function detail(panel: Panel, { page, index, writer, info }: Content): HTMLElement {
  if (index === null) return h('div', { class: 'detail' }, h('p', { class: 'dim' }, 'Choose an element to see the lane that wrote it.'));
  const at = index - page.from;
  const line = (name: string, value: Child, isStrong = false) =>
    h('tr', null, h('th', { scope: 'row' }, name), h('td', { class: `number mono${isStrong ? ' strong' : ''}` }, value));
  const [after, expected] = [page.after[at], page.expected[index]];
  const difference = typeof after === 'number' && typeof expected === 'number' ? Number((after - expected).toPrecision(7)) : null;
  const place = page.unexpected.indexOf(index);
  const other = (by: number) => {
    const { unexpected } = page;
    const next = unexpected[(Math.max(0, place) + by + unexpected.length) % unexpected.length];
    if (next === undefined) return;
    panel.state.bufferFrom = Math.floor(next / PAGE) * PAGE;
    void choose(panel, info.name, next);
  };
  const step =
    page.unexpected.length > 1
      ? h(
          'span',
          { class: 'row tight' },
          button('unexpected-back', 'Previous unexpected element', '◀', () => other(-1)),
          `${place + 1} of ${grouped(info.unexpected)}`,
          button('unexpected-on', 'Next unexpected element', '▶', () => other(1)),
        )
      : null;
  return h(
    'div',
    { class: 'detail' },
    h('div', { class: 'row spread' }, h('strong', { class: 'mono' }, `${page.name}[${index}]`), step),
    isHere(page, index)
      ? h(
          'table',
          null,
          h(
            'tbody',
            null,
            line('after', text(after), true),
            expected === undefined ? null : line('expected', text(expected)),
            difference === null ? null : line('difference', String(difference)),
            line('before', text(page.before[at])),
          ),
        )
      : null,
    writer
      ? written(panel, writer)
      : h('p', { class: 'dim' }, writer === null ? 'No lane wrote it.' : 'The writer of this element is not in the report.'),
  );
}

function written(panel: Panel, writer: Writer): Child[] {
  const { cta, warp, lane, line, step } = writer;
  const here = isShown(panel, writer);
  const action =
    here && step !== undefined
      ? h(
          'button',
          { id: 'go-to-writer', type: 'button', class: 'primary', onclick: () => go(panel, writer) },
          `Go to step ${grouped(step + 1)}`,
        )
      : !here && panel.source.warp
        ? h(
            'button',
            { id: 'go-to-writer', type: 'button', class: 'primary', onclick: () => panel.source.warp?.(writer) },
            `Show block ${cta.join(',')}, warp ${warp}`,
          )
        : null;
  return [
    h('h3', null, 'Written by'),
    h(
      'table',
      null,
      h(
        'tbody',
        null,
        h('tr', null, h('th', { scope: 'row' }, 'block'), h('td', { class: 'number mono' }, cta.join(','))),
        h('tr', null, h('th', { scope: 'row' }, 'warp, lane'), h('td', { class: 'number mono', id: 'writer' }, `${warp}, ${lane}`)),
        step === undefined ? null : h('tr', null, h('th', { scope: 'row' }, 'step'), h('td', { class: 'number mono' }, grouped(step + 1))),
      ),
    ),
    h(
      'p',
      null,
      h('button', { type: 'button', class: 'link', id: 'writer-line', onclick: () => panel.revealLine(line, true) }, `line ${line + 1}`),
      ' ',
      h('code', null, panel.source.statement(line)),
    ),
    action,
  ];
}
