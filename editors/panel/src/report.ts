// The panel in a report: a page without a server, which contains the answers.
import type { AccessRequest, BufferPage, Buffers, Graph, Timeline, WarpSummaries, WorstAccess, WrittenElement } from './generated/answers';
import { labelsOf } from './labels';
import { runAt } from './lanes';
import type { Accesses, Answers, Method, Moment, Registers, RunInfo } from './messages';
import { nothing } from './nothing';
import { Panel } from './panel';
import type { Source } from './source';
import { restored } from './state';
import { VIEWS } from './views';

interface Data {
  header: RunInfo;
  lines: string[];
  timeline: Timeline;
  graph: Graph;
  warps: WarpSummaries;
  /** By step, the statement. */
  steps: number[];
  /** By statement, the line. */
  statements: (number | null)[];
  moments: { count: number; registers: Record<number, Registers>; accesses: Record<number, AccessRequest[]> };
  worst: WorstAccess[];
  buffers: Buffers;
  pages: Record<string, BufferPage>;
  writers: Record<string, WrittenElement>;
}

type Asked = Record<string, unknown> & { step?: number; line?: number; visit?: number; name?: string; element?: number; from?: number };

const root = document.getElementById('warplens-panel') as HTMLElement;
const data = JSON.parse(document.getElementById('warplens-data')?.textContent ?? '{}') as Data;

/** By step, the number of the visit; by statement, the steps of its visits. */
const visits: number[] = [];
const stepsOf = new Map<number, number[]>();
data.steps.forEach((statement, step) => {
  const all = stepsOf.get(statement) ?? [];
  stepsOf.set(statement, all);
  all.push(step);
  visits.push(all.length);
});

function known(step: number): Moment | undefined {
  const statement = data.steps[step];
  const line = statement === undefined ? null : data.statements[statement];
  if (statement === undefined || line === null || line === undefined) return undefined;
  const registers = data.moments.registers[step];
  const masks = runAt(data.timeline.runs, step);
  return {
    step,
    line,
    visit: visits[step] ?? 1,
    visits: stepsOf.get(statement)?.length ?? 1,
    active: registers?.active ?? masks?.active ?? '',
    executed: registers?.executed ?? masks?.executed ?? '',
  };
}

/** The step of a visit of a line, by default of the last one. */
function find(line: number, visit?: number): Moment | null {
  const statement = data.statements.findIndex((of, at) => of === line && stepsOf.has(at));
  const steps = stepsOf.get(statement) ?? [];
  return known(steps[(visit ?? steps.length) - 1] ?? -1) ?? null;
}

function missing(what: string): Error {
  return new Error(
    data.moments.count === 0
      ? `The ${what} of steps are not recorded for this run.`
      : `The report has the ${what} of ${data.moments.count} of ${data.timeline.steps} steps, not of this one. Open the file in an editor with Warplens to see all.`,
  );
}

const answers: { [M in Method]: (asked: Asked) => Answers[M] | null } = {
  timeline: () => data.timeline,
  graph: () => data.graph,
  allWarps: () => data.warps,
  moment: ({ step, line, visit }) => (step !== undefined ? (known(step) ?? null) : find(line ?? -1, visit)),
  registers({ step = -1 }) {
    const answer = data.moments.registers[step];
    if (!answer) throw missing('registers');
    return answer;
  },
  accesses({ step = -1 }): Accesses {
    const requests = data.moments.accesses[step] ?? [];
    return { requests, worst: data.worst };
  },
  buffers({ name, element, from = 0 }): Buffers {
    if (name === undefined) return data.buffers;
    if (element === undefined) {
      if (from > 0)
        throw new Error('The report has the first 1,024 elements of each buffer. Open the file in an editor with Warplens to see all.');
      return { ...data.buffers, page: data.pages[name] as BufferPage };
    }
    return { ...data.buffers, element: data.writers[`${name} ${element}`] };
  },
};

const labels = labelsOf(
  (line) => data.lines[line] ?? '',
  data.statements.filter((line) => line !== null),
);

const source: Source = {
  run: data.header,
  request: async (method, params) => answers[method](params as Asked) as never,
  statement: (line) => (data.lines[line] ?? '').trim().replace(/\s+/g, ' '),
  label: (line) => labels[line],
  known,
  copy: (text) => navigator.clipboard.writeText(text),
  save(name, text) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    link.download = name;
    link.click();
  },
};

const panel = new Panel(root, source, restored({ step: (data as { step?: number }).step ?? 0 }), VIEWS, () => undefined);
panel.open().catch((error: unknown) => nothing(root, 'The run cannot be shown', String(error), []));
// The listing is below the panel and its scripts.
document.addEventListener('DOMContentLoaded', linkLines);

/** Makes the numbers of lines in the listing links to the panel, where the warp reached a statement on the line. */
function linkLines(): void {
  for (const start of document.querySelectorAll<HTMLElement>('.container > span:first-child, .container > br + span')) {
    const line = /^ *\d+$/.test(start.textContent) ? Number(start.textContent) - 1 : -1;
    if (!find(line)) continue;
    const show = () => {
      root.scrollIntoView({ block: 'nearest' });
      void panel.goToLine(line);
    };
    start.classList.add('line-link');
    for (const [name, value] of Object.entries({ role: 'link', tabindex: '0', title: 'Show in the panel' }))
      start.setAttribute(name, value);
    start.addEventListener('click', show);
    start.addEventListener('keydown', (event) => {
      if (event.key === 'Enter') show();
    });
  }
}
