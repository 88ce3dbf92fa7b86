// The strip of a line as the path of an SVG: a cell for each lane. Pure.
//
// The shape alone shows the lanes: a filled cell executed, a hollow one was predicated off, a thin line was absent. If a
// line has several visits, the height of a cell is the share of the visits that the lane took part in.
import type { Trace } from '../../panel/src/generated/answers';
import { lanesOf } from '../../panel/src/lanes';
import { countLanes, type Visits, width } from './masks';

export const HEIGHT = 11;
/** Lanes between two gaps. */
const GROUP = 8;
const GAP = 2;

/** The widths of cells in pixels: those before the code leave room for it. */
export const CELLS = {
  left: () => ({ cell: 2, space: 0 }),
  right: (lanes: number) => ({ cell: lanes > 32 ? 2 : 3, space: 1 }),
};
export type Position = keyof typeof CELLS;

export interface Shape {
  path: string;
  width: number;
  height: number;
}

/** The width of a strip in pixels. */
export function stripWidth(lanes: number, position: Position): number {
  const { cell, space } = CELLS[position](lanes);
  return lanes * (cell + space) + (Math.ceil(lanes / GROUP) - 1) * GAP;
}

/** The shape of a line that the warp with the lanes `launched` visited. */
export function shape(line: Visits, launched: string, position: Position): Shape {
  const lanes = width(launched);
  const { visits, active, executed } = countLanes(line, lanes);
  const { cell, space } = CELLS[position](lanes);
  let path = '';
  for (const lane of lanesOf(launched)) {
    const x = lane * (cell + space) + Math.floor(lane / GROUP) * GAP;
    const acted = height(executed[lane] ?? 0, visits);
    const reached = height(active[lane] ?? 0, visits);
    if (reached === 0) path += bar(x, HEIGHT - 1, cell, 1);
    else {
      if (reached > acted) path += hollow(x, HEIGHT - reached, cell, reached - acted);
      if (acted > 0) path += bar(x, HEIGHT - acted, cell, acted);
    }
  }
  return { path, width: stripWidth(lanes, position), height: HEIGHT };
}

/** The shape of a line: of its chosen visit, if one is chosen. */
export function shapeOfLine(line: Visits & Pick<Trace, 'chosen'>, launched: string, position: Position): Shape {
  return shape(line.chosen ? { ...line, visits: [line.chosen] } : line, launched, position);
}

/** The shape as the address of an image, whose opaque parts are the cells. */
export function imageOf({ path, width, height }: Shape): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><path fill-rule="evenodd" d="${path}"/></svg>`;
  return `data:image/svg+xml;base64,${btoa(svg)}`;
}

/** A share of the visits in pixels; a lane that took part in any has a visible cell. */
function height(count: number, visits: number): number {
  if (count === 0) return 0;
  return Math.max(3, Math.round((count / visits) * HEIGHT));
}

function bar(x: number, y: number, w: number, h: number): string {
  return `M${x} ${y}h${w}v${h}h${-w}z`;
}

/** An outline of one pixel; a narrow cell has no sides. */
function hollow(x: number, y: number, w: number, h: number): string {
  if (h <= 2) return bar(x, y, w, h);
  if (w <= 2) return bar(x, y, w, 1) + bar(x, y + h - 1, w, 1);
  return bar(x, y, w, h) + bar(x + 1, y + 1, w - 2, h - 2);
}
