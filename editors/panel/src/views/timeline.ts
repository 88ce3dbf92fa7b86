// The tab of the time line. The panel draws the picture, because it is above the tabs in a narrow panel.

import { h } from '../dom';
import type { Mark, Timeline } from '../generated/answers';
import { grouped, lanesOf, length, lineRange, ranges } from '../lanes';
import type { Rows } from '../table';
import type { View } from '../view';

export const timelineView: View<Timeline> = {
  label: 'Time line',
  followsStep: false,
  legend: (stage, page) => [
    '< diverge  > reconverge  ‖ barrier  ',
    h('span.error', '▲'),
    ' finding  ▯ predicated off',
    page.repeats?.length ? '  ×n: n equal iterations' : null,
    page.column ? `  ${page.column} steps a column` : null,
    stage.base.truncated ? '  truncated' : null,
  ],
  load: async (stage) => stage.page,
  table: (_, page) => (page.column ? columns(page) : runs(page)),
  row(stage, page) {
    const { step } = stage.state;
    if (page.column) return Math.floor((step - page.from) / page.column);
    const after = page.runs.findIndex((run) => run.step > step);
    return (after < 0 ? page.runs.length : after) - 1;
  },
  draw: () => document.createTextNode(''),
};

function runs(page: Timeline): Rows {
  return [
    ['steps', 'lines', 'active', 'lanes', 'marks'],
    ...page.runs.map((run) => {
      const end = run.step + length(run);
      const lanes = lanesOf(run.masks[0]?.[0] ?? '');
      const notes = [marks(page, run.step, end), ...repeatsIn(page, run.step, end)].filter((note) => note);
      return [stepRange(run.step, end), lineRange(page.blocks[run.block]?.lines), lanes.length, ranges(lanes), notes.join(', ')];
    }),
  ];
}

/** `×1,662, to step 5,000`, at the start of an iteration that stands for many. */
function repeatsIn({ repeats = [] }: Timeline, first: number, end: number): string[] {
  const starting = repeats.filter(({ step }) => first <= step && step < end);
  return starting.map(({ step, length, count }) => `×${grouped(count)}, to step ${grouped(step + length * count)}`);
}

function columns(page: Timeline): Rows {
  const each = page.column ?? 1;
  return [
    ['steps', 'most steps in lines', 'active (average)', 'marks'],
    ...page.columns.map((column, at) => {
      const first = page.from + at * each;
      const end = Math.min(page.to, first + each);
      const active = [...column.share].reduce((sum, digit) => sum + parseInt(digit, 16) / 15, 0);
      return [stepRange(first, end), lineRange(page.blocks[column.block]?.lines), Number(active.toFixed(1)), marks(page, first, end)];
    }),
  ];
}

function stepRange(first: number, end: number): string {
  return end - first > 1 ? `${first + 1}–${end}` : `${end}`;
}

function marks(page: Timeline, first: number, end: number): string {
  return page.marks
    .filter((mark) => first <= mark.step && mark.step < end)
    .map(sentence)
    .join(', ');
}

function sentence({ kind, count, code, lanes = [] }: Mark): string {
  if ((count ?? 1) > 1) return `${count} × ${kind}`;
  return code ?? `${kind} ${lanes.map((mask) => lanesOf(mask).length).join(' | ')}`.trim();
}
