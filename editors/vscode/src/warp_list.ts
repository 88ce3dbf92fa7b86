// The warps of a run, as the pick list shows them. Pure.
import type { WarpSummary } from '../../panel/src/generated/answers';
import type { Warp } from '../../panel/src/messages';
import { warpAt } from './steps';

export interface ListedWarp extends Warp {
  label: string;
  description: string;
  diverged: boolean;
  findings: number;
}

/** The largest number of warps in the pick list. */
const WARPS_OFFERED = 1024;

/** The warps of a launch with `warps` warps in each block; those with findings are first. `shown` is the warp on the screen. */
export function listWarps(grid: number[], warps: number, summaries: WarpSummary[], shown: Warp): ListedWarp[] {
  const known = new Map(summaries.map((summary) => [key(summary), summary]));
  const listed = warpIds(grid, warps).map((id) => {
    const summary = known.get(key(id));
    const { diverged, findings } = summary ?? { diverged: false, findings: 0 };
    const marks = [...(summary ? figures(summary) : []), ...(key(id) === key(shown) ? ['shown now'] : [])];
    return { ...id, label: `Block ${id.cta.join(',')}  warp ${id.warp}`, description: marks.join(' · '), diverged, findings };
  });
  return [...listed.filter(({ findings }) => findings > 0), ...listed.filter(({ findings }) => findings === 0)];
}

/** `61 % active`, `diverged`, `2 findings` */
function figures({ active, diverged, findings }: WarpSummary): string[] {
  return [`${active} % active`, ...(diverged ? ['diverged'] : []), ...(findings > 0 ? [countFindings(findings)] : [])];
}

export function countFindings(findings: number): string {
  return `${findings} finding${findings === 1 ? '' : 's'}`;
}

function warpIds(grid: number[], warps: number): Warp[] {
  const [width = 1, height = 1, depth = 1] = grid;
  const count = Math.min(width * height * depth * warps, WARPS_OFFERED);
  return Array.from({ length: count }, (_, index) => warpAt(index, grid, warps));
}

function key({ cta, warp }: Warp): string {
  return `${cta.join()}:${warp}`;
}
