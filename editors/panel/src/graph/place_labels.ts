// Where the numbers of edges are: on their edges, and neither on blocks nor on each other, as far as there is room. Pure.
import type { Point } from './layout';

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Where on its edge a number may be, the best place first. */
const PLACES = [0.5, 0.4, 0.6, 0.3, 0.7, 0.22, 0.78, 0.15, 0.85];
/** The height of a number, and the pixels around it. */
const HEIGHT = 14;
const AROUND = 1;

/** The middle of each number. `preferred` is where the layout puts it, `blocks` are the middles of the blocks of this size. */
export function placeLabels(
  edges: { points: Point[]; preferred: Point; width: number }[],
  blocks: Point[],
  { width, height }: { width: number; height: number },
): Point[] {
  const taken = new Grid();
  for (const { x, y } of blocks) taken.add(boxAt({ x, y }, width, height));
  return edges.map(({ points, preferred, width }) => {
    const places = [preferred, ...PLACES.map((part) => along(points, part))];
    const free = places.find((place) => !taken.hits(boxAt(place, width + 2 * AROUND, HEIGHT + 2 * AROUND))) ?? preferred;
    taken.add(boxAt(free, width, HEIGHT));
    return free;
  });
}

function boxAt({ x, y }: Point, width: number, height: number): Box {
  return { x: x - width / 2, y: y - height / 2, width, height };
}

/** A point of a polyline, by its share of the length. */
function along(points: Point[], part: number): Point {
  const lengths = points.slice(1).map((point, at) => Math.hypot(point.x - (points[at]?.x ?? 0), point.y - (points[at]?.y ?? 0)));
  let rest = lengths.reduce((sum, length) => sum + length, 0) * part;
  for (const [at, length] of lengths.entries()) {
    const [from, to] = [points[at], points[at + 1]];
    if (from && to && (rest <= length || at === lengths.length - 1)) {
      const share = length ? Math.min(1, rest / length) : 0;
      return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    }
    rest -= length;
  }
  return points[0] ?? { x: 0, y: 0 };
}

/** Boxes by the cells of a grid, so that a box is compared only with those near it. */
class Grid {
  private readonly cells = new Map<string, Box[]>();

  add(box: Box): void {
    for (const key of cellsOf(box)) this.cells.set(key, [...(this.cells.get(key) ?? []), box]);
  }

  hits(box: Box): boolean {
    return cellsOf(box).some((key) => this.cells.get(key)?.some((other) => overlap(box, other)));
  }
}

const CELL = 100;

function cellsOf({ x, y, width, height }: Box): string[] {
  const keys: string[] = [];
  for (let column = Math.floor(x / CELL); column <= Math.floor((x + width) / CELL); column++)
    for (let row = Math.floor(y / CELL); row <= Math.floor((y + height) / CELL); row++) keys.push(`${column} ${row}`);
  return keys;
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
