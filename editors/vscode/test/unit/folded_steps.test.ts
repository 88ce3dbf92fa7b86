// The positions of steps in a time line that shows one of many equal iterations.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stepsOf } from '../../../panel/src/timeline/steps';

test('without repeats, positions count from the start of the window', () => {
  const steps = stepsOf(10, 30);
  assert.equal(steps.shown, 20);
  assert.equal(steps.position(12.5), 2.5);
  assert.equal(steps.at(2.5), 12.5);
});

test('of equal iterations, the first has positions', () => {
  const steps = stepsOf(0, 1000, [
    { step: 10, length: 3, count: 300 },
    { step: 920, length: 2, count: 20 },
  ]);
  assert.equal(steps.shown, 1000 - 897 - 38);
  assert.deepEqual([0, 10, 12, 13, 14, 908, 909, 910, 920, 959, 960].map(steps.position), [0, 10, 12, 10, 11, 11, 12, 13, 23, 24, 25]);
  assert.deepEqual([0, 10, 12, 13, 23, 25].map(steps.at), [0, 10, 12, 910, 920, 960]);
});

test('a repeat that is only partly in the window is not folded', () => {
  assert.equal(stepsOf(100, 200, [{ step: 90, length: 2, count: 30 }]).shown, 100);
});
