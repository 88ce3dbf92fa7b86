// All warps of the run: a row for each block, a cell for each warp, and the worst warp by each number.

import { type Child, h } from '../dom';
import type { WarpSummaries, WarpSummary } from '../generated/answers';
import { count, grouped, groups, lanesOf, ranges } from '../lanes';
import type { StoppedWarp } from '../messages';
import { compact } from '../numbers';
import type { Stage, View } from '../view';

/** How many warps are drawn; the table has all. */
const MAX_CELLS = 2048;

/** A number by which warps are compared. */
interface Measure {
  id: string;
  /** What is measured, as in "worst by …". */
  name: string;
  unit: string;
  /** Whether a smaller number is worse. */
  smallIsWorse?: boolean;
  of(warp: WarpSummary): number | undefined;
}

const MEASURES: Measure[] = [
  { id: 'active', name: 'active lanes', unit: ' %', smallIsWorse: true, of: ({ active }) => active },
  { id: 'instructions', name: 'instructions', unit: '', of: ({ instructions }) => instructions },
  { id: 'sectors', name: 'excess sectors', unit: '', of: ({ excess }) => excess?.sectors },
  { id: 'wavefronts', name: 'excess wavefronts', unit: '', of: ({ excess }) => excess?.wavefronts },
];

export const warpsView: View<WarpSummaries> = {
  label: 'Warps',
  followsStep: false,
  legend: () => ['bar: share of the largest number  <  lanes diverged  ', h('span.error', '▲'), ' finding'],

  async load(stage) {
    const content = await stage.source.request('allWarps', {});
    if (!content?.warps.length) throw new Error('The numbers of the warps are not known.');
    return content;
  },

  table: (_, { warps }) => [
    ['block', 'warp', 'active %', 'instructions', 'diverged', 'findings', 'excess sectors', 'excess wavefronts'],
    ...warps.map(({ cta, warp, active, instructions, diverged, findings, excess }) => [
      cta.join(','),
      warp,
      active,
      instructions,
      diverged ? 'yes' : 'no',
      findings,
      excess?.sectors ?? '',
      excess?.wavefronts ?? '',
    ]),
  ],

  row: (stage, { warps }) => warps.findIndex((warp) => isShown(stage, warp)),

  draw(stage, content) {
    const measure = chosen(stage);
    const shown = content.warps.slice(0, MAX_CELLS);
    const isCut = content.truncated || shown.length < content.warps.length;
    return h(
      'div.warps',
      h('div.row', choice(stage), worstOf(stage, content.warps)),
      matrix(stage, shown, measure),
      isCut ? h('p.dim', `The first ${count(shown.length, 'warp')} of the run.`) : null,
    );
  },

  drawn(stage) {
    if (!stage.source.isPart) stage.root.querySelector('.warp.picked')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  },

  key(stage, { warps }, event) {
    const target = event.target as HTMLElement;
    if (!target.id.startsWith('warp-')) return false;
    const at = Number(target.id.slice('warp-'.length));
    const columns = warps.findIndex(({ cta }) => cta.join() !== warps[0]?.cta.join());
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns }[event.key];
    if (by === undefined) return false;
    stage.root.querySelector<HTMLElement>(`#warp-${at + by}`)?.focus();
    return true;
  },
};

function isShown({ base }: Stage, { cta, warp }: WarpSummary): boolean {
  return warp === base.warp && cta.join() === base.cta.join();
}

function chosen(stage: Stage): Measure {
  return MEASURES.find(({ id }) => id === stage.state.measure) ?? (MEASURES[0] as Measure);
}

/** The list of the numbers by which warps can be compared. */
function choice(stage: Stage): HTMLElement {
  const { id: current } = chosen(stage);
  const options = MEASURES.map(({ id, name }) => h('option', { value: id, selected: id === current }, name));
  const choose = (event: Event) => stage.set({ measure: (event.target as HTMLSelectElement).value });
  return h('label.dim', 'compare by ', h('select#measure', { onchange: choose }, options));
}

