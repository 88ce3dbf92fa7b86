// The registers of the statement and the pinned ones: a column for each lane, or a row where the panel is narrow.

import { button, type Child, h } from '../dom';
import { lanesOf } from '../lanes';
import type { RegisterRow, Registers } from '../messages';
import { straight } from '../registers/straight';
import { cell, formatList, full, shown, stateOf, valuesOf } from '../registers/values';
import type { Stage, View } from '../view';

/** The characters of a change of the chosen lane that has room; of a longer one, the tooltip has the value before. */
const MAX_CHOSEN = 11;

export const registersView: View<Registers> = {
  label: 'Registers',
  followsStep: true,
  legend: (_, content) => [h('b.sample', String(changes(content))), ' changed at this visit  ● true  ○ false  · uninitialized'],

  async load(stage) {
    const { step, pins, all } = stage.state;
    const content = await stage.source.request('registers', { step, pins, all });
    if (!content) throw new Error('The registers of this step are not known.');
    if (content.names) stage.names = content.names;
    return content;
  },

  table: (stage, content) => [
    ['register', 'role', 'type', 'form', ...Array.from({ length: content.width }, (_, lane) => `lane ${lane}`)],
    ...content.rows.map((row) => [
      row.name,
      row.role,
      stage.state.formats[row.name] ?? row.type,
      row.form ?? '',
      ...valuesOf(stage, row).map((value) => value ?? '·'),
    ]),
  ],

  draw(stage, content) {
    const remove = (row: RegisterRow) => unpin(stage, row);
    const body = !content.rows.length
      ? h('p.dim', 'This statement names no registers. Pin one to follow it through the run.')
      : stage.isNarrow
        ? turned(stage, content)
        : straight(stage, content, remove);
    return h('div.registers', body, h('div.row', pinner(stage), asker(stage, content)));
  },

  moved: select,
  drawn: select,
};

function changes(content: Registers): number {
  return content.rows.filter((row) => row.role === 'after').reduce((sum, row) => sum + lanesOf(row.changed).length, 0);
}

/** A row for each lane. */
function turned(stage: Stage, content: Registers): HTMLElement {
  const names = content.rows.map((row) =>
    h(
      'th.number',
      { scope: 'col' },
      h('span.mono', row.name),
      unpin(stage, row),
      h('br'),
      h('span.dim', row.role, ' '),
      formatList(stage, row),
    ),
  );
  const values = content.rows.map((row) => valuesOf(stage, row));
  const lines = Array.from({ length: content.width }, (_, lane) => {
    const name = h('th.number', { scope: 'row' }, lane, ' ', h(`span.cell.${stateOf(content, lane)}`));
    const attributes = { class: lane % 8 === 0 && lane ? 'eighth' : null, 'data-lane': lane, onclick: () => stage.choose(lane) };
    const cells = content.rows.map((row, at) => cell(stage, content, row, lane, 1, shown(row, values[at]?.[lane])));
    return h('tr', attributes, name, cells);
  });
  return h('div.scroll-x', h('table.turned', h('thead', h('tr', h('th', { scope: 'col' }, 'lane'), names)), h('tbody', lines)));
}

/** Outlines the selected lane, and shows its values in full. */
function select(stage: Stage, content: Registers): void {
  const { lane } = stage.state;
  for (const part of stage.root.querySelectorAll<HTMLElement>('.registers [data-lane]')) {
    part.classList.toggle('picked', Number(part.dataset.lane) === lane);
  }
  const title = stage.root.querySelector('#chosen-lane');
  if (title) title.textContent = `lane ${lane}`;
  for (const line of stage.root.querySelectorAll<HTMLElement>('.registers tr[data-row]')) {
    const row = content.rows.find((one) => `${one.name} ${one.role}` === line.dataset.row);
    const cell = line.querySelector<HTMLElement>('.chosen');
    if (!row || !cell) continue;
    cell.title = full(stage, row, content, lane);
    cell.textContent = cell.title.length > MAX_CHOSEN ? (cell.title.split(' → ').pop() ?? '') : cell.title;
  }
}

function unpin(stage: Stage, { name, role }: RegisterRow): Child {
  const { pins } = stage.state;
  if (role !== 'pinned') return null;
  return button(`unpin-${name}`, `Unpin ${name}`, '×', () => stage.set({ pins: pins.filter((pin) => pin !== name) }), { class: 'small' });
}

/** A list of all registers, of which the chosen one stays listed through the run, and a button that lists all. */
function pinner(stage: Stage): Child {
  if (!stage.source.reveal || stage.names.length === 0) return null;
  const { pins, all } = stage.state;
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (value) stage.set({ pins: [...pins, value].slice(-64) });
  };
  const first = h('option', { value: '' }, 'Pin a register…');
  const options = stage.names.filter((name) => !pins.includes(name)).map((name) => h('option', { value: name }, name));
  return h(
    'p.row',
    h('select#pin-register', { 'aria-label': 'Pin a register', onchange: choose }, first, options),
    h(
      'button#all-registers.secondary',
      { 'aria-pressed': String(all), onclick: () => stage.set({ all: !all }) },
      'All registers with a value',
    ),
  );
}

/** A list of the registers, of which the chosen one is explained in the chosen lane. */
function asker(stage: Stage, { rows }: Registers): Child {
  const { why } = stage.source;
  if (!why || rows.length === 0) return null;
  const choose = (event: Event) => {
    const list = event.target as HTMLSelectElement;
    const row = rows[Number(list.value)];
    list.value = '';
    const { lane, step } = stage.state;
    if (row) why({ lane, register: row.name, step, after: row.role === 'after' });
  };
  const name = 'Why does the lane hold…';
  const options = rows.map((row, at) => h('option', { value: at }, `${row.name} ${row.role}`));
  return h('select#why', { 'aria-label': name, onchange: choose }, h('option', { value: '' }, name), options);
}
