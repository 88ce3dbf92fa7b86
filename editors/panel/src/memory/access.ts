// Draws an access to memory: lanes wired to the sectors or banks that they access.

import { type Child, h } from '../dom';
import type { AccessRequest } from '../generated/answers';
import { count, grouped, lanesOf } from '../lanes';
import type { Stage } from '../view';

const SECTOR = 32;
/** In a narrower panel the table beside the drawing has fewer columns. */
const TIGHT = 820;
const BANKS = 32;
const LEFT = 64;
/** Where the parts of a drawing are, and whether it also shows the ideal access. */
interface Heights {
  /** The upper edge of sectors and banks. */
  slots: number;
  sector: number;
  /** The most that a bank may have. */
  bank: number;
  ideal: boolean;
}

const HEIGHTS: Heights = { slots: 105, sector: 46, bank: 76, ideal: true };
const SHORT_HEIGHTS: Heights = { slots: 56, sector: 20, bank: 30, ideal: false };

/** An access with the selected lane, and where its parts are in the drawing. */
interface Drawing {
  request: AccessRequest;
  lane: number;
  /** The number of the part that the selected lane accesses, or -1. */
  mine: number;
  heights: Heights;
  /** The width of the drawing, and of the frame of a sector or a bank. */
  size: number;
  box: number;
  laneX(lane: number): number;
  /** Of a sector by its number, of a bank by that of the bank. */
  slotX(slot: number): number;
}

export function drawAccess(stage: Stage, request: AccessRequest): HTMLElement {
  const { lane } = stage.state;
  const lanes = stage.base.width;
  const isShared = request.space === 'shared';
  const slots = isShared ? BANKS : Math.max(1, request.parts.length);
  const { clientWidth } = stage.root;
  const beside = stage.isNarrow ? 24 : clientWidth < TIGHT ? 310 : 460;
  const size = Math.max(300, Math.min(900, clientWidth - beside));
  const across = (at: number, of: number) => LEFT + ((at + 0.5) * (size - LEFT - 4)) / of;
  const width = (of: number) => Math.max(2, Math.min(20, (size - LEFT) / of - 3));
  const drawing: Drawing = {
    request,
    lane,
    mine: request.parts.findLastIndex((part) => lanesOf(part.lanes).includes(lane)),
    heights: stage.isShort ? SHORT_HEIGHTS : HEIGHTS,
    size,
    box: width(slots),
    laneX: (at) => across(at, lanes),
    slotX: (at) => across(at, slots),
  };
  const [parts, height] = isShared ? banks(drawing) : sectors(drawing);
  const name = `${sentence(request)}. ${stride(request)} The table has the same numbers.`;
  const picture = h(
    'svg',
    { width: size, height, role: 'img', 'aria-label': name },
    wires(drawing),
    cells(stage, drawing, width(lanes)),
    parts,
  );
  const line = (title: string, ...text: Child[]) => h('p', h('span.dim.label', title), text);
  const address = request.addresses[lane];
  const cost = h('strong#cost', sentence(request));
  const ofLane = line(`Lane ${lane}`, address ? [h('code', address), ' '] : null, laneSentence(drawing));
  const ofStride = stride(request) ? line('Stride', stride(request)) : null;
  const drawn = h('div.scroll-x', picture);
  const css = `max-width:${size}px`;
  return stage.isShort ? h('div#access', { css }, cost, ofLane, drawn, ofStride) : h('div#access', { css }, cost, drawn, ofLane, ofStride);
}

/** `32 sectors, 4 ideal` */
function sentence({ space, cost, ideal }: AccessRequest): string {
  return `${count(cost, space === 'shared' ? 'wavefront' : 'sector')}, ${grouped(ideal)} ideal`;
}

/** What the selected lane accesses. */
function laneSentence({ request, lane, mine }: Drawing): string {
  const part = request.parts[mine];
  if (!request.addresses[lane]) return 'does not access memory';
  if (request.space === 'shared') return `bank ${part?.bank ?? 0}, wavefront ${(part?.wavefront ?? 0) + 1} of ${request.cost}`;
  const sector = `sector ${mine + 1} of ${request.parts.length}, ${part?.bytes ?? 0} of its 32 bytes used`;
  return request.elements[lane] ? `${request.elements[lane]}, ${sector}` : sector;
}

/** The stroke of what belongs to the selected lane, and of the rest. */
function stroke(isMine: boolean, width = 0.8): { stroke: string; 'stroke-width': number } {
  return isMine ? { stroke: 'var(--accent)', 'stroke-width': 3 } : { stroke: 'var(--wire)', 'stroke-width': width };
}

function wires({ request, lane, laneX, slotX, heights }: Drawing): Child[] {
  return request.parts.map((part, at) =>
    lanesOf(part.lanes).map((of) =>
      h('line', { x1: laneX(of), y1: 36, x2: slotX(part.bank ?? at), y2: heights.slots - 1, ...stroke(of === lane) }),
    ),
  );
}

