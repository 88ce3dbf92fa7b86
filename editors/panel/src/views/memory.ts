// The accesses of a statement: lanes wired to sectors or banks; beside it the accesses of the kernel with the largest excess.
import { type Child, h } from '../dom';
import { count, grouped, lanesOf, ranges } from '../lanes';
import type { Accesses, AccessRequest, WorstAccess } from '../messages';
import type { Panel } from '../panel';
import type { View } from '../view';

const SECTOR = 32;
const BANKS = 32;
const LEFT = 64;

export const memoryView: View<Accesses> = {
  label: 'Memory',
  followsStep: true,
  legend: (_, { requests: [request] }) => [
    request?.space === 'global' ? '▁ fill: bytes used of 32' : request ? 'bars: distinct words, by wavefront' : null,
  ],

  async load(panel) {
    const content = await panel.source.request('accesses', { step: panel.state.step });
    if (!content) throw new Error('The accesses of this step are not known.');
    return content;
  },

  table: (panel, { requests, worst }) =>
    requests.length
      ? [
          ['space', 'address', 'lanes', 'bytes used', 'bank', 'wavefront'],
          ...requests.flatMap((request) =>
            request.parts.map((part) => [
              request.space,
              part.at,
              ranges(lanesOf(part.lanes)),
              part.bytes,
              part.bank ?? '',
              part.wavefront === undefined ? '' : part.wavefront + 1,
            ]),
          ),
        ]
      : [
          ['line', 'statement', 'space', 'requests', 'cost', 'ideal', 'excess'],
          ...worst.map((access) => [
            access.line + 1,
            panel.source.statement(access.line),
            access.space,
            access.requests,
            access.cost,
            access.ideal,
            excess(access),
          ]),
        ],

  draw(panel, content) {
    const [request] = content.requests;
    return h(
      'div',
      { class: 'two' },
      request
        ? access(panel, request)
        : h(
            'p',
            { class: 'dim' },
            'This statement does not access global or shared memory. ',
            content.worst.length ? 'The accesses of the kernel are listed, the largest excess first.' : null,
          ),
      worst(panel, content),
    );
  },

  moved(panel, content) {
    const drawn = panel.root.querySelector('#access');
    if (drawn && content.requests[0]) drawn.replaceWith(access(panel, content.requests[0]));
  },
};

function excess({ cost, ideal }: { cost: number; ideal: number }): number {
  return Math.max(0, cost - ideal);
}

/** `32 sectors, 4 ideal` */
function sentence({ space, cost, ideal }: AccessRequest): string {
  return `${count(cost, space === 'shared' ? 'wavefront' : 'sector')}, ${grouped(ideal)} ideal`;
}

