// The next line and warp of a run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nextFinding, nextLine, nextWarp, splits } from '../../src/steps';

test('the next line wraps around', () => {
  assert.equal(nextLine([30, 10, 20], 10, 1), 20);
  assert.equal(nextLine([30, 10, 20], 30, 1), 10);
  assert.equal(nextLine([30, 10, 20], 10, -1), 30);
  assert.equal(nextLine([30, 10, 20], 25, -1), 20);
  assert.equal(nextLine([], 25, -1), undefined);
});

test('findings of one line follow each other', () => {
  const findings = [{ line: 20 }, { line: 10 }, {}, { line: 20 }, { line: 30 }];
  assert.equal(nextFinding(findings, 5, undefined, 1), 1);
  assert.equal(nextFinding(findings, 10, 1, 1), 0);
  assert.equal(nextFinding(findings, 20, 0, 1), 3);
  assert.equal(nextFinding(findings, 20, 3, 1), 4);
  assert.equal(nextFinding(findings, 30, 4, 1), 1);
  assert.equal(nextFinding(findings, 30, undefined, -1), 3);
  assert.equal(nextFinding(findings, 20, 3, -1), 0);
  // The finding that was shown is of another line: the cursor has moved.
  assert.equal(nextFinding(findings, 20, 1, 1), 4);
  assert.equal(nextFinding([{}], 5, undefined, 1), undefined);
});

test('warps are in the order of blocks', () => {
  const next = (cta: number[], warp: number, direction: 1 | -1) => nextWarp({ cta, warp }, [2, 2, 1], 3, direction);
  assert.deepEqual(next([0, 0, 0], 1, 1), { cta: [0, 0, 0], warp: 2 });
  assert.deepEqual(next([0, 0, 0], 2, 1), { cta: [1, 0, 0], warp: 0 });
  assert.deepEqual(next([1, 0, 0], 2, 1), { cta: [0, 1, 0], warp: 0 });
  assert.deepEqual(next([1, 1, 0], 2, 1), { cta: [0, 0, 0], warp: 0 });
  assert.deepEqual(next([0, 0, 0], 0, -1), { cta: [1, 1, 0], warp: 2 });
});

test('lanes diverge at a branch that some of them take', () => {
  const visits = (executed: string) => ({ count: 1, visits: [{ active: 'ffffffff', executed, repeat: 1 }] });
  assert.ok(splits({ ...visits('0000ffff'), role: 'branch' }));
  assert.ok(!splits({ ...visits('ffffffff'), role: 'branch' }));
  assert.ok(!splits({ ...visits('00000000'), role: 'branch' }));
  assert.ok(!splits(visits('0000ffff')));
  assert.ok(splits({ ...visits('ffffffff'), parts: [16, 16] }));
});