function cells(stage: Stage, { request, lane, laneX }: Drawing, width: number): Child[] {
  const cell = (at: number): Child[] => {
    const hasLabel = at === lane || (at % 8 === 0 && Math.abs(at - lane) > 1);
    const fill = request.addresses[at] === null ? 'none' : 'var(--lane)';
    const box = { x: laneX(at) - width / 2, y: 18, width, height: 16, fill, ...stroke(at === lane) };
    return [
      hasLabel ? h(`text.${at === lane ? 'strong' : 'dim'}`, { x: laneX(at), y: 12, 'text-anchor': 'middle' }, at) : null,
      h('rect', { ...box, 'data-lane': at, onclick: () => stage.choose(at) }),
    ];
  };
  return [h('text.dim', { x: 0, y: 33 }, 'lane'), Array.from({ length: stage.base.width }, (_, at) => cell(at))];
}

/** A frame for each sector, filled by the bytes that were used; below the ideal ones. */
function sectors({ request, mine, size, box, slotX, heights }: Drawing): [Child[], number] {
  const { slots, sector: tall } = heights;
  const names = [h('text.dim', { x: 0, y: slots + 13 }, '32-byte'), h('text.dim', { x: 0, y: slots + 26 }, 'sectors')];
  const every = Math.max(1, Math.ceil(request.parts.length / Math.max(1, Math.floor((size - LEFT) / 96))));
  const drawn: Child[] = request.parts.map((part, at) => {
    const left = slotX(at) - box / 2;
    const height = ((tall - 2) * part.bytes) / SECTOR;
    const hasLabel = at % every === 0 && slotX(at) + 76 < size;
    return [
      h('rect', { x: left, y: slots, width: box, height: tall, fill: 'none', ...stroke(at === mine, 1) }),
      h('rect', { x: left + 2, y: slots - 1 + tall - height, width: Math.max(1, box - 4), height, fill: 'var(--b1)' }),
      hasLabel ? h('text.dim.mono', { x: left, y: slots + tall + 13 }, part.at) : null,
    ];
  });
  if (!heights.ideal) return [[names, drawn], slots + tall + 18];
  const shown = Math.max(0, Math.min(request.ideal, Math.floor((size - LEFT - 220) / 24)));
  const ideal = Array.from({ length: shown }, (_, at): Child[] => [
    h('rect', { x: LEFT + at * 24, y: 180, width: 18, height: 30, fill: 'none', stroke: 'var(--wire)' }),
    h('rect', { x: LEFT + at * 24 + 2, y: 182, width: 14, height: 26, fill: 'var(--b0)' }),
  ]);
  const bytes = request.bytes * request.addresses.filter((address) => address !== null).length;
  const words = `${grouped(request.ideal)} for ${grouped(bytes)} bytes`;
  const texts = [h('text.dim', { x: 0, y: 200 }, 'ideal'), h('text', { x: LEFT + shown * 24 + 8, y: 200 }, words)];
  return [[names, drawn, ideal, texts], 216];
}

/** Below each bank a bar for each distinct word, in the order of the wavefronts. */
function banks({ request, lane, box, slotX, heights }: Drawing): [Child[], number] {
  const deep = Math.max(1, ...request.parts.map((part) => (part.wavefront ?? 0) + 1));
  const { slots } = heights;
  const tall = Math.max(heights.ideal ? 2 : 1, Math.min(12, heights.bank / deep));
  const bottom = slots + 1 + deep * tall;
  const frames = Array.from({ length: BANKS }, (_, bank): Child[] => {
    const frame = { x: slotX(bank) - box / 2, y: slots, width: box, height: deep * tall + 1, fill: 'none' };
    return [
      h('rect', { ...frame, stroke: 'var(--wire)', 'stroke-width': 0.5 }),
      bank % 8 === 0 ? h('text.dim', { x: slotX(bank), y: bottom + 14, 'text-anchor': 'middle' }, bank) : null,
    ];
  });
  const words = request.parts.map(({ bank = 0, wavefront = 0, lanes }) => {
    const word = {
      x: slotX(bank) - box / 2,
      y: slots + 1 + wavefront * tall,
      width: box,
      height: Math.max(1, tall - 1),
      fill: 'var(--b1)',
    };
    return h('rect', lanesOf(lanes).includes(lane) ? { ...word, stroke: 'var(--accent)', 'stroke-width': 2 } : word);
  });
  return [[h('text.dim', { x: 0, y: slots + 19 }, 'banks'), frames, words], bottom + 20];
}

/** `128 bytes between adjacent lanes.` */
function stride({ addresses, cost, ideal, space }: AccessRequest): string {
  const lanes = addresses.map((address) => (address === null ? null : BigInt(address)));
  const distances = new Set<bigint>();
  lanes.forEach((address, lane) => {
    const before = lanes[lane - 1];
    if (address !== null && before !== null && before !== undefined) distances.add(address - before);
  });
  const [only] = distances;
  if (distances.size !== 1 || only === undefined) return '';
  if (only === 0n) return 'All lanes access the same address.';
  const isScattered = space === 'global' && cost > ideal && only >= 32n;
  return `${only} bytes between adjacent lanes${isScattered ? ': every lane needs a sector of its own' : ''}.`;
}