function access(panel: Panel, request: AccessRequest): HTMLElement {
  const { width } = panel.base;
  const { lane } = panel.state;
  const isShared = request.space === 'shared';
  const size = Math.max(300, Math.min(900, panel.isNarrow ? panel.root.clientWidth - 24 : panel.root.clientWidth - 460));
  const across = (at: number, of: number) => LEFT + ((at + 0.5) * (size - LEFT - 4)) / of;
  const gap = (at: number) => Math.max(2, Math.min(20, (size - LEFT) / at - 3));
  const slots = isShared ? BANKS : Math.max(1, request.parts.length);
  const partX = (at: number) => across(isShared ? (request.parts[at]?.bank ?? 0) : at, slots);
  const [cell, box] = [gap(width), gap(slots)];
  const drawing: Child[] = [
    h('text', { x: 0, y: 33, class: 'dim' }, 'lane'),
    h('text', { x: 0, y: isShared ? 124 : 118, class: 'dim' }, isShared ? 'banks' : '32-byte'),
    isShared ? null : h('text', { x: 0, y: 132, class: 'dim' }, 'sectors'),
  ];
  const wires: Child[] = [];
  let mine = -1;
  request.parts.forEach((part, at) => {
    for (const of of lanesOf(part.lanes)) {
      if (of === lane) mine = at;
      wires.push(
        h('line', {
          x1: across(of, width),
          y1: 36,
          x2: partX(at),
          y2: 104,
          stroke: of === lane ? 'var(--accent)' : 'var(--wire)',
          'stroke-width': of === lane ? 3 : 0.8,
        }),
      );
    }
  });
  drawing.push(wires);
  for (let at = 0; at < width; at++) {
    const on = request.addresses[at] !== null;
    const label = at === lane || (at % 8 === 0 && Math.abs(at - lane) > 1);
    drawing.push(
      label ? h('text', { x: across(at, width), y: 12, 'text-anchor': 'middle', class: at === lane ? 'strong' : 'dim' }, at) : null,
      h('rect', {
        x: across(at, width) - cell / 2,
        y: 18,
        width: cell,
        height: 16,
        fill: on ? 'var(--lane)' : 'none',
        stroke: at === lane ? 'var(--accent)' : 'var(--wire)',
        'stroke-width': at === lane ? 3 : 0.8,
        'data-lane': at,
        onclick: () => panel.choose(at),
      }),
    );
  }
  const [parts, height] = isShared ? banks(request, (bank) => across(bank, BANKS), box, lane) : sectors(request, partX, box, mine, size);
  drawing.push(parts);
  const address = request.addresses[lane];
  const part = request.parts[mine];
  const where = !address
    ? 'does not access memory'
    : isShared
      ? `bank ${part?.bank ?? 0}, wavefront ${(part?.wavefront ?? 0) + 1} of ${request.cost}`
      : [request.elements[lane], `sector ${mine + 1} of ${request.parts.length}`, `${part?.bytes ?? 0} of its 32 bytes used`]
          .filter(Boolean)
          .join(', ');
  const line = (name: string, ...text: Child[]) => h('p', null, h('span', { class: 'dim label' }, name), text);
  return h(
    'div',
    { id: 'access' },
    h('strong', { id: 'cost' }, sentence(request)),
    h(
      'div',
      { class: 'scroll-x' },
      h(
        'svg',
        { width: size, height, role: 'img', 'aria-label': `${sentence(request)}. ${stride(request)} The table has the same numbers.` },
        drawing,
      ),
    ),
    line(`Lane ${lane}`, address ? [h('code', null, address), ' '] : null, where),
    stride(request) ? line('Stride', stride(request)) : null,
  );
}

/** A frame for each sector, filled by the bytes that were used; below the ideal ones. */
function sectors(request: AccessRequest, x: (at: number) => number, box: number, mine: number, size: number): [Child[], number] {
  const tall = 46;
  const drawn: Child[] = request.parts.map((part, at) => {
    const fill = ((tall - 2) * part.bytes) / SECTOR;
    return [
      h('rect', {
        x: x(at) - box / 2,
        y: 105,
        width: box,
        height: tall,
        fill: 'none',
        stroke: at === mine ? 'var(--accent)' : 'var(--wire)',
        'stroke-width': at === mine ? 3 : 1,
      }),
      h('rect', { x: x(at) - box / 2 + 2, y: 104 + tall - fill, width: Math.max(1, box - 4), height: fill, fill: 'var(--b1)' }),
    ];
  });
  const every = Math.max(1, Math.ceil(request.parts.length / Math.max(1, Math.floor((size - LEFT) / 96))));
  request.parts.forEach((part, at) => {
    if (at % every === 0 && x(at) + 76 < size) drawn.push(h('text', { x: x(at) - box / 2, y: 166, class: 'dim mono' }, part.at));
  });
  const shown = Math.min(request.ideal, Math.floor((size - LEFT - 220) / 24));
  drawn.push(h('text', { x: 0, y: 200, class: 'dim' }, 'ideal'));
  for (let at = 0; at < shown; at++) {
    drawn.push(
      h('rect', { x: LEFT + at * 24, y: 180, width: 18, height: 30, fill: 'none', stroke: 'var(--wire)' }),
      h('rect', { x: LEFT + at * 24 + 2, y: 182, width: 14, height: 26, fill: 'var(--b0)' }),
    );
  }
  const bytes = request.bytes * request.addresses.filter((address) => address !== null).length;
  drawn.push(h('text', { x: LEFT + Math.max(0, shown) * 24 + 8, y: 200 }, `${grouped(request.ideal)} for ${grouped(bytes)} bytes`));
  return [drawn, 216];
}

