// The lanes of a line as numbers for each lane. Pure.
import type { Trace } from '../../panel/src/generated/answers';
import { lanesOf } from '../../panel/src/lanes';

/** The visits of a statement. */
export type Visits = Pick<Trace, 'count' | 'visits'>;

/** How often each lane of a warp reached a statement and executed it. */
export interface LaneCounts {
  visits: number;
  active: number[];
  executed: number[];
}

/** The number of lanes of a mask. */
export function size(mask: string): number {
  return lanesOf(mask).length;
}

/** The number of lanes that a mask has digits for. */
export function width(launched: string): number {
  return launched.length * 4;
}

/** The counts of each lane over all visits. */
export function countLanes(line: Visits, lanes: number): LaneCounts {
  const counts: LaneCounts = { visits: 0, active: Array<number>(lanes).fill(0), executed: Array<number>(lanes).fill(0) };
  for (const { active, executed, repeat } of line.visits) {
    counts.visits += repeat;
    for (const lane of lanesOf(active)) counts.active[lane] = (counts.active[lane] ?? 0) + repeat;
    for (const lane of lanesOf(executed)) counts.executed[lane] = (counts.executed[lane] ?? 0) + repeat;
  }
  return counts;
}

/** The share of the launched threads that executed, over all visits. */
export function share(line: Visits, launched: string): number {
  const threads = line.visits.reduce((sum, visit) => sum + size(visit.executed) * visit.repeat, 0);
  const visits = line.visits.reduce((sum, visit) => sum + visit.repeat, 0);
  return threads / Math.max(visits * size(launched), 1);
}
