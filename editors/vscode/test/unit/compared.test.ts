// The sentences about a comparison.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, agreement, differenceOf } from '../../../shared/compared';

const run = { path: 'k.ptx', entry: 'k', model: 'its', status: 'finished', warp_instructions: 1, error: null };
const EQUAL: Answer = {
  equal: true,
  launch: { name: 'small' },
  difference: null,
  compared: { launches: 1, buffers: 2, elements: 64 },
  not_compared: ['timing'],
  runs: [run, run],
  buffers: [],
};

test('what agrees is counted', () => {
  const sentence = 'a.ptx and b.ptx agree: 1 launch, 2 buffers, 64 elements. Not compared: timing.';
  assert.equal(agreement('a.ptx', 'b.ptx', EQUAL), sentence);
  const contraction = { unfused: 'different', fused: 'same', tried: 0, sums: [] };
  assert.match(agreement('a.ptx', 'b.ptx', { ...EQUAL, contraction }), /agree if `mul` and `add` .* are fused, .*: 1 launch/);
});

test('an agreement in which no drawn launch counted says so', () => {
  const warning = 'none of the 8 drawn launches counted: k.ptx:3: Out of bounds';
  assert.match(
    agreement('a.ptx', 'b.ptx', { ...EQUAL, warning }),
    /^only 1 launch compared: none of the 8 drawn launches counted: k.*agree: 1 launch/,
  );
});

test('an element that differs has the writers of each kernel', () => {
  const writer = { line: 4, character: 2, cta: [0, 0, 0], warp: 1, lane: 3 };
  const compared: Answer = {
    ...EQUAL,
    difference: { buffer: 'out', element: 7, a: 1, b: 2, a_writer: writer, b_writer: null },
    buffers: [{ name: 'out', index: 7, values: ['1', '2'], stores: [writer, null], differing: 1, elements: 64 }],
  };
  assert.deepEqual(differenceOf(compared, ['a.ptx', 'b.ptx']), {
    title: 'out[7] is 1 in a.ptx and 2 in b.ptx (launch small; 1 of 64 elements differ)',
    sides: [
      {
        message: 'out[7] is 1 here and 2 in b.ptx (launch small); stored by lane 3 of warp 1 of block 0,0,0',
        at: { line: 4, character: 2 },
      },
      { message: 'out[7] is 2 here and 1 in a.ptx (launch small); no thread stored it here', at: undefined },
    ],
  });
});

test('printed text that differs, and a run that did not finish', () => {
  const printed = differenceOf({ ...EQUAL, output: { line: 2, texts: ['x', null] } }, ['a', 'b']);
  assert.equal(printed.title, 'line 2 of the printed text differs: “x” in a, “no further line” in b');
  const failed = { ...run, status: 'faulted', error: { code: 'out-of-bounds', message: 'out of bounds', line: 3 } };
  const { title, sides } = differenceOf({ ...EQUAL, runs: [run, failed] }, ['a', 'b']);
  assert.equal(title, 'the results were not compared (launch small): a finished, b faulted');
  assert.deepEqual(sides[1], { message: `${title}: out of bounds`, at: { line: 3, character: 0 } });
});