/** Below each bank a bar for each distinct word, in the order of the wavefronts. */
function banks(request: AccessRequest, x: (at: number) => number, box: number, lane: number): [Child[], number] {
  const deep = Math.max(1, ...request.parts.map((part) => (part.wavefront ?? 0) + 1));
  const tall = Math.max(2, Math.min(12, 76 / deep));
  const drawn: Child[] = [];
  for (let bank = 0; bank < BANKS; bank++) {
    drawn.push(
      h('rect', {
        x: x(bank) - box / 2,
        y: 105,
        width: box,
        height: deep * tall + 1,
        fill: 'none',
        stroke: 'var(--wire)',
        'stroke-width': 0.5,
      }),
    );
    if (bank % 8 === 0) drawn.push(h('text', { x: x(bank), y: 106 + deep * tall + 14, 'text-anchor': 'middle', class: 'dim' }, bank));
  }
  request.parts.forEach((part) => {
    const mine = lanesOf(part.lanes).includes(lane);
    drawn.push(
      h('rect', {
        x: x(part.bank ?? 0) - box / 2,
        y: 106 + (part.wavefront ?? 0) * tall,
        width: box,
        height: Math.max(1, tall - 1),
        fill: 'var(--b1)',
        stroke: mine ? 'var(--accent)' : null,
        'stroke-width': mine ? 2 : null,
      }),
    );
  });
  return [drawn, 106 + deep * tall + 20];
}

/** `128 bytes between adjacent lanes.` */
function stride(request: AccessRequest): string {
  const lanes = request.addresses.map((address) => (address === null ? null : BigInt(address)));
  const distances = new Set<bigint>();
  lanes.forEach((address, lane) => {
    const before = lanes[lane - 1];
    if (address !== null && before !== null && before !== undefined) distances.add(address - before);
  });
  const [only] = distances;
  if (distances.size !== 1 || only === undefined) return '';
  if (only === 0n) return 'All lanes access the same address.';
  return `${only} bytes between adjacent lanes${request.cost > request.ideal && request.space === 'global' && only >= 32n ? ': every lane needs a sector of its own' : ''}.`;
}

function worst(panel: Panel, content: Accesses): HTMLElement {
  const most = Math.max(1, ...content.worst.map(excess));
  const table = (space: WorstAccess['space'], title: string) => {
    const rows = content.worst.filter((access) => access.space === space);
    if (!rows.length) return null;
    const isHere = (access: WorstAccess) => access.line === panel.moment?.line && panel.moment.step === panel.state.step;
    return h(
      'table',
      { class: 'worst' },
      h(
        'thead',
        null,
        h(
          'tr',
          null,
          h('th', { scope: 'col', class: 'number' }, 'line'),
          h('th', { scope: 'col', class: 'statement' }, title),
          ['requests', 'cost', 'ideal', 'excess'].map((name) => h('th', { scope: 'col', class: `number ${name}` }, name)),
        ),
      ),
      h(
        'tbody',
        null,
        rows.map((access) =>
          h(
            'tr',
            { class: isHere(access) ? 'picked' : null },
            h(
              'td',
              { class: 'number' },
              h(
                'button',
                {
                  type: 'button',
                  class: 'link',
                  id: `access-${space}-${access.line}`,
                  title: 'Go to the last visit of this line',
                  onclick: () => void panel.goToLine(access.line, undefined, true),
                },
                grouped(access.line + 1),
              ),
            ),
            h('td', null, h('code', null, panel.source.statement(access.line).slice(0, 60))),
            (['requests', 'cost', 'ideal'] as const).map((name) => h('td', { class: `number mono ${name}` }, grouped(access[name]))),
            h(
              'td',
              { class: 'number mono strong' },
              grouped(excess(access)),
              h('span', { class: 'heat', css: `width:${Math.round((excess(access) / most) * 100)}%` }),
            ),
          ),
        ),
      ),
    );
  };
  const tables = [table('global', 'Global, 32-byte sectors'), table('shared', 'Shared, wavefronts')].filter((one) => one !== null);
  return h(
    'div',
    { class: 'scroll' },
    tables.length
      ? [
          tables,
          h(
            'p',
            { class: 'dim' },
            `Sums over all warps. Excess = cost − ideal, the largest first.${content.truncated ? ' Truncated to 200.' : ''}`,
          ),
        ]
      : h('p', { class: 'dim' }, 'The run has no access to global or shared memory whose cost is known.'),
  );
}
