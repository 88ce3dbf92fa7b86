// The accesses of a statement, and beside it the accesses of the kernel with the largest excess.

import { h } from '../dom';
import type { WorstAccess } from '../generated/answers';
import { grouped, lanesOf, ranges } from '../lanes';
import { drawAccess } from '../memory/access';
import type { Accesses } from '../messages';
import type { Rows } from '../table';
import type { Stage, View } from '../view';

export const memoryView: View<Accesses> = {
  label: 'Memory',
  followsStep: true,
  legend: (_, { requests: [request] }) => [
    request?.space === 'global' ? '▁ fill: bytes used of 32' : request ? 'bars: distinct words, by wavefront' : null,
  ],

  async load(stage) {
    const content = await stage.source.request('accesses', { step: stage.state.step });
    if (!content) throw new Error('The accesses of this step are not known.');
    return content;
  },

  table: (stage, content) => (content.requests.length ? partsTable(content) : worstTable(stage, content)),

  draw(stage, content) {
    const [request] = content.requests;
    const none = 'This statement does not access global or shared memory. ';
    const others = content.worst.length ? 'The accesses of the kernel are listed, the largest excess first.' : null;
    return h('div.two', request ? drawAccess(stage, request) : h('p.dim', none, others), worst(stage, content));
  },

  moved(stage, content) {
    const drawn = stage.root.querySelector('#access');
    if (drawn && content.requests[0]) drawn.replaceWith(drawAccess(stage, content.requests[0]));
  },
};

function partsTable({ requests }: Accesses): Rows {
  const rows = requests.flatMap(({ space, parts }) =>
    parts.map(({ at, lanes, bytes, bank, wavefront }) => {
      return [space, at, ranges(lanesOf(lanes)), bytes, bank ?? '', wavefront === undefined ? '' : wavefront + 1];
    }),
  );
  return [['space', 'address', 'lanes', 'bytes used', 'bank', 'wavefront'], ...rows];
}

function worstTable(stage: Stage, { worst }: Accesses): Rows {
  const rows = worst.map((access) => {
    const { line, space, requests, cost, ideal } = access;
    return [line + 1, stage.source.statement(line), space, requests, cost, ideal, excess(access)];
  });
  return [['line', 'statement', 'space', 'requests', 'cost', 'ideal', 'excess'], ...rows];
}

function excess({ cost, ideal }: { cost: number; ideal: number }): number {
  return Math.max(0, cost - ideal);
}

/** The accesses of all warps: a table for each space. */
function worst(stage: Stage, { worst, truncated }: Accesses): HTMLElement {
  if (!worst.length) return h('div.scroll', h('p.dim', 'The run has no access to global or shared memory whose cost is known.'));
  const most = Math.max(1, ...worst.map(excess));
  const table = (space: WorstAccess['space'], name: string, unit: string) => {
    const rows = worst.filter((access) => access.space === space);
    if (!rows.length) return null;
    const numbers = ['requests', 'cost', 'ideal', 'excess'].map((title) => h(`th.number.${title}`, { scope: 'col' }, title));
    const head = h(
      'tr',
      h('th.number', { scope: 'col' }, 'line'),
      h('th.statement', { scope: 'col' }, name, h('span.unit', `, ${unit}`)),
      numbers,
    );
    return h(
      'table.worst',
      h('thead', head),
      h(
        'tbody',
        rows.map((access) => worstRow(stage, access, most)),
      ),
    );
  };
  const note = `Sums over all warps. Excess = cost − ideal, the largest first.${truncated ? ' Truncated to 200.' : ''}`;
  return h('div.scroll', table('global', 'Global', '32-byte sectors'), table('shared', 'Shared', 'wavefronts'), h('p.dim', note));
}

function worstRow(stage: Stage, access: WorstAccess, most: number): HTMLElement {
  const { space, line } = access;
  const isHere = line === stage.moment?.line && stage.moment.step === stage.state.step;
  const go = {
    id: `access-${space}-${line}`,
    title: 'Go to the last visit of this line',
    onclick: () => void stage.goToLine(line),
  };
  return h(
    'tr',
    { class: isHere ? 'picked' : null },
    h('td.number', h('button.link', go, grouped(line + 1))),
    h('td', { title: stage.source.statement(line) }, h('code', stage.source.statement(line))),
    (['requests', 'cost', 'ideal'] as const).map((name) => h(`td.number.mono.${name}`, grouped(access[name]))),
    h('td.number.mono.strong', grouped(excess(access)), h('span.heat', { css: `width:${Math.round((excess(access) / most) * 100)}%` })),
  );
}
