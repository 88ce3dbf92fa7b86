// Paints the moment, the selected lane and its share of steps.

import type { Timeline } from '../generated/answers';
import { grouped, share } from '../lanes';
import type { State } from '../state';
import type { Colours } from './colours';
import { type Geometry, LEFT, RIGHT } from './geometry';

export function paintCursor(
  context: CanvasRenderingContext2D,
  page: Timeline,
  { step, lane }: State,
  geometry: Geometry,
  { fg, bg, accent, font }: Colours,
): void {
  const { width, y, x, scale, pitch, rows } = geometry;
  context.font = font;
  context.lineWidth = 2;
  context.strokeStyle = accent;
  context.strokeRect(LEFT - 1, y(lane) - 1.5, width - LEFT - RIGHT + 2, pitch + 2);
  const wide = widthOf(context, String(lane));
  label(context, String(lane), LEFT - 2 - wide, y(lane) + pitch / 2, bg, accent, fg);
  if (x(step) >= LEFT - 2 && x(step) <= width - RIGHT + 2) {
    const cell = Math.max(3, scale);
    context.strokeStyle = fg;
    context.strokeRect(x(step), rows.lanes - 3, cell, y(page.width) - rows.lanes + 4);
    const number = grouped(step + 1);
    label(context, number, x(step) + (cell - widthOf(context, number)) / 2, y(page.width) + rows.axis / 2, fg, fg, bg);
  }
  context.fillStyle = fg;
  context.fillText(share(page.lanes[lane] ?? 0, page.steps), width - RIGHT + 48, y(lane) + pitch / 2 + 4);
}

/** The width of the background of a text. */
function widthOf(context: CanvasRenderingContext2D, text: string): number {
  return context.measureText(text).width + 8;
}

/** A text on its own background. */
function label(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  background: string,
  frame: string,
  colour: string,
): void {
  const wide = widthOf(context, text);
  const left = Math.max(1, x);
  context.fillStyle = background;
  context.fillRect(left, y - 7, wide, 14);
  context.strokeStyle = frame;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, y - 6.5, wide - 1, 13);
  context.fillStyle = colour;
  context.fillText(text, left + 4, y + 4);
}
