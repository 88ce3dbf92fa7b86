// The numbers of the edges of a graph.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeLabels } from '../../../panel/src/graph/place_labels';

const line = (y: number, width = 40) => ({
  points: [
    { x: 0, y },
    { x: 300, y },
  ],
  preferred: { x: 150, y },
  width,
});

test('numbers are where the layout puts them, if there is room', () => {
  assert.deepEqual(placeLabels([line(0), line(40)], [], { width: 0, height: 0 }), [
    { x: 150, y: 0 },
    { x: 150, y: 40 },
  ]);
});

test('numbers move along their edges, away from blocks and from each other', () => {
  const size = { width: 60, height: 40 };
  const placed = placeLabels([line(0), line(4), line(8)], [{ x: 150, y: 10 }], size);
  const boxes = [...placed.map(({ x, y }) => ({ x, y, width: 40, height: 14 })), { x: 150, y: 10, ...size }];
  for (const [at, a] of boxes.entries())
    for (const b of boxes.slice(at + 1))
      assert.ok(Math.abs(a.x - b.x) >= (a.width + b.width) / 2 || Math.abs(a.y - b.y) >= (a.height + b.height) / 2, JSON.stringify([a, b]));
});
