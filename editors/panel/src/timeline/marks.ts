// Marks of the time line: divergences, reconvergences, barriers, findings.
import { lanesOf } from '../lanes';
import type { Mark, Timeline } from '../messages';
import type { Geometry } from './picture';

/** Closer marks of a kind are one, with their number. */
const NEAR = 14;

interface Look {
  fg: string;
  error: string;
  bar: number;
  top: number;
  /** The line of the signs. */
  signs: number;
  right: number;
}

export function paintMarks(context: CanvasRenderingContext2D, page: Timeline, geometry: Geometry, look: Look): void {
  const { x, y, scale } = geometry;
  const at = (mark: Mark) => x(mark.step + (mark.kind === 'reconverge' || mark.kind === 'finding' ? 0 : 1));
  const visible = page.marks.filter((mark) => at(mark) >= x(0) && at(mark) > 0 && at(mark) < look.right + 4);
  let barrier = -Infinity;
  for (const mark of visible) {
    if (mark.kind === 'barrier' && at(mark) - barrier >= 3) {
      barrier = at(mark);
      context.fillStyle = look.fg;
      context.fillRect(barrier - 2, look.signs - 8, 1, y(page.width) - look.signs + 8);
      context.fillRect(barrier + 1, look.signs - 8, 1, y(page.width) - look.signs + 8);
    }
    if (mark.kind === 'finding') {
      context.fillStyle = look.error;
      for (const lane of (mark.lanes ?? []).flatMap(lanesOf)) context.fillRect(x(mark.step), y(lane), Math.max(3, scale), look.bar);
    }
  }
  const taken: [number, number][] = [];
  for (const kind of ['finding', 'diverge', 'reconverge'] as const) {
    for (const group of groups(
      visible.filter((mark) => mark.kind === kind),
      at,
    )) {
      const count = group.reduce((sum, mark) => sum + (mark.count ?? 1), 0);
      const left = at(group[0] as Mark) - 4;
      const width = 10 + (count > 1 ? context.measureText(String(count)).width + 2 : 0);
      if (taken.some(([from, to]) => left < to && from < left + width)) continue;
      taken.push([left, left + width]);
      sign(context, kind, left, look);
      if (count > 1) context.fillText(String(count), left + 11, look.signs);
    }
  }
}

/** Marks that are closer than their signs. */
function groups(marks: Mark[], at: (mark: Mark) => number): Mark[][] {
  const all: Mark[][] = [];
  for (const mark of marks) {
    const last = all[all.length - 1];
    if (last && at(mark) - at(last[0] as Mark) < NEAR) last.push(mark);
    else all.push([mark]);
  }
  return all;
}

function sign(context: CanvasRenderingContext2D, kind: Mark['kind'], left: number, { fg, error, signs }: Look): void {
  context.fillStyle = context.strokeStyle = kind === 'finding' ? error : fg;
  context.lineWidth = 1.6;
  context.beginPath();
  if (kind === 'finding') {
    context.moveTo(left + 4.5, signs - 9);
    context.lineTo(left + 10, signs);
    context.lineTo(left - 1, signs);
    context.fill();
    return;
  }
  const [outer, inner] = kind === 'diverge' ? [left + 7, left + 1] : [left + 1, left + 7];
  context.moveTo(outer, signs - 9);
  context.lineTo(inner, signs - 4.5);
  context.lineTo(outer, signs);
  context.stroke();
}
