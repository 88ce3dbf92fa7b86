// The pictures of lanes: shapes, columns, and lines that edits move.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lanesOf } from '../../../panel/src/lanes';
import { before, columns, parts, spaceAfter } from '../../../shared/strip/layout';
import { share, size } from '../../../shared/strip/masks';
import { moved, overview, step } from '../../../shared/strip/positions';
import { shape, stripWidth } from '../../../shared/strip/shape';

const ALL = 'ffffffff';
const visit = (active: string, executed = active, repeat = 1) => ({ active, executed, repeat });
const line = (...visits: ReturnType<typeof visit>[]) => ({ count: visits.reduce((sum, { repeat }) => sum + repeat, 0), visits });

/** The cells of a shape: x, y, width and height of each rectangle. */
function rectangles(path: string): number[][] {
  return [...path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g)].map(([, ...numbers]) => numbers.map(Number));
}

test('masks have the highest lane first', () => {
  assert.deepEqual(lanesOf('80000001'), [0, 31]);
  assert.deepEqual(lanesOf('8000000000000001'), [0, 63]);
  assert.equal(size('0000ffff'), 16);
});

test('even and odd lanes have different shapes of equal width', () => {
  for (const position of ['left', 'right'] as const) {
    const even = shape(line(visit('55555555')), ALL, position);
    const odd = shape(line(visit('aaaaaaaa')), ALL, position);
    assert.notEqual(even.path, odd.path);
    assert.equal(even.width, odd.width);
    assert.equal(even.width, stripWidth(32, position));
  }
  assert.equal(stripWidth(32, 'left'), 70);
});

test('a cell is filled, hollow, or a thin line', () => {
  const [executed, outer, inner, absent, ...others] = rectangles(shape(line(visit('00000003', '00000001')), '00000007', 'right').path);
  assert.deepEqual(executed, [0, 0, 3, 11]);
  assert.deepEqual(
    [outer, inner],
    [
      [4, 0, 3, 11],
      [5, 1, 1, 9],
    ],
  );
  assert.deepEqual(absent, [8, 10, 3, 1]);
  assert.deepEqual(others, []);
});

test('a narrow hollow cell has no sides', () => {
  const cells = rectangles(shape(line(visit('00000003', '00000001')), '00000007', 'left').path);
  assert.deepEqual(cells, [
    [0, 0, 2, 11],
    [2, 0, 2, 1],
    [2, 10, 2, 1],
    [4, 10, 2, 1],
  ]);
});

test('eight lanes are followed by a gap', () => {
  const xs = rectangles(shape(line(visit(ALL)), ALL, 'right').path).map(([x]) => x);
  assert.deepEqual(xs.slice(6, 10), [24, 28, 34, 38]);
});

test('the height of a cell is the share of the visits', () => {
  const cells = rectangles(shape(line(visit('00000003'), visit('00000001')), '00000003', 'right').path);
  assert.deepEqual(cells, [
    [0, 0, 3, 11],
    [4, 5, 3, 6],
  ]);
});

test('a lane that executed one of a thousand visits is visible', () => {
  const cells = rectangles(shape(line(visit('00000001', '00000001', 999), visit('00000003')), '00000003', 'right').path);
  assert.ok((cells[1]?.[3] ?? 0) >= 3);
});

test('tabs end at tab stops', () => {
  assert.equal(columns('\tadd.u32\t%r1;', 8), 8 + 8 + 4);
  assert.equal(columns('a\tb', 4), 5);
});

test('strips on the right begin at column 48, or after longer code', () => {
  assert.deepEqual([10, 46, 47, 90].map(spaceAfter), [38, 2, 2, 2]);
});

test('strips on the left take what the indentation of all statements leaves', () => {
  assert.deepEqual(before(32, ['\tadd.u32 \t%r1;', '\t\tret;'], 8), { space: 'calc(76px + 2ch)', label: '76px', room: 2 });
  assert.deepEqual(before(32, ['    add.u32 %r1;', 'LOOP: ret;'], 4), { space: 'calc(76px + 10ch)', label: '76px', room: 12 });
  assert.deepEqual(before(64, ['    halt'], 4), { space: 'calc(148px + 6ch)', label: '148px', room: 7 });
  assert.deepEqual(before(32, [], 8), { space: 'calc(76px + 0ch)', label: '76px', room: 0 });
});

test('in listings, labels are between the address and the instruction', () => {
  const listing = ['        /*0000*/                   EXIT ;', '        /*0010*/              @!P0 BRA 0x10 ;'];
  assert.deepEqual(before(32, listing, 8), { space: 'max(76px - 8ch, 0px)', label: 'max(76px + 11.25ch, 21.25ch)', room: 11 });
  const narrow = [...listing, '        /*0020*/ EXIT ;'];
  assert.deepEqual(before(32, narrow, 8), { space: 'calc(76px + 2ch)', label: '76px', room: 2 });
});

test('a label that is too long for the left, and the condition of a branch, follow the code', () => {
  assert.deepEqual(parts('join 32'), { start: 'join 32', rest: '' });
  assert.deepEqual(parts('split 16|16  tid.x < 16'), { start: 'split 16|16', rest: 'tid.x < 16' });
  assert.deepEqual(parts('x4', 2), { start: 'x4', rest: '' });
  assert.deepEqual(parts('join 32', 2), { start: '', rest: 'join 32' });
  assert.deepEqual(parts('x4 32>24>16>8'), { start: 'x4 32>24>1…', rest: 'x4 32>24>16>8' });
});

const at = (line: number, character: number) => ({ line, character });
const insertion = (line: number, character: number, breaks: number) => ({ start: at(line, character), end: at(line, character), breaks });

test('typing in a line moves no line', () => {
  assert.equal(moved(5, insertion(5, 3, 0)), 5);
  assert.equal(moved(6, insertion(5, 3, 0)), 6);
});

test('new lines move the lines after them', () => {
  assert.equal(moved(5, insertion(5, 12, 1)), 5);
  assert.equal(moved(6, insertion(5, 12, 1)), 7);
  assert.equal(moved(5, insertion(5, 0, 2)), 7);
});

test('removed lines are dropped, and those after them move up', () => {
  const removal = { start: at(2, 0), end: at(4, 0), breaks: 0 };
  assert.deepEqual(
    [1, 2, 3, 4, 5].map((line) => moved(line, removal)),
    [1, undefined, undefined, 2, 3],
  );
});

test('the overview has four steps', () => {
  assert.deepEqual([0, 0.1, 0.25, 0.5, 0.75, 1].map(step), [0, 1, 1, 2, 3, 4]);
  assert.equal(share(line(visit('0000ffff'), visit(ALL)), ALL), 0.75);
  assert.deepEqual(
    overview([
      { line: 1, step: 4 },
      { line: 2, step: 4 },
      { line: 3, step: 1 },
      { line: 9, step: 1 },
    ]),
    [
      [],
      [
        { first: 3, last: 3 },
        { first: 9, last: 9 },
      ],
      [],
      [],
      [{ first: 1, last: 2 }],
    ],
  );
});
