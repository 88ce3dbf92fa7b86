// The table of registers with a column for each lane. Values that are too long for a column take several rows of lanes.
import { type Child, h } from '../dom';
import { count, has, ranges } from '../lanes';
import type { RegisterRow, Registers } from '../messages';
import type { Stage } from '../view';
import { cell, formatList, formOf, full, shown, stateOf, valuesOf } from './values';
import { wrapOf } from './wrap';

/** The widths of the columns beside those of the lanes, and those in a panel narrower than `TIGHT`. */
const OTHERS = 330;
const TIGHT_OTHERS = 262;
const TIGHT = 960;

/** The width of the columns of all lanes. */
function lanesWidth({ root }: Stage): number {
  return root.clientWidth - (root.clientWidth < TIGHT ? TIGHT_OTHERS : OTHERS);
}

export function straight(stage: Stage, content: Registers, unpin: (row: RegisterRow) => Child): HTMLElement {
  const lanes = Array.from({ length: content.width }, (_, lane) => lane);
  const rows = content.rows.flatMap((row) => registerRows(stage, content, row, unpin(row)));
  const isTight = stage.root.clientWidth < TIGHT;
  return h(
    `table.lanes${isTight ? '.tight' : ''}`,
    h('thead', laneNumbers(stage, lanes)),
    h('tbody', executedRow(stage, content, lanes), rows),
  );
}

function laneNumbers(stage: Stage, lanes: number[]): HTMLElement {
  const numbers = lanes.map((lane) => {
    const classes = `number lane${lane % 8 === 0 && lane ? ' eighth' : ''}`;
    return h('th', { scope: 'col', class: classes, 'data-lane': lane, onclick: () => stage.choose(lane) }, lane);
  });
  const hidden = (name: string) => h('th', h('span.visually-hidden', name));
  return h(
    'tr',
    h('th', { scope: 'col' }, 'lane'),
    hidden('role'),
    hidden('format'),
    numbers,
    h('th#chosen-lane.chosen', { scope: 'col' }),
  );
}

function executedRow(stage: Stage, content: Registers, lanes: number[]): HTMLElement {
  const cells = lanes.map((lane) => {
    const state = stateOf(content, lane);
    const words = state.replace('-', ' ');
    const attributes = { 'data-lane': lane, title: `lane ${lane}: ${words}`, onclick: () => stage.choose(lane) };
    return h('td.lane', attributes, h(`span.cell.${state}`, h('span.visually-hidden', words)));
  });
  return h('tr', h('th', { scope: 'row' }, 'executed'), h('td', { colspan: 2 }), cells, h('td.chosen'));
}

/** The rows of a register: one, or several that share its lanes. */
function registerRows(stage: Stage, content: Registers, row: RegisterRow, unpin: Child): HTMLElement[] {
  const form = formOf(stage, row);
  const values = valuesOf(stage, row);
  const longest = Math.max(...values.map((value) => shown(row, value).length));
  const { rows, isSmall } = form ? { rows: 1, isSmall: false } : wrapOf(longest, content.width, lanesWidth(stage));
  const height = Math.max(1, rows);
  const each = content.width / height;
  const tall = height > 1 ? { rowspan: height } : {};
  return Array.from({ length: height }, (_, part) => {
    const lanes = Array.from({ length: each }, (_, at) => part * each + at);
    const cells = form
      ? folded(stage, content, row, form)
      : rows === 0
        ? bars(stage, content, row)
        : lanes.map((lane) => cell(stage, content, row, lane, height, shown(row, values[lane])));
    const isFirst = part === 0;
    return h(
      'tr',
      {
        class: `${row.role}${isSmall ? ' small-digits' : ''}${height > 1 ? ' part' : ''}`,
        'data-row': isFirst ? `${row.name} ${row.role}` : null,
      },
      isFirst ? h('th.mono.name', { scope: 'row', ...tall }, row.name, unpin) : null,
      h('td.dim.role', isFirst ? row.role : null, height > 1 ? ` ${lanes[0]}–${lanes[each - 1]}` : null),
      isFirst ? h('td', tall, formatList(stage, row)) : null,
      cells,
      isFirst ? h('td.chosen.mono', { 'data-full': row.name, ...tall }) : null,
    );
  });
}

/** One text for all lanes, and dashes under those that hold a value. */
function folded(stage: Stage, content: Registers, row: RegisterRow, form: string): HTMLElement[] {
  const held = row.values.flatMap((value, lane) => (value === null ? [] : [lane]));
  const isAll = held.length === content.width;
  const text = h('span.form', h('code', form), h('span.dim', isAll ? '' : ` in ${count(held.length, 'lane')}: ${ranges(held)}`));
  return row.values.slice(0, content.width).map((value, lane) => {
    const classes = `lane dash${value === null ? '' : ' held'}${has(row.changed, lane) ? ' changed' : ''}`;
    const title = `lane ${lane}: ${full(stage, row, content, lane)}`;
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
    return cell(stage, content, row, lane, 1, drawn, h('span.visually-hidden', row.values[lane] ?? 'uninitialized'));
  });
}
