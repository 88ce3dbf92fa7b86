// The next line, finding or warp of a run. Pure.
import type { Warp } from '../../panel/src/messages';
import { size, type Visits } from '../../shared/strip/masks';

export type Direction = 1 | -1;

/** Whether lanes diverged at a statement. */
export function splits(line: Visits & { role?: string; parts?: number[] }): boolean {
  if (line.parts && line.parts.length > 1) return true;
  return line.role === 'branch' && line.visits.some(({ active, executed }) => size(executed) !== 0 && executed !== active);
}

/** The line after or before `line`; from the last one the first. */
export function nextLine(lines: number[], line: number, direction: Direction): number | undefined {
  const sorted = [...new Set(lines)].sort((a, b) => (a - b) * direction);
  return sorted.find((other) => (other - line) * direction > 0) ?? sorted[0];
}

/** The number of the finding after or before the line, or after or before the finding `shown` of this line. */
export function nextFinding(
  findings: { line?: number }[],
  line: number,
  shown: number | undefined,
  direction: Direction,
): number | undefined {
  const placed = findings.flatMap((finding, number) => (finding.line === undefined ? [] : [{ line: finding.line, number }]));
  const sorted = placed.sort((a, b) => (a.line - b.line || a.number - b.number) * direction);
  const at = sorted.findIndex((other) => other.line === line && other.number === shown);
  const next = at >= 0 ? sorted[at + 1] : sorted.find((other) => (other.line - line) * direction > 0);
  return (next ?? sorted[0])?.number;
}

/** The next warp of a launch in the order of x, y, z; after the last one the first. */
export function nextWarp({ cta, warp }: Warp, grid: number[], warps: number, direction: Direction): Warp {
  const [width = 1, height = 1, depth = 1] = grid;
  const [x = 0, y = 0, z = 0] = cta;
  const count = width * height * depth * warps;
  const index = (((z * height + y) * width + x) * warps + warp + direction + count) % count;
  return warpAt(index, grid, warps);
}

/** The warp of this number in a launch with `warps` warps in each block. */
export function warpAt(index: number, [width = 1, height = 1]: number[], warps: number): Warp {
  const block = Math.floor(index / warps);
  return { cta: [block % width, Math.floor(block / width) % height, Math.floor(block / (width * height))], warp: index % warps };
}
