// The list of the warps of a run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listWarps } from '../../src/warp_list';

test('warps with findings are first, and each has its figures', () => {
  const whole = { cta: [0, 0, 0], warp: 0, instructions: 10, active: 100, diverged: false, findings: 0 };
  const diverged = { cta: [1, 0, 0], warp: 0, instructions: 10, active: 61, diverged: true, findings: 2 };
  const listed = listWarps([2, 1, 1], 2, [whole, diverged], { cta: [0, 0, 0], warp: 0 });
  assert.deepEqual(
    listed.map(({ label, description }) => `${label}: ${description}`),
    [
      'Block 1,0,0  warp 0: 61 % active · diverged · 2 findings',
      'Block 0,0,0  warp 0: 100 % active · shown now',
      'Block 0,0,0  warp 1: ',
      'Block 1,0,0  warp 1: ',
    ],
  );
  assert.equal(listWarps([1, 1, 1], 1, [{ ...diverged, findings: 1 }], { cta: [1, 0, 0], warp: 0 }).length, 1);
});
