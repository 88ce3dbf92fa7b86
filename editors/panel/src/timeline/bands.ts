// The rows above the lanes: the loops, and the lines and colours of the blocks.

import type { Run } from '../generated/answers';
import { count, groups, length, lineRange } from '../lanes';
import { type Geometry, LEFT, RIGHT } from './geometry';
import type { Painting } from './painting';

/** The colours of the blocks and, where they fit, their lines. */
export function paintLines({ context, page, geometry, colours, runs, shown, colourOf, labelOf }: Painting): void {
  const { x, scale, rows } = geometry;
  // The visits of one loop that are drawn in its colour have one label.
  const isTogether = ([run]: [Run, ...Run[]], other: Run) => shown(run.block) !== run.block && shown(other.block) === shown(run.block);
  for (const visits of groups(runs, isTogether)) {
    const [first] = visits;
    const left = x(first.step);
    const size = endOf(visits, geometry) - left;
    context.fillStyle = colourOf(first.block).fill;
    context.fillRect(left, rows.band, Math.max(0.5, size - (scale > 3 ? 0.5 : 0)), 6);
    const { lines } = page.blocks[visits.length === 1 ? first.block : shown(first.block)] ?? {};
    const label = lines && labelOf(lines[0]);
    const texts = [...(label ? [`${label} ${lineRange(lines)}`] : []), lineRange(lines)];
    const text = texts.find((text) => context.measureText(text).width + 4 <= size);
    if (text === undefined) continue;
    const wide = context.measureText(text).width;
    context.fillStyle = colours.dim;
    context.fillText(text, Math.max(left, LEFT) + Math.max(2, (size - wide) / 2), rows.lines);
  }
}

/** A bracket over consecutive visits of the blocks of a loop. */
export function paintLoops({ context, page, geometry, colours, runs }: Painting): void {
  const { x, width, rows } = geometry;
  const down = rows.loop;
  if (!down) return;
  const loopOf = (run: Run) => page.blocks[run.block]?.loop ?? null;
  for (const visits of groups(runs, ([run], other) => loopOf(run) === loopOf(other))) {
    const loop = loopOf(visits[0]);
    if (loop === null) continue;
    const more = geometry.steps.repeats.filter(({ step }) => visits[0].step <= step && x(step) < endOf(visits, geometry));
    const iterations = visits.filter((run) => run.block === loop).length + more.reduce((sum, { count }) => sum + count - 1, 0);
    const [left, right] = [Math.max(LEFT, x(visits[0].step)), Math.min(width - RIGHT, endOf(visits, geometry) - 1)];
    const lines = page.blocks.filter((block) => block.loop === loop).flatMap((block) => block.lines ?? []);
    const text = `lines ${lineRange([Math.min(...lines), Math.max(...lines)])}, ${count(iterations, 'iteration')}`;
    bracket(context, left, right, down, colours.dim);
    const wide = context.measureText(text).width;
    if (right - left < wide + 16) continue;
    const middle = (left + right - wide) / 2;
    context.fillStyle = colours.bg;
    context.fillRect(middle - 4, 0, wide + 8, down + 3);
    context.fillStyle = colours.fg;
    context.fillText(text, middle, down);
  }
}

/** The right edge of consecutive visits. */
function endOf(visits: [Run, ...Run[]], { x, scale }: Geometry): number {
  const last = visits[visits.length - 1] ?? visits[0];
  return x(last.step) + length(last) * scale;
}

function bracket(context: CanvasRenderingContext2D, left: number, right: number, down: number, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(left + 0.5, down + 4);
  context.lineTo(left + 0.5, down - 3.5);
  context.lineTo(right - 0.5, down - 3.5);
  context.lineTo(right - 0.5, down + 4);
  context.stroke();
}
