// Marks of the time line: divergences, reconvergences, barriers, findings.

import type { Mark } from '../generated/answers';
import { groups, lanesOf } from '../lanes';
import type { Colours } from './colours';
import { RIGHT } from './geometry';
import type { Painting } from './painting';

/** Closer marks of a kind are one, with their number. */
const NEAR = 14;

export function paintMarks(painting: Painting): void {
  const { context, page, geometry, colours } = painting;
  const { x, width, rows, scale } = geometry;
  const at = (mark: Mark) => x(mark.step) + (mark.kind === 'reconverge' || mark.kind === 'finding' ? 0 : scale);
  const visible = page.marks.filter((mark) => at(mark) >= x(0) && at(mark) > 0 && at(mark) < width - RIGHT + 4);
  paintBarriersAndLanes(painting, visible, at);
  const taken: [number, number][] = [];
  for (const kind of ['finding', 'diverge', 'reconverge'] as const) {
    const ofKind = visible.filter((mark) => mark.kind === kind);
    for (const group of groups(ofKind, ([first], next) => at(next) - at(first) < NEAR)) {
      const count = group.reduce((sum, mark) => sum + (mark.count ?? 1), 0);
      const left = at(group[0]) - 4;
      const size = 10 + (count > 1 ? context.measureText(String(count)).width + 2 : 0);
      if (taken.some(([from, to]) => left < to && from < left + size)) continue;
      taken.push([left, left + size]);
      sign(context, kind, left, rows.marks, colours);
      if (count > 1) context.fillText(String(count), left + 11, rows.marks);
    }
  }
}

/** Double lines at barriers, and the lanes of findings. */
function paintBarriersAndLanes({ context, page, geometry, colours }: Painting, marks: Mark[], at: (mark: Mark) => number): void {
  const { bar, scale, x, y, rows } = geometry;
  const top = rows.marks - 8;
  let last = -Infinity;
  for (const mark of marks) {
    if (mark.kind === 'barrier' && at(mark) - last >= 3) {
      last = at(mark);
      context.fillStyle = colours.fg;
      context.fillRect(last - 2, top, 1, y(page.width) - top);
      context.fillRect(last + 1, top, 1, y(page.width) - top);
    }
    if (mark.kind === 'finding') {
      context.fillStyle = colours.error;
      for (const lane of (mark.lanes ?? []).flatMap(lanesOf)) context.fillRect(x(mark.step), y(lane), Math.max(3, scale), bar);
    }
  }
}

function sign(context: CanvasRenderingContext2D, kind: Mark['kind'], left: number, down: number, { fg, error }: Colours): void {
  context.fillStyle = context.strokeStyle = kind === 'finding' ? error : fg;
  context.lineWidth = 1.6;
  context.beginPath();
  if (kind === 'finding') {
    context.moveTo(left + 4.5, down - 9);
    context.lineTo(left + 10, down);
    context.lineTo(left - 1, down);
    context.fill();
    return;
  }
  const [outer, inner] = kind === 'diverge' ? [left + 7, left + 1] : [left + 1, left + 7];
  context.moveTo(outer, down - 9);
  context.lineTo(inner, down - 4.5);
  context.lineTo(outer, down);
  context.stroke();
}
