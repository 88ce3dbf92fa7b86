// Paints the lanes of a page of the time line.
import { grouped, lanesOf, length, lineRange, share } from '../lanes';
import type { Run, Timeline } from '../messages';
import type { State } from '../state';
import { hatchOf } from './hatch';
import { paintMarks } from './marks';
import type { Geometry } from './picture';

/** The margins for the names of the rows and the share of steps. */
export const LEFT = 50;
export const RIGHT = 84;
/** Above the lanes: loops, lines, their colours, marks. */
export const TOP = 58;
const [LOOP, LINES, BAND, MARKS] = [11, 24, 28, 50];

/** Shorter visits on average have the colour of their loop. */
const SHORT = 7;

export function paintLanes(
  context: CanvasRenderingContext2D,
  page: Timeline,
  from: number,
  to: number,
  geometry: Geometry,
  style: CSSStyleDeclaration,
): void {
  const { width, pitch, y, x, scale } = geometry;
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const [fg, dim, rule] = [colour('--fg'), colour('--dim'), colour('--rule')];
  const bar = Math.max(1, pitch - 1);
  const plot = width - LEFT - RIGHT;
  context.font = `11px ${style.fontFamily}`;
  context.fillStyle = dim;
  const label = (text: string, down: number) => context.fillText(text, LEFT - 6 - context.measureText(text).width, down);
  label('loop', LOOP);
  label('lines', LINES);
  label('marks', MARKS);
  for (let lane = 0; lane < page.width; lane += 8) label(String(lane), y(lane) + 8);
  context.fillStyle = rule;
  for (let lane = 0; lane < page.width; lane++) context.fillRect(LEFT, y(lane) + Math.floor(bar / 2), plot, 0.5);

  context.save();
  context.beginPath();
  context.rect(LEFT, 0, plot, 4000);
  context.clip();
  const visible = page.runs.filter((run) => run.step < to && run.step + length(run) > from);
  const isMerged = visible.length > 0 && plot / visible.length < SHORT;
  const shown = (block: number) => (isMerged || page.columns.length ? (page.blocks[block]?.loop ?? block) : block);
  const fills = new Map<number, { fill: string | CanvasPattern; line: string }>();
  const fillOf = (block: number) => {
    const key = shown(block);
    let found = fills.get(key);
    if (!found) {
      const line = colour(`--b${key % 4}`);
      found = { fill: hatchOf(context, line, colour('--bg'), (key + Math.floor(key / 4)) % 4), line };
      fills.set(key, found);
    }
    return found;
  };
  if (!isMerged) paintLoops(context, page, visible, geometry, fg, dim, style);
  paintLines(context, page, visible, geometry, dim, shown, (block) => fillOf(block).fill);
  for (const run of visible) {
    const { fill, line } = fillOf(run.block);
    let step = run.step;
    for (const [active, executed, steps] of run.masks) {
      const [left, size] = [x(step), Math.max(0.5, steps * scale - (scale > 3 ? 0.5 : 0))];
      const did = new Set(lanesOf(executed));
      context.fillStyle = fill;
      for (const lane of lanesOf(active)) {
        if (did.has(lane) || isMerged) {
          context.fillRect(left, y(lane), size, bar);
        } else {
          context.strokeStyle = line;
          context.lineWidth = 1;
          context.strokeRect(left + 0.5, y(lane) + 0.5, Math.max(0.5, size - 1), bar - 1);
        }
      }
      step += steps;
    }
  }
  page.columns.forEach((column, at) => {
    const left = x(page.from + at * (page.column ?? 1));
    const size = Math.max(0.6, (page.column ?? 1) * scale);
    if (left + size < LEFT || left > width - RIGHT) return;
    context.fillStyle = fillOf(column.block).fill;
    context.fillRect(left, BAND, size, 6);
    for (let lane = 0; lane < column.share.length; lane++) {
      const quarters = Math.ceil(parseInt(column.share[lane] ?? '0', 16) / 3.75);
      if (quarters) context.fillRect(left, y(lane) + bar * (1 - quarters / 4), size, (bar * quarters) / 4);
    }
  });
  paintMarks(context, page, geometry, { fg, error: colour('--error'), bar, top: TOP, signs: MARKS, right: width - RIGHT });
  context.restore();
  paintAxis(context, page, from, to, geometry, dim);
  context.fillStyle = dim;
  context.fillText('share of', width - RIGHT + 8, TOP - 20);
  context.fillText('steps', width - RIGHT + 8, TOP - 7);
  for (let lane = 0; lane < page.width; lane++) {
    context.fillStyle = rule;
    context.fillRect(width - RIGHT + 8, y(lane), 36, bar);
    context.fillStyle = fg;
    context.fillRect(width - RIGHT + 8, y(lane), (36 * (page.lanes[lane] ?? 0)) / Math.max(1, page.steps), bar);
  }
}

