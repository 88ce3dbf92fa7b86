// What can be typed into the box "Go to…": a place in a run, its parts in any order, such as `b 0,1,0 w3 v5 l9 %r7`. Pure.
import { warpAt } from '../steps';

/** A place in a run: what is not named stays as it is. Numbers as they are typed. */
export interface Place {
  /** The coordinates of a block, or its number. */
  block?: number[];
  warp?: number;
  visit?: number;
  lane?: number;
  /** A step of the warp, from 1. */
  step?: number;
  /** A line, from 1. */
  line?: number;
  register?: string;
  element?: { buffer: string; index: number };
}

/** Each part of a place. The register of a listing has no `%`, so it is only read where listings are shown. */
const PARTS: { pattern: RegExp; read: (place: Place, groups: string[], isListing: boolean) => boolean }[] = [
  { pattern: /^b\s*(\d+(?:\s*,\s*\d+){0,2})/i, read: (place, [block = '']) => set(place, 'block', block.split(',').map(Number)) },
  { pattern: /^w\s*(\d+)/i, read: (place, [number]) => set(place, 'warp', Number(number)) },
  { pattern: /^v\s*(\d+)/i, read: (place, [number]) => set(place, 'visit', Number(number)) },
  { pattern: /^l\s*(\d+)/i, read: (place, [number]) => set(place, 'lane', Number(number)) },
  { pattern: /^t\s*(\d+)/i, read: (place, [number]) => set(place, 'step', Number(number)) },
  { pattern: /^:\s*(\d+)/, read: (place, [number]) => set(place, 'line', Number(number)) },
  { pattern: /^(%[\w$.]+)/, read: (place, [name]) => set(place, 'register', name) },
  { pattern: /^((?:UR|UP|R|P)\d+)\b/i, read: (place, [name], isListing) => isListing && set(place, 'register', name) },
  {
    pattern: /^([\w$.]+)\[(\d+)\]/,
    read: (place, [buffer = '', index]) => set(place, 'element', { buffer, index: Number(index) }),
  },
];

function set<K extends keyof Place>(place: Place, part: K, value: Place[K]): boolean {
  const isNew = place[part] === undefined;
  place[part] = value;
  return isNew;
}

/** The place that a text names; undefined if any of it names none. */
export function parsePlace(text: string, isListing: boolean): Place | undefined {
  const place: Place = {};
  let rest = text.trim();
  while (rest) {
    const left = rest;
    // An element first: `b[3]` is not a block.
    for (const { pattern, read } of [...PARTS].reverse()) {
      const found = pattern.exec(left);
      if (!found || !read(place, found.slice(1), isListing)) continue;
      rest = left.slice(found[0].length).trimStart();
      break;
    }
    if (rest === left) return undefined;
  }
  return Object.keys(place).length > 0 ? place : undefined;
}

/** The place in words: `Block 2, warp 3, visit 5, %r7, lane 9`. */
export function describe(place: Place): string {
  const { block, warp, visit, lane, step, line, register, element } = place;
  const parts = [
    block && `block ${block.join(',')}`,
    warp !== undefined && `warp ${warp}`,
    step !== undefined && `step ${step}`,
    line !== undefined && `line ${line}`,
    visit !== undefined && `visit ${visit}`,
    register,
    lane !== undefined && `lane ${lane}`,
    element && `${element.buffer}[${element.index}]`,
  ];
  const text = parts.filter((part) => part).join(', ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The shape of a launch, as far as places are checked. */
export interface Shape {
  grid: number[];
  /** Warps of a block. */
  warps: number;
  /** Lanes of a warp. */
  width: number;
}

/** Why a launch does not have a place. */
export function missing({ block, warp, lane, visit, step, line }: Place, { grid, warps, width }: Shape): string | undefined {
  const blocks = grid.reduce((product, length) => product * length, 1);
  if (block && !coordinates(block, grid)) return `the launch has ${blocks} ${blocks === 1 ? 'block' : 'blocks'}: ${grid.join(' x ')}`;
  if (warp !== undefined && warp >= warps) return `a block has ${warps} ${warps === 1 ? 'warp' : 'warps'}, from 0`;
  if (lane !== undefined && lane >= width) return `a warp has ${width} lanes, from 0`;
  if ([visit, step, line].includes(0)) return 'visits, steps and lines are counted from 1';
  return undefined;
}

/** The coordinates of a block from its coordinates or its number, x first. */
export function coordinates(block: number[], grid: number[]): number[] | undefined {
  const [width = 1, height = 1, depth = 1] = grid;
  const [first = 0, y = 0, z = 0] = block;
  if (block.length === 1) return first < width * height * depth ? warpAt(first, grid, 1).cta : undefined;
  return first < width && y < height && z < depth ? [first, y, z] : undefined;
}

/** The first of these lines that writes a register, or else the first that names it. */
export function lineOfRegister(register: string, lines: number[], text: (line: number) => string): number | undefined {
  const name = register.replace(/[$.*+?^()[\]{}|\\]/g, '\\$&');
  const guard = String.raw`(?:@!?[%\w]+\s+)?`;
  const address = String.raw`(?:/\*[^*]*\*/\s*)?`;
  const writes = new RegExp(String.raw`^\s*${address}${guard}[\w.:]+\s+[{\s]*(?:[%\w$]+\s*\|\s*)?${name}(?![\w$])`);
  const names = new RegExp(String.raw`(?<![\w$%])${name}(?![\w$])`);
  return lines.find((line) => writes.test(text(line))) ?? lines.find((line) => names.test(text(line)));
}
