// The next line, warp or visit of a run. Pure.
import { size, type Visits } from './strip/masks';

/** Whether lanes diverged at a statement. */
export function splits(line: Visits & { role?: string; parts?: number[] }): boolean {
  if (line.parts && line.parts.length > 1) return true;
  return line.role === 'branch' && line.visits.some(({ active, executed }) => size(executed) !== 0 && executed !== active);
}

/** The line after or before `line`; from the last one the first. */
export function nextLine(lines: number[], line: number, direction: 1 | -1): number | undefined {
  const sorted = [...new Set(lines)].sort((a, b) => (a - b) * direction);
  return sorted.find((other) => (other - line) * direction > 0) ?? sorted[0];
}

export interface WarpId {
  cta: number[];
  warp: number;
}

/** The next warp of a launch in the order of x, y, z; after the last one the first. */
export function nextWarp({ cta, warp }: WarpId, grid: number[], warps: number, direction: 1 | -1): WarpId {
  const [width = 1, height = 1, depth = 1] = grid;
  const [x = 0, y = 0, z = 0] = cta;
  const count = width * height * depth * warps;
  const index = (((z * height + y) * width + x) * warps + warp + direction + count) % count;
  return warpAt(index, grid, warps);
}

/** The warp of this number in a launch with `warps` warps in each block. */
export function warpAt(index: number, [width = 1, height = 1]: number[], warps: number): WarpId {
  const block = Math.floor(index / warps);
  return { cta: [block % width, Math.floor(block / width) % height, Math.floor(block / (width * height))], warp: index % warps };
}
