// The registers of the statement and the pinned ones: a column for each lane, or a row where the panel is narrow.
import { button, type Child, h } from '../dom';
import { count, has, lanesOf, ranges } from '../lanes';
import type { RegisterRow, Registers } from '../messages';
import type { Panel } from '../panel';
import type { View } from '../view';

/** The columns that fit a narrow panel. */
const NARROW_COLUMNS = 3;
/** The width of a digit. */
const DIGIT = 7.3;

export const registersView: View<Registers> = {
  label: 'Registers',
  followsStep: true,
  legend: (_, content) => [
    h('b', { class: 'sample' }, String(changes(content))),
    ' changed at this visit  ● true  ○ false  · uninitialized',
  ],

  async load(panel) {
    const content = await panel.source.request('registers', { step: panel.state.step, pins: panel.state.pins });
    if (!content) throw new Error('The registers of this step are not known.');
    if (content.names) panel.names = content.names;
    return content;
  },

  table: (_, content) => [
    ['register', 'role', 'type', 'form', ...Array.from({ length: content.width }, (_, lane) => `lane ${lane}`)],
    ...content.rows.map((row) => [row.name, row.role, row.type, row.form ?? '', ...row.values.map((value) => value ?? '·')]),
  ],

  draw(panel, content) {
    const body = !content.rows.length
      ? h('p', { class: 'dim' }, 'This statement names no registers. Pin one to follow it through the run.')
      : panel.isNarrow
        ? turned(panel, content)
        : straight(panel, content);
    return h('div', { class: 'registers' }, body, pinner(panel));
  },

  moved: (panel) => select(panel),
  drawn: (panel) => select(panel),
};

function changes(content: Registers): number {
  return content.rows.filter((row) => row.role === 'after').reduce((sum, row) => sum + lanesOf(row.changed).length, 0);
}

/** The text of a value: predicates are circles. */
function shown(row: RegisterRow, lane: number): string {
  const value = row.values[lane];
  if (value === null || value === undefined) return '·';
  return row.type === 'pred' ? (value === '1' ? '●' : '○') : value;
}

/** The value in full: `4 → 7` */
function full(row: RegisterRow, content: Registers, lane: number): string {
  const word = (of: RegisterRow) =>
    of.type === 'pred' && of.values[lane] ? (of.values[lane] === '1' ? 'true' : 'false') : (of.values[lane] ?? '·');
  const before = content.rows.find((other) => other.role === 'before' && other.name === row.name);
  return row.role === 'after' && before && has(row.changed, lane) ? `${word(before)} → ${word(row)}` : word(row);
}

function cell(panel: Panel, content: Registers, row: RegisterRow, lane: number, content_: Child): HTMLElement {
  const classes = ['number mono lane', has(row.changed, lane) ? 'changed' : '', has(content.active, lane) ? '' : 'inactive'].join(' ');
  return h(
    'td',
    { class: classes, 'data-lane': lane, title: `lane ${lane}: ${full(row, content, lane)}`, onclick: () => panel.choose(lane) },
    content_,
  );
}

function straight(panel: Panel, content: Registers): HTMLElement {
  const lanes = Array.from({ length: content.width }, (_, lane) => lane);
  const space = (panel.root.clientWidth - 290) / content.width;
  const executed = h(
    'tr',
    null,
    h('th', { scope: 'row' }, 'executed'),
    h('td'),
    lanes.map((lane) => {
      const state = has(content.executed, lane) ? 'executed' : has(content.active, lane) ? 'predicated off' : 'inactive';
      return h(
        'td',
        { class: 'lane', 'data-lane': lane, title: `lane ${lane}: ${state}`, onclick: () => panel.choose(lane) },
        h('span', { class: `cell ${state.replace(' ', '-')}` }, h('span', { class: 'visually-hidden' }, state)),
      );
    }),
    h('td', { class: 'chosen' }),
  );
  const line = (row: RegisterRow) => {
    const isWide = Math.max(...lanes.map((lane) => shown(row, lane).length)) * DIGIT > space;
    const values = row.form
      ? folded(panel, content, row)
      : isWide
        ? bars(panel, content, row)
        : lanes.map((lane) => cell(panel, content, row, lane, shown(row, lane)));
    return h(
      'tr',
      { class: row.role, 'data-row': `${row.name} ${row.role}` },
      h('th', { scope: 'row', class: 'mono name' }, row.name, unpin(panel, row)),
      h('td', { class: 'dim role' }, row.role),
      values,
      h('td', { class: 'chosen mono', 'data-full': row.name }),
    );
  };
  const head = h(
    'tr',
    null,
    h('th', { scope: 'col' }, 'lane'),
    h('th', null, h('span', { class: 'visually-hidden' }, 'role')),
    lanes.map((lane) =>
      h(
        'th',
        {
          scope: 'col',
          class: `number lane${lane % 8 === 0 && lane ? ' eighth' : ''}`,
          'data-lane': lane,
          onclick: () => panel.choose(lane),
        },
        lane,
      ),
    ),
    h('th', { scope: 'col', class: 'chosen', id: 'chosen-lane' }),
  );
  return h('table', { class: 'lanes' }, h('thead', null, head), h('tbody', null, executed, content.rows.map(line)));
}

