// The values of a register as the tab of registers shows them, and the cell of a lane.
import { type Child, h } from '../dom';
import { has } from '../lanes';
import type { RegisterRow, Registers } from '../messages';
import type { Stage } from '../view';
import { formatsOf, valuesIn } from './format';

export type State = 'executed' | 'predicated-off' | 'inactive';

export function stateOf(content: Registers, lane: number): State {
  return has(content.executed, lane) ? 'executed' : has(content.active, lane) ? 'predicated-off' : 'inactive';
}

/** The values of a register in its chosen format, by lane. */
export function valuesOf(stage: Stage, row: RegisterRow): (string | null)[] {
  return valuesIn(row, stage.state.formats[row.name]);
}

/** The value of all lanes in one text: as a function of the lane, or in a chosen format if they are equal. */
export function formOf(stage: Stage, row: RegisterRow): string | null {
  const format = stage.state.formats[row.name];
  if (format === undefined || !formatsOf(row).includes(format)) return row.form;
  const held = new Set(valuesOf(stage, row).filter((value) => value !== null));
  return held.size === 1 ? `= ${[...held][0]}` : null;
}

/** The text of a value: predicates are circles. */
export function shown({ type }: RegisterRow, value: string | null | undefined): string {
  if (value === null || value === undefined) return '·';
  return type === 'pred' ? (value === '1' ? '●' : '○') : value;
}

/** The value in full: `4 → 7` */
export function full(stage: Stage, row: RegisterRow, content: Registers, lane: number): string {
  const word = (of: RegisterRow) => {
    const value = valuesOf(stage, of)[lane] ?? '·';
    return of.type === 'pred' && of.values[lane] ? (value === '1' ? 'true' : 'false') : value;
  };
  const before = content.rows.find((other) => other.role === 'before' && other.name === row.name);
  return row.role === 'after' && before && has(row.changed, lane) ? `${word(before)} → ${word(row)}` : word(row);
}

export function cell(stage: Stage, content: Registers, row: RegisterRow, lane: number, span: number, ...value: Child[]): HTMLElement {
  const classes = ['number mono lane', has(row.changed, lane) ? 'changed' : '', has(content.active, lane) ? '' : 'inactive'].join(' ');
  const title = `lane ${lane}: ${full(stage, row, content, lane)}`;
  const attributes = { class: classes, 'data-lane': lane, title, colspan: span > 1 ? span : null, onclick: () => stage.choose(lane) };
  return h('td', attributes, value);
}

/** The list of the formats of a register. */
export function formatList(stage: Stage, row: RegisterRow): Child {
  const formats = formatsOf(row);
  if (!formats.length) return h('span.dim', row.type);
  const chosen = stage.state.formats[row.name];
  const choose = (event: Event) => {
    const { value } = event.target as HTMLSelectElement;
    const { [row.name]: _, ...others } = stage.state.formats;
    stage.set({ formats: value ? { ...others, [row.name]: value } : others });
  };
  const options = formats.map((format) => h('option', { value: format, selected: format === chosen }, format));
  return h(
    'select.format',
    { id: `format-${row.role}-${row.name}`, 'aria-label': `Format of ${row.name}`, onchange: choose },
    h('option', { value: '', selected: chosen === undefined }, row.type),
    options,
  );
}
