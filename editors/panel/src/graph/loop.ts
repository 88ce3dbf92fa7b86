// The place of an edge that all layouts share.
import type { Layout, Point } from './layout';

/** From a block to itself: a loop above it. */
export function loopAbove({ x, y }: Point, width: number, height: number): Layout['edges'][number] {
  const [top, right, left] = [y - height / 2, x + width / 4, x - width / 4];
  const points = [
    { x: right, y: top },
    { x: right + 4, y: top - 24 },
    { x, y: top - 26 },
    { x: left - 4, y: top - 24 },
    { x: left, y: top },
  ];
  return { points, label: { x, y: top - 25 } };
}