/** One text for all lanes, and dashes under those that hold a value. */
function folded(panel: Panel, content: Registers, row: RegisterRow): HTMLElement[] {
  const held = row.values.flatMap((value, lane) => (value === null ? [] : [lane]));
  const isAll = held.length === content.width;
  const text = h(
    'span',
    { class: 'form' },
    h('code', null, row.form),
    h('span', { class: 'dim' }, isAll ? '' : ` in ${count(held.length, 'lane')}: ${ranges(held)}`),
  );
  return row.values.slice(0, content.width).map((value, lane) =>
    h(
      'td',
      {
        class: `lane dash${value === null ? '' : ' held'}${has(row.changed, lane) ? ' changed' : ''}`,
        'data-lane': lane,
        title: `lane ${lane}: ${full(row, content, lane)}`,
        onclick: () => panel.choose(lane),
      },
      lane === 0 ? text : null,
      h('span', { class: 'visually-hidden' }, value ?? 'uninitialized'),
    ),
  );
}

/** Bars from the smallest to the largest value. */
function bars(panel: Panel, content: Registers, row: RegisterRow): HTMLElement[] {
  const numbers = row.values.map((value) => (value === null ? null : Number(value)));
  const finite = numbers.filter((value): value is number => value !== null && Number.isFinite(value));
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  return numbers.slice(0, content.width).map((value, lane) => {
    const part = value === null || !Number.isFinite(value) ? 0 : high === low ? 1 : (value - low) / (high - low);
    const drawn = value === null ? '·' : h('span', { class: 'column' }, h('span', { css: `height:${Math.round(2 + part * 14)}px` }));
    return cell(panel, content, row, lane, [drawn, h('span', { class: 'visually-hidden' }, row.values[lane] ?? 'uninitialized')]);
  });
}

function turned(panel: Panel, content: Registers): HTMLElement {
  const rows = panel.root.clientWidth < 400 ? content.rows.slice(0, NARROW_COLUMNS) : content.rows.slice(0, 6);
  const more = content.rows.length - rows.length;
  return h(
    'div',
    null,
    h(
      'table',
      { class: 'turned' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', { scope: 'col' }, 'lane'),
          rows.map((row) =>
            h(
              'th',
              { scope: 'col', class: 'number' },
              h('span', { class: 'mono' }, row.name),
              h('br'),
              h('span', { class: 'dim' }, row.role),
            ),
          ),
        ),
      ),
      h(
        'tbody',
        null,
        Array.from({ length: content.width }, (_, lane) => {
          const state = has(content.executed, lane) ? 'executed' : has(content.active, lane) ? 'predicated-off' : 'inactive';
          return h(
            'tr',
            { class: lane % 8 === 0 && lane ? 'eighth' : null, 'data-lane': lane, onclick: () => panel.choose(lane) },
            h('th', { scope: 'row', class: 'number' }, lane, ' ', h('span', { class: `cell ${state}` })),
            rows.map((row) => cell(panel, content, row, lane, shown(row, lane))),
          );
        }),
      ),
    ),
    more > 0 ? h('p', { class: 'dim' }, `${count(more, 'more row')}: widen the panel, or show the table.`) : null,
  );
}

/** Outlines the selected lane, and shows its values in full. */
function select(panel: Panel): void {
  const { lane } = panel.state;
  for (const part of panel.root.querySelectorAll<HTMLElement>('.registers [data-lane]'))
    part.classList.toggle('picked', Number(part.dataset['lane']) === lane);
  const content = panel.shown as Registers;
  const title = panel.root.querySelector('#chosen-lane');
  if (title) title.textContent = `lane ${lane}`;
  for (const line of panel.root.querySelectorAll<HTMLElement>('.registers tr[data-row]')) {
    const row = content.rows.find((one) => `${one.name} ${one.role}` === line.dataset['row']);
    const cell = line.querySelector('.chosen');
    if (row && cell) cell.textContent = full(row, content, lane);
  }
}

function unpin(panel: Panel, { name, role }: RegisterRow): Child {
  const { pins } = panel.state;
  if (role !== 'pinned') return null;
  return button(`unpin-${name}`, `Unpin ${name}`, '×', () => panel.set({ pins: pins.filter((pin) => pin !== name) }), { class: 'small' });
}

/** A list of all registers; the chosen one stays listed through the run. */
function pinner(panel: Panel): Child {
  if (!panel.source.reveal || panel.names.length === 0) return null;
  const { pins } = panel.state;
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (value) panel.set({ pins: [...pins, value].slice(-64) });
  };
  return h(
    'p',
    null,
    h(
      'select',
      { id: 'pin-register', 'aria-label': 'Pin a register', onchange: choose },
      h('option', { value: '' }, 'Pin a register…'),
      panel.names.filter((name) => !pins.includes(name)).map((name) => h('option', { value: name }, name)),
    ),
  );
}
