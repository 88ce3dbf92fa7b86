// Frames around iterations that stand for many equal ones, with their number.

import { grouped } from '../lanes';
import type { Painting } from './painting';

export function paintRepeats({ context, page, geometry, colours }: Painting): void {
  const { x, y, scale, steps } = geometry;
  const [top, height] = [y(0), y(page.width) - y(0)];
  for (const { step, length, count } of steps.repeats) {
    const [left, size] = [x(step), length * scale];
    context.strokeStyle = colours.fg;
    context.lineWidth = 1;
    context.setLineDash([3, 3]);
    context.strokeRect(left + 0.5, top - 2.5, size - 1, height + 2);
    context.setLineDash([]);
    const text = `×${grouped(count)}`;
    const wide = context.measureText(text).width + 6;
    const at = left + (size - wide) / 2;
    context.fillStyle = colours.bg;
    context.fillRect(at, top + height / 2 - 8, wide, 15);
    context.fillStyle = colours.fg;
    context.fillText(text, at + 3, top + height / 2 + 4);
  }
}
