// The table that shows the same as a picture, and its text for the clipboard.
import { h } from './dom';
import { grouped } from './lanes';

export type Cell = string | number | null | undefined;
/** The first row has the names of the columns. */
export type Rows = Cell[][];

/** How many rows are drawn; the copied text has all. */
const MAX_ROWS = 2000;

export function tableOf([head = [], ...rows]: Rows, name: string, chosen?: number): HTMLElement {
  const cell = (value: Cell) =>
    h('td', { class: typeof value === 'number' ? 'number' : null }, typeof value === 'number' ? grouped(value) : value);
  const more = rows.length > MAX_ROWS ? h('p.dim', `The first ${grouped(MAX_ROWS)} of ${grouped(rows.length)} rows. Copy has all.`) : null;
  return h(
    'div.scroll.fill',
    { id: 'twin', tabindex: 0, role: 'region', 'aria-label': `${name} as a table` },
    h(
      'table',
      h(
        'thead',
        h(
          'tr',
          head.map((title, at) => h('th', { scope: 'col', class: typeof rows[0]?.[at] === 'number' ? 'number' : null }, title)),
        ),
      ),
      h(
        'tbody',
        rows
          .slice(0, MAX_ROWS)
          .map((row, at) =>
            h('tr', { class: at === chosen ? 'picked' : null, 'aria-current': at === chosen ? 'true' : null }, row.map(cell)),
          ),
      ),
    ),
    more,
  );
}

export function csv(rows: Rows): string {
  const quoted = (value: Cell) => {
    const text = String(value ?? '');
    return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(quoted).join(',')).join('\n');
}

export function markdown([head = [], ...rows]: Rows): string {
  const line = (row: Cell[]) =>
    `| ${row
      .map((value) =>
        String(value ?? '')
          .replaceAll('|', '\\|')
          .replaceAll('\n', ' '),
      )
      .join(' | ')} |`;
  return [line(head), `|${'-|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}