/** For each number, the warp with the worst one, unless all are equal. */
function worstOf(stage: Stage, warps: WarpSummary[]): Child {
  const worst = MEASURES.flatMap((measure) => {
    const { id, name, unit, smallIsWorse } = measure;
    const numbers = warps.map((warp) => measure.of(warp) ?? 0);
    const [least, most] = [numbers.reduce((a, b) => Math.min(a, b)), numbers.reduce((a, b) => Math.max(a, b))];
    const warp = warps[numbers.indexOf(smallIsWorse ? least : most)];
    if (!warp || least === most) return [];
    const text = `${grouped(smallIsWorse ? least : most)}${unit} ${name}`;
    return [h('span', goTo(stage, warp, `worst-${id}`, text), h('span.dim', ` ${place(warp)}`))];
  });
  return worst.length
    ? h('span.row', h('span.dim', 'worst:'), worst)
    : h('span.dim', warps.length === 1 ? 'the launch has one warp' : 'all warps are alike');
}

function goTo({ source }: Stage, warp: WarpSummary, id: string, text: string): Child {
  return source.warp ? h(`button#${id}.link`, { onclick: () => source.warp?.(warp) }, text) : h('span', text);
}

/** `block 1,0,0, warp 3` */
function place({ cta, warp }: WarpSummary): string {
  return `block ${cta.join(',')}, warp ${warp}`;
}

function matrix(stage: Stage, warps: WarpSummary[], measure: Measure): HTMLElement {
  const most = warps.reduce((largest, warp) => Math.max(largest, measure.of(warp) ?? 0), measure.id === 'active' ? 100 : 1);
  const cells = warps.map((warp, at) => ({ warp, at }));
  const blocks = groups(cells, ([first], next) => first.warp.cta.join() === next.warp.cta.join());
  const rows = blocks.map((block) =>
    h(
      'tr',
      h('th.number', { scope: 'row' }, block[0].warp.cta.join(',')),
      block.map(({ warp, at }) => h('td', cell(stage, warp, at, measure, most))),
    ),
  );
  const columns = Math.max(...blocks.map((block) => block.length));
  const head = Array.from({ length: columns }, (_, column) => h('th', { scope: 'col' }, column));
  return h('div.scroll-both', h('table.matrix', h('thead', h('tr', h('td.dim', 'block \\ warp'), head)), h('tbody', rows)));
}

function cell(stage: Stage, warp: WarpSummary, at: number, measure: Measure, most: number): HTMLElement {
  const number = measure.of(warp);
  const isPicked = isShown(stage, warp);
  const { active, instructions, diverged, findings } = warp;
  const stop = stage.source.stopped?.(warp);
  const facts = [
    ...(stop ? [stopText(stop)] : []),
    `${active} % active lanes`,
    count(instructions, 'instruction'),
    ...(diverged ? ['lanes diverged'] : []),
    ...(findings ? [count(findings, 'finding')] : []),
  ];
  const title = `${place(warp)}: ${facts.join(', ')}`;
  const attributes = {
    title,
    'aria-label': title,
    'aria-current': isPicked ? 'true' : null,
    tabindex: isPicked ? 0 : -1,
    onclick: () => stage.source.warp?.(warp),
  };
  // In a report no other warp can be shown.
  return h(
    `${stage.source.warp ? 'button' : 'span'}#warp-${at}.warp${isPicked ? '.picked' : ''}`,
    attributes,
    h('span.heat', { css: `width:${Math.round(((number ?? 0) / most) * 100)}%` }),
    h('span.mono', stop ? stopLabel(stop) : number === undefined ? '' : compact(number)),
    diverged ? '<' : null,
    findings ? h('span.error', '▲') : null,
  );
}

/** `▶ 22 16/32`: the state, the line, and how many lanes are there. */
function stopLabel({ line, active, state }: StoppedWarp): string {
  const sign = { next: '▶', ready: '', barrier: '‖', done: '✓' }[state];
  return line === null ? sign : `${sign} ${line + 1} ${lanesOf(active).length}/${active.length * 4}`.trim();
}

function stopText({ line, active, state }: StoppedWarp): string {
  const how = { next: 'runs next', ready: 'waits for its turn', barrier: 'is after a barrier', done: 'has ended' }[state];
  return line === null ? how : `${how}, at line ${line + 1} with lanes ${ranges(lanesOf(active))}`;
}