/** The colours of the blocks and, where they fit, their lines. */
function paintLines(
  context: CanvasRenderingContext2D,
  page: Timeline,
  runs: Run[],
  { x, scale }: Geometry,
  dim: string,
  shown: (block: number) => number,
  fillOf: (block: number) => string | CanvasPattern,
): void {
  for (let at = 0; at < runs.length; at++) {
    const run = runs[at] as Run;
    const first = at;
    // The visits of one loop that are drawn in its colour have one label.
    while (at + 1 < runs.length && shown((runs[at + 1] as Run).block) === shown(run.block) && shown(run.block) !== run.block) at++;
    const last = runs[at] as Run;
    const [left, size] = [x(run.step), (last.step + length(last) - run.step) * scale];
    context.fillStyle = fillOf(run.block);
    context.fillRect(left, BAND, Math.max(0.5, size - (scale > 3 ? 0.5 : 0)), 6);
    const text = lineRange(page.blocks[first === at ? run.block : shown(run.block)]?.lines);
    const wide = context.measureText(text).width;
    if (size < wide + 4) continue;
    context.fillStyle = dim;
    context.fillText(text, Math.max(left, LEFT) + Math.max(2, (size - wide) / 2), LINES);
  }
}

/** A bracket over consecutive visits of the blocks of a loop. */
function paintLoops(
  context: CanvasRenderingContext2D,
  page: Timeline,
  runs: Run[],
  { x, width }: Geometry,
  fg: string,
  dim: string,
  style: CSSStyleDeclaration,
): void {
  const loopOf = (run: Run) => page.blocks[run.block]?.loop ?? null;
  for (let at = 0; at < runs.length; at++) {
    const loop = loopOf(runs[at] as Run);
    if (loop === null) continue;
    const first = runs[at] as Run;
    let iterations = first.block === loop ? 1 : 0;
    while (at + 1 < runs.length && loopOf(runs[at + 1] as Run) === loop) {
      at++;
      if ((runs[at] as Run).block === loop) iterations++;
    }
    const last = runs[at] as Run;
    const [left, right] = [Math.max(LEFT, x(first.step)), Math.min(width - RIGHT, x(last.step + length(last)) - 1)];
    const lines = page.blocks.filter((block) => block.loop === loop && block.lines).flatMap((block) => block.lines ?? []);
    const text = `lines ${lineRange([Math.min(...lines), Math.max(...lines)])}, ${iterations} iteration${iterations === 1 ? '' : 's'}`;
    const wide = context.measureText(text).width;
    context.strokeStyle = dim;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left + 0.5, LOOP + 4);
    context.lineTo(left + 0.5, LOOP - 3.5);
    context.lineTo(right - 0.5, LOOP - 3.5);
    context.lineTo(right - 0.5, LOOP + 4);
    context.stroke();
    if (right - left < wide + 16) continue;
    const middle = (left + right - wide) / 2;
    context.fillStyle = style.getPropertyValue('--bg').trim();
    context.fillRect(middle - 4, 0, wide + 8, LOOP + 3);
    context.fillStyle = fg;
    context.fillText(text, middle, LOOP);
  }
}

function paintAxis(context: CanvasRenderingContext2D, page: Timeline, from: number, to: number, { x, y }: Geometry, dim: string): void {
  const span = Math.max(1, to - from);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(span / 4)));
  const tick = span / unit > 20 ? unit * 5 : span / unit > 8 ? unit * 2 : unit;
  const down = y(page.width);
  context.fillStyle = dim;
  context.fillText('step', LEFT - 6 - context.measureText('step').width, down + 14);
  for (let step = Math.ceil((from + 1) / tick) * tick; step <= to; step += tick) {
    const text = grouped(step);
    context.fillRect(x(step - 0.5), down, 1, 4);
    context.fillText(text, x(step - 0.5) - context.measureText(text).width / 2, down + 14);
  }
}

/** The moment, the selected lane and its share of steps. */
export function paintCursor(
  context: CanvasRenderingContext2D,
  page: Timeline,
  { step, lane }: State,
  geometry: Geometry,
  style: CSSStyleDeclaration,
): void {
  const { width, y, x, scale, pitch } = geometry;
  const colour = (name: string) => style.getPropertyValue(name).trim();
  const [fg, bg, accent] = [colour('--fg'), colour('--bg'), colour('--accent')];
  context.font = `11px ${style.fontFamily}`;
  context.lineWidth = 2;
  const wide = Math.max(3, scale);
  const inside = x(step) >= LEFT - 2 && x(step) <= width - RIGHT + 2;
  context.strokeStyle = accent;
  context.strokeRect(LEFT - 1, y(lane) - 1.5, width - LEFT - RIGHT + 2, pitch + 2);
  label(context, String(lane), LEFT - 6, y(lane) + pitch / 2, 'right', bg, accent, fg);
  if (inside) {
    context.strokeStyle = fg;
    context.strokeRect(x(step), TOP - 3, wide, y(page.width) - TOP + 4);
    label(context, grouped(step + 1), x(step) + wide / 2, y(page.width) + 10, 'center', fg, fg, bg);
  }
  context.fillStyle = fg;
  context.fillText(share(page.lanes[lane] ?? 0, page.steps), width - RIGHT + 48, y(lane) + pitch / 2 + 4);
}

/** A text on its own background. */
function label(
  context: CanvasRenderingContext2D,
  text: string,
  x: number,
  y: number,
  align: 'right' | 'center',
  background: string,
  frame: string,
  colour: string,
): void {
  const wide = context.measureText(text).width + 8;
  const left = Math.max(1, align === 'right' ? x - wide + 4 : x - wide / 2);
  context.fillStyle = background;
  context.fillRect(left, y - 8, wide, 16);
  context.strokeStyle = frame;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, y - 7.5, wide - 1, 15);
  context.fillStyle = colour;
  context.fillText(text, left + 4, y + 4);
}
