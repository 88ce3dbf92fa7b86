// Lanes, lines and numbers as the panel shows them. Pure.
import type { Lines, Run } from './generated/answers';
import type { Mask } from './messages';

const known = new Map<string, number[]>();

export function lanesOf(mask: Mask): number[] {
  let lanes = known.get(mask);
  if (!lanes) {
    lanes = [];
    for (let digit = 0; digit < mask.length; digit++) {
      const bits = parseInt(mask[mask.length - 1 - digit] ?? '0', 16);
      for (let bit = 0; bit < 4; bit++) if ((bits >> bit) & 1) lanes.push(digit * 4 + bit);
    }
    if (known.size > 5000) known.clear();
    known.set(mask, lanes);
  }
  return lanes;
}

export function has(mask: Mask | undefined, lane: number): boolean {
  return lanesOf(mask ?? '').includes(lane);
}

/** `0–3, 7` */
export function ranges(lanes: number[]): string {
  const parts = groups(lanes, (part, lane) => part[part.length - 1] === lane - 1);
  return parts.map((part) => (part.length === 1 ? `${part[0]}` : `${part[0]}–${part[part.length - 1]}`)).join(', ') || 'none';
}

/** Splits a list into groups of neighbors that belong together. */
export function groups<T>(items: T[], belongs: (group: [T, ...T[]], next: T) => boolean): [T, ...T[]][] {
  const all: [T, ...T[]][] = [];
  for (const item of items) {
    const group = all[all.length - 1];
    if (group && belongs(group, item)) group.push(item);
    else all.push([item]);
  }
  return all;
}

/** Lines as users count them. */
export function lineRange(lines: Lines | null | undefined): string {
  if (!lines) return 'removed';
  return lines[0] === lines[1] ? `${lines[0] + 1}` : `${lines[0] + 1}–${lines[1] + 1}`;
}

export function grouped(number: number): string {
  return number.toLocaleString('en-US');
}

/** `24 %`, rounded down: 100 % is all. */
export function share(part: number, whole: number): string {
  return whole ? `${Math.floor((part * 100) / whole)} %` : '0 %';
}

/** `1 sector`, `32 sectors` */
export function count(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;
}

export function length(run: Run): number {
  return run.masks.reduce((sum, [, , steps]) => sum + steps, 0);
}

/** The block and the masks of a step, from the runs of a page. */
export function runAt(runs: Run[], step: number): { active: Mask; executed: Mask; block: number } | undefined {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((runs[middle]?.step ?? 0) <= step) low = middle + 1;
    else high = middle;
  }
  const run = runs[low - 1];
  let at = run?.step ?? 0;
  for (const [active, executed, steps] of run?.masks ?? []) {
    if (step < at + steps) return { active, executed, block: run?.block ?? 0 };
    at += steps;
  }
  return undefined;
}
