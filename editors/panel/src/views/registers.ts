// The registers of the statement and the pinned ones: a column for each lane, or a row where the panel is narrow.

import { button, type Child, h } from '../dom';
import type { RegisterRow } from '../generated/answers';
import { count, has, lanesOf, ranges } from '../lanes';
import type { Registers } from '../messages';
import type { Stage, View } from '../view';

/** The registers that a panel beside the code shows, and a narrower one. */
const COLUMNS = 6;
const NARROW_COLUMNS = 3;
/** The width of a digit. */
const DIGIT = 7.3;

export const registersView: View<Registers> = {
  label: 'Registers',
  followsStep: true,
  legend: (_, content) => [h('b.sample', String(changes(content))), ' changed at this visit  ● true  ○ false  · uninitialized'],

  async load(stage) {
    const content = await stage.source.request('registers', { step: stage.state.step, pins: stage.state.pins });
    if (!content) throw new Error('The registers of this step are not known.');
    if (content.names) stage.names = content.names;
    return content;
  },

  table: (_, content) => [
    ['register', 'role', 'type', 'form', ...Array.from({ length: content.width }, (_, lane) => `lane ${lane}`)],
    ...content.rows.map((row) => [row.name, row.role, row.type, row.form ?? '', ...row.values.map((value) => value ?? '·')]),
  ],

  draw(stage, content) {
    const body = !content.rows.length
      ? h('p.dim', 'This statement names no registers. Pin one to follow it through the run.')
      : stage.isNarrow
        ? turned(stage, content)
        : straight(stage, content);
    return h('div.registers', body, pinner(stage));
  },

  moved: select,
  drawn: select,
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

function cell(stage: Stage, content: Registers, row: RegisterRow, lane: number, ...value: Child[]): HTMLElement {
  const classes = ['number mono lane', has(row.changed, lane) ? 'changed' : '', has(content.active, lane) ? '' : 'inactive'].join(' ');
  const title = `lane ${lane}: ${full(row, content, lane)}`;
  return h('td', { class: classes, 'data-lane': lane, title, onclick: () => stage.choose(lane) }, value);
}

function stateOf(content: Registers, lane: number): 'executed' | 'predicated-off' | 'inactive' {
  return has(content.executed, lane) ? 'executed' : has(content.active, lane) ? 'predicated-off' : 'inactive';
}

/** A column for each lane. */
function straight(stage: Stage, content: Registers): HTMLElement {
  const lanes = Array.from({ length: content.width }, (_, lane) => lane);
  const space = (stage.root.clientWidth - 290) / content.width;
  const row = (of: RegisterRow) => {
    const isWide = Math.max(...lanes.map((lane) => shown(of, lane).length)) * DIGIT > space;
    const plain = () => lanes.map((lane) => cell(stage, content, of, lane, shown(of, lane)));
    return h(
      'tr',
      { class: of.role, 'data-row': `${of.name} ${of.role}` },
      h('th.mono.name', { scope: 'row' }, of.name, unpin(stage, of)),
      h('td.dim.role', of.role),
      of.form ? folded(stage, content, of) : isWide ? bars(stage, content, of) : plain(),
      h('td.chosen.mono', { 'data-full': of.name }),
    );
  };
  const body = h('tbody', executedRow(stage, content, lanes), content.rows.map(row));
  return h('table.lanes', h('thead', laneNumbers(stage, lanes)), body);
}

function laneNumbers(stage: Stage, lanes: number[]): HTMLElement {
  const numbers = lanes.map((lane) => {
    const classes = `number lane${lane % 8 === 0 && lane ? ' eighth' : ''}`;
    return h('th', { scope: 'col', class: classes, 'data-lane': lane, onclick: () => stage.choose(lane) }, lane);
  });
  const role = h('th', h('span.visually-hidden', 'role'));
  return h('tr', h('th', { scope: 'col' }, 'lane'), role, numbers, h('th#chosen-lane.chosen', { scope: 'col' }));
}

function executedRow(stage: Stage, content: Registers, lanes: number[]): HTMLElement {
  const cells = lanes.map((lane) => {
    const state = stateOf(content, lane);
    const words = state.replace('-', ' ');
    const attributes = { 'data-lane': lane, title: `lane ${lane}: ${words}`, onclick: () => stage.choose(lane) };
    return h('td.lane', attributes, h(`span.cell.${state}`, h('span.visually-hidden', words)));
  });
  return h('tr', h('th', { scope: 'row' }, 'executed'), h('td'), cells, h('td.chosen'));
}

/** One text for all lanes, and dashes under those that hold a value. */
function folded(stage: Stage, content: Registers, row: RegisterRow): HTMLElement[] {
  const held = row.values.flatMap((value, lane) => (value === null ? [] : [lane]));
  const isAll = held.length === content.width;
  const text = h('span.form', h('code', row.form), h('span.dim', isAll ? '' : ` in ${count(held.length, 'lane')}: ${ranges(held)}`));
  return row.values.slice(0, content.width).map((value, lane) => {
    const classes = `lane dash${value === null ? '' : ' held'}${has(row.changed, lane) ? ' changed' : ''}`;
    const title = `lane ${lane}: ${full(row, content, lane)}`;
    const attributes = { class: classes, 'data-lane': lane, title, onclick: () => stage.choose(lane) };
    return h('td', attributes, lane === 0 ? text : null, h('span.visually-hidden', value ?? 'uninitialized'));
  });
}

/** Bars from the smallest to the largest value. */
function bars(stage: Stage, content: Registers, row: RegisterRow): HTMLElement[] {
  const numbers = row.values.map((value) => (value === null ? null : Number(value)));
  const finite = numbers.filter((value): value is number => value !== null && Number.isFinite(value));
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  return numbers.slice(0, content.width).map((value, lane) => {
    const part = value === null || !Number.isFinite(value) ? 0 : high === low ? 1 : (value - low) / (high - low);
    const drawn = value === null ? '·' : h('span.column', h('span', { css: `height:${Math.round(2 + part * 14)}px` }));
    return cell(stage, content, row, lane, drawn, h('span.visually-hidden', row.values[lane] ?? 'uninitialized'));
  });
}

/** A row for each lane. */
function turned(stage: Stage, content: Registers): HTMLElement {
  const shownRows = content.rows.slice(0, stage.root.clientWidth < 400 ? NARROW_COLUMNS : COLUMNS);
  const names = shownRows.map(({ name, role }) => h('th.number', { scope: 'col' }, h('span.mono', name), h('br'), h('span.dim', role)));
  const lines = Array.from({ length: content.width }, (_, lane) => {
    const name = h('th.number', { scope: 'row' }, lane, ' ', h(`span.cell.${stateOf(content, lane)}`));
    const attributes = { class: lane % 8 === 0 && lane ? 'eighth' : null, 'data-lane': lane, onclick: () => stage.choose(lane) };
    return h(
      'tr',
      attributes,
      name,
      shownRows.map((row) => cell(stage, content, row, lane, shown(row, lane))),
    );
  });
  const table = h('table.turned', h('thead', h('tr', h('th', { scope: 'col' }, 'lane'), names)), h('tbody', lines));
  const more = content.rows.length - shownRows.length;
  return h('div', table, more > 0 ? h('p.dim', `${count(more, 'more row')}: widen the panel, or show the table.`) : null);
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
    const cell = line.querySelector('.chosen');
    if (row && cell) cell.textContent = full(row, content, lane);
  }
}

function unpin(stage: Stage, { name, role }: RegisterRow): Child {
  const { pins } = stage.state;
  if (role !== 'pinned') return null;
  return button(`unpin-${name}`, `Unpin ${name}`, '×', () => stage.set({ pins: pins.filter((pin) => pin !== name) }), { class: 'small' });
}

/** A list of all registers; the chosen one stays listed through the run. */
function pinner(stage: Stage): Child {
  if (!stage.source.reveal || stage.names.length === 0) return null;
  const { pins } = stage.state;
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    if (value) stage.set({ pins: [...pins, value].slice(-64) });
  };
  const first = h('option', { value: '' }, 'Pin a register…');
  const options = stage.names.filter((name) => !pins.includes(name)).map((name) => h('option', { value: name }, name));
  return h('p', h('select#pin-register', { 'aria-label': 'Pin a register', onchange: choose }, first, options));
}
