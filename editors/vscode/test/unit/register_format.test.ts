// The formats of registers in the lanes panel.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RegisterRow } from '../../../panel/src/messages';
import { formatsOf, valuesIn } from '../../../panel/src/registers/format';
import { wrapOf } from '../../../panel/src/registers/wrap';

const row = (type: string, bits: (string | null)[]): RegisterRow => ({
  name: '%r1',
  role: 'after',
  type,
  form: null,
  values: bits.map(() => 'of the type'),
  bits,
  changed: '0',
});

test('a register has the formats of its size, without that of its type', () => {
  assert.deepEqual(formatsOf(row('u32', ['00000007'])), ['hex', 'signed', 'f32', 'f16x2', 'bf16x2']);
  assert.deepEqual(formatsOf(row('f32', [null, '3f800000'])), ['hex', 'unsigned', 'signed', 'f16x2', 'bf16x2']);
  assert.deepEqual(formatsOf(row('b64', ['0000000000000000'])), ['unsigned', 'signed', 'f64', 'f32x2']);
  assert.deepEqual(formatsOf(row('pred', ['1'])), []);
});

test('a report has no bits, so only the format of the type', () => {
  assert.deepEqual(formatsOf({ ...row('u32', ['00000007']), bits: undefined }), []);
});

test('values are written in the chosen format', () => {
  const written = (bits: string, format: string) => valuesIn(row('b32', [bits]), format)[0];
  assert.equal(written('3dcccccd', 'f32'), '0.1');
  assert.equal(written('7fc00000', 'f32'), 'nan');
  assert.equal(written('ff800000', 'f32'), '-inf');
  assert.equal(written('80000000', 'f32'), '-0');
  assert.equal(written('fffffffe', 'signed'), '-2');
  assert.equal(written('fffffffe', 'unsigned'), '4294967294');
  assert.equal(written('c0003c00', 'f16x2'), '1 -2');
  assert.equal(written('00013555', 'f16x2'), '0.33325 5.9605e-8');
  assert.equal(written('bf803f80', 'bf16x2'), '1 -1');
  assert.equal(written('3fb999999999999a', 'f64'), '0.1');
  assert.equal(written('400000003f800000', 'f32x2'), '1 2');
  assert.equal(valuesIn(row('u32', ['0000abcd']), 'hex')[0], '0000abcd');
  assert.equal(written('0000abcd', 'unknown'), 'of the type');
  assert.deepEqual(valuesIn(row('b32', [null, '00000001']), 'f32'), [null, '1e-45']);
});

test('values that do not fit in one row of lanes have smaller digits, then two rows, then more', () => {
  assert.deepEqual(wrapOf(3, 32, 900), { rows: 1, isSmall: false });
  assert.deepEqual(wrapOf(4, 32, 940), { rows: 1, isSmall: true });
  assert.deepEqual(wrapOf(7, 32, 800), { rows: 2, isSmall: true });
  assert.deepEqual(wrapOf(10, 32, 800), { rows: 4, isSmall: false });
  assert.deepEqual(wrapOf(64, 32, 800), { rows: 0, isSmall: true });
});
