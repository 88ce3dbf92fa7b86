// Paints the lanes of a page of the time line.

import type { Run, Timeline } from '../generated/answers';
import { grouped, lanesOf } from '../lanes';
import { paintLines, paintLoops } from './bands';
import { LEFT, RIGHT } from './geometry';
import { paintMarks } from './marks';
import type { Painting } from './painting';
import { paintRepeats } from './repeats';

/** The lowest bar that can be framed; a lower one is a thin line where a lane was predicated off. */
const FRAME = 3;

export function paintLanes(painting: Painting): void {
  const { context, page, geometry, colours, runs, isMerged } = painting;
  context.font = colours.font;
  paintGrid(painting);
  context.save();
  context.beginPath();
  context.rect(LEFT, 0, geometry.width - LEFT - RIGHT, 4000);
  context.clip();
  if (!isMerged) paintLoops(painting);
  paintLines(painting);
  for (const run of runs) paintRun(painting, run);
  for (const [at, column] of page.columns.entries()) paintColumn(painting, column, at);
  paintRepeats(painting);
  paintMarks(painting);
  context.restore();
  paintAxis(painting);
  paintShares(painting);
}

/** The names of the rows, and a line for each lane. */
function paintGrid({ context, page, geometry, colours }: Painting): void {
  const { width, bar, y, rows } = geometry;
  const name = (text: string, down: number) => context.fillText(text, LEFT - 6 - context.measureText(text).width, down);
  context.fillStyle = colours.dim;
  if (rows.loop) name('loop', rows.loop);
  name('lines', rows.lines);
  name('marks', rows.marks);
  for (let lane = 0; lane < page.width; lane += 8) name(String(lane), y(lane) + 8);
  context.fillStyle = colours.rule;
  for (let lane = 0; lane < page.width; lane++) context.fillRect(LEFT, y(lane) + Math.floor(bar / 2), width - LEFT - RIGHT, 0.5);
}

/** A visit: lanes that executed are filled, lanes that were predicated off are framed. */
function paintRun({ context, geometry, isMerged, colourOf }: Painting, run: Run): void {
  const { bar, scale, x, y } = geometry;
  const { fill, line } = colourOf(run.block);
  context.fillStyle = fill;
  context.strokeStyle = line;
  context.lineWidth = 1;
  let step = run.step;
  for (const [active, executed, steps] of run.masks) {
    const [left, size] = [x(step), Math.max(0.5, steps * scale - (scale > 3 ? 0.5 : 0))];
    const did = new Set(lanesOf(executed));
    for (const lane of lanesOf(active)) {
      if (did.has(lane) || isMerged) context.fillRect(left, y(lane), size, bar);
      else if (bar < FRAME) context.fillRect(left, y(lane) + bar - 1, size, 0.5);
      else context.strokeRect(left + 0.5, y(lane) + 0.5, Math.max(0.5, size - 1), bar - 1);
    }
    step += steps;
  }
}

/** Many steps: for each lane the share of them in which it was active, in quarters. */
function paintColumn({ context, page, geometry, colourOf }: Painting, column: Timeline['columns'][number], at: number): void {
  const { width, bar, scale, x, y, rows } = geometry;
  const steps = page.column ?? 1;
  const left = x(page.from + at * steps);
  const size = Math.max(0.6, steps * scale);
  if (left + size < LEFT || left > width - RIGHT) return;
  context.fillStyle = colourOf(column.block).fill;
  context.fillRect(left, rows.band, size, 6);
  for (let lane = 0; lane < column.share.length; lane++) {
    const quarters = Math.ceil(parseInt(column.share[lane] ?? '0', 16) / 3.75);
    if (quarters) context.fillRect(left, y(lane) + bar * (1 - quarters / 4), size, (bar * quarters) / 4);
  }
}

function paintAxis({ context, page, geometry, colours }: Painting): void {
  const { y, rows, steps, scale } = geometry;
  const span = Math.max(1, steps.shown);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(span / 4)));
  const tick = span / unit > 20 ? unit * 5 : span / unit > 8 ? unit * 2 : unit;
  const down = y(page.width);
  const base = down + rows.axis - (rows.axis > 16 ? 6 : 3);
  context.fillStyle = colours.dim;
  context.fillText('step', LEFT - 6 - context.measureText('step').width, base);
  // Round numbers, as long as all steps are shown.
  const first = steps.repeats.length ? tick : Math.ceil((steps.at(0) + 1) / tick) * tick - steps.at(0);
  for (let position = first; position <= steps.shown; position += tick) {
    const text = grouped(Math.round(steps.at(position - 1)) + 1);
    const middle = LEFT + (position - 0.5) * scale;
    context.fillRect(middle, down, 1, 3);
    context.fillText(text, middle - context.measureText(text).width / 2, base);
  }
}

/** The share of the steps of the run in which each lane was active. */
function paintShares({ context, page, geometry, colours }: Painting): void {
  const { width, bar, y, rows } = geometry;
  const left = width - RIGHT + 8;
  context.fillStyle = colours.dim;
  if (rows.loop) context.fillText('share of', left, rows.lanes - 20);
  context.fillText(rows.loop ? 'steps' : '% of steps', left, rows.lanes - 7);
  for (let lane = 0; lane < page.width; lane++) {
    context.fillStyle = colours.rule;
    context.fillRect(left, y(lane), 36, bar);
    context.fillStyle = colours.fg;
    context.fillRect(left, y(lane), (36 * (page.lanes[lane] ?? 0)) / Math.max(1, page.steps), bar);
  }
}
