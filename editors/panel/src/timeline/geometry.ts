// Where steps, lanes and the rows above them are in the time line.

import type { Steps } from './steps';

/** The margins for the names of the rows and the share of steps. */
export const LEFT = 50;
export const RIGHT = 84;

/** The rows above the lanes: the base lines of loops, lines and marks, the upper edges of the colours of the blocks and of the lanes. */
export interface Rows {
  /** Undefined if there is no room for the brackets over loops. */
  loop?: number;
  lines: number;
  band: number;
  marks: number;
  lanes: number;
  /** The height of the axis below the lanes. */
  axis: number;
}

const ROWS: Rows = { loop: 11, lines: 24, band: 28, marks: 50, lanes: 58, axis: 20 };
const SHORT_ROWS: Rows = { lines: 9, band: 12, marks: 27, lanes: 34, axis: 14 };
/** The pixels between groups of eight lanes. */
const GAP = 2;

export interface Geometry {
  steps: Steps;
  width: number;
  height: number;
  rows: Rows;
  /** From one lane to the next. */
  pitch: number;
  /** The height of a lane. */
  bar: number;
  /** Pixels of a step. */
  scale: number;
  x(step: number): number;
  y(lane: number): number;
}

/** The geometry of a drawing of `width` pixels. All lanes fit in `height`, if it is that of a panel; a lane has `most` pixels at most. */
export function geometryOf(width: number, height: number, lanes: number, most: number, steps: Steps): Geometry {
  const pitchIn = (rows: Rows) => Math.floor((height - rows.lanes - rows.axis - (lanes / 8 - 1) * GAP) / lanes);
  const rows = pitchIn(ROWS) >= Math.min(most, 4) ? ROWS : SHORT_ROWS;
  const pitch = Math.max(1, Math.min(most, pitchIn(rows)));
  const y = (lane: number) => rows.lanes + lane * pitch + Math.floor(lane / 8) * GAP;
  const scale = (width - LEFT - RIGHT) / Math.max(1, steps.shown);
  return {
    steps,
    width,
    rows,
    pitch,
    bar: pitch > 2 ? pitch - 1 : pitch,
    y,
    scale,
    x: (step) => LEFT + steps.position(step) * scale,
    height: y(lanes) + rows.axis,
  };
}
