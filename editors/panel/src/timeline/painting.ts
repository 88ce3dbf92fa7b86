// What is painted of a page of the time line, and how.

import type { Run, Timeline } from '../generated/answers';
import { length } from '../lanes';
import { type BlockColour, blockColours, type Colours } from './colours';
import { type Geometry, LEFT, RIGHT } from './geometry';

/** Visits that are shorter on average, in pixels, have the colour of their loop. */
const SHORT = 7;

export interface Painting {
  context: CanvasRenderingContext2D;
  page: Timeline;
  from: number;
  to: number;
  geometry: Geometry;
  colours: Colours;
  /** The visits in the window. */
  runs: Run[];
  /** Whether visits are too short for more than the colour of their loop. */
  isMerged: boolean;
  /** The block whose colour a block has: the one of its loop if visits are short. */
  shown(block: number): number;
  colourOf(block: number): BlockColour;
  /** The label before the statement of a line. */
  labelOf(line: number): string | undefined;
}

export function paintingOf(
  context: CanvasRenderingContext2D,
  page: Timeline,
  { from, to }: { from: number; to: number },
  geometry: Geometry,
  colours: Colours,
  labelOf: (line: number) => string | undefined,
): Painting {
  const runs = page.runs.filter((run) => run.step < to && run.step + length(run) > from);
  const isMerged = runs.length > 0 && (geometry.width - LEFT - RIGHT) / runs.length < SHORT;
  const shown = (block: number) => (isMerged || page.columns.length ? (page.blocks[block]?.loop ?? block) : block);
  const colour = blockColours(context, colours);
  return { context, page, from, to, geometry, colours, runs, isMerged, shown, colourOf: (block) => colour(shown(block)), labelOf };
}
