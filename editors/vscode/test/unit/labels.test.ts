// The labels that the lanes panel shows beside line numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labelsOf } from '../../../panel/src/labels';

const of = (text: string, statements: number[]) => {
  const lines = text.split('\n');
  return labelsOf((line) => lines[line] ?? '', statements);
};

test('a label is on the line of its statement, or before it', () => {
  const text = 'mov.u32 %r1, 0;\n$L__BB0_1:\n\n  // comment\n  .loc 1 2 3\n  add.u32 %r1, %r1, 1;\nEND: ret;';
  assert.deepEqual(of(text, [0, 5, 6]), { 5: '$L__BB0_1', 6: 'END' });
});

test('a statement after another statement has no label', () => {
  assert.deepEqual(of('.L_x_1:\n  /*0010*/ IADD3 R2, R0, 0x1, RZ ;\n  /*0020*/ EXIT ;', [1, 2]), { 1: '.L_x_1' });
  assert.deepEqual(of('loop:\n  iadd r1, r1, r2 ; x: y\n  break p0', [1, 2]), { 1: 'loop' });
});
