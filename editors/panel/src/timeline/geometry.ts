// Where steps, lanes and the rows above them are in the time line.

/** The margins for the names of the rows and the share of steps. */
export const LEFT = 50;
export const RIGHT = 84;
/** The upper edge of the lanes. */
export const TOP = 58;
/** The rows above: the base lines of loops, lines and marks, and the upper edge of the colours of the blocks. */
export const LOOP = 11;
export const LINES = 24;
export const BAND = 28;
export const MARKS = 50;

export interface Geometry {
  width: number;
  height: number;
  /** From one lane to the next. */
  pitch: number;
  /** The height of a lane. */
  bar: number;
  /** Pixels of a step. */
  scale: number;
  x(step: number): number;
  y(lane: number): number;
}

/** The geometry of a drawing of `width` pixels with the steps from `from` to `to` of so many lanes. */
export function geometryOf(width: number, lanes: number, pitch: number, from: number, to: number): Geometry {
  const y = (lane: number) => TOP + lane * pitch + Math.floor(lane / 8) * 2;
  const scale = (width - LEFT - RIGHT) / Math.max(1, to - from);
  return { width, pitch, bar: Math.max(1, pitch - 1), y, scale, x: (step) => LEFT + (step - from) * scale, height: y(lanes) + 20 };
}
