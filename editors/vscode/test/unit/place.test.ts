// Places of a run, as they are typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coordinates, describe, lineOfRegister, missing, parsePlace } from '../../src/go_to/place';

const ptx = (text: string) => parsePlace(text, false);

test('the parts of a place are in any order, with and without spaces', () => {
  const place = { block: [0, 1, 0], warp: 3, visit: 5, lane: 9, register: '%r7' };
  assert.deepEqual(ptx('b 0,1,0 w3 v5 %r7 l9'), place);
  assert.deepEqual(ptx('%r7 l 9 V5 w 3 b 0, 1, 0'), place);
  assert.deepEqual(ptx('b0,1,0w3v5l9%r7'), place);
  assert.deepEqual(ptx('t 37'), { step: 37 });
  assert.deepEqual(ptx(':12 v2'), { line: 12, visit: 2 });
});

test('an element of a buffer, even of one whose name is a letter of a place', () => {
  assert.deepEqual(ptx('out[129]'), { element: { buffer: 'out', index: 129 } });
  assert.deepEqual(ptx('b[3]'), { element: { buffer: 'b', index: 3 } });
  assert.deepEqual(ptx('w2[3] l4'), { element: { buffer: 'w2', index: 3 }, lane: 4 });
});

test('registers of listings have no percent sign', () => {
  assert.deepEqual(parsePlace('R7 l9', true), { register: 'R7', lane: 9 });
  assert.deepEqual(parsePlace('UR4', true), { register: 'UR4' });
  assert.equal(ptx('R7'), undefined);
});

test('other words are searched', () => {
  for (const text of ['', 'data-race', 'w', 'loop', 'w3 loop', 'w3 w4', 'l9x']) assert.equal(ptx(text), undefined, text);
});

test('a place in words', () => {
  assert.equal(describe({ block: [2], warp: 3, visit: 5, lane: 9, register: '%r7' }), 'Block 2, warp 3, visit 5, %r7, lane 9');
  assert.equal(describe({ register: '%r7' }), '%r7');
});

test('a block has coordinates or a number', () => {
  assert.deepEqual(coordinates([5], [4, 2, 1]), [1, 1, 0]);
  assert.deepEqual(coordinates([1, 1], [4, 2, 1]), [1, 1, 0]);
  assert.equal(coordinates([8], [4, 2, 1]), undefined);
  assert.equal(coordinates([0, 2, 0], [4, 2, 1]), undefined);
});

test('a launch says why it does not have a place', () => {
  const shape = { grid: [4, 2, 1], warps: 1, width: 32 };
  assert.equal(missing({ block: [8] }, shape), 'the launch has 8 blocks: 4 x 2 x 1');
  assert.equal(missing({ warp: 1 }, shape), 'a block has 1 warp, from 0');
  assert.equal(missing({ lane: 32 }, shape), 'a warp has 32 lanes, from 0');
  assert.equal(missing({ visit: 0 }, shape), 'visits, steps and lines are counted from 1');
  assert.equal(missing({ block: [7], warp: 0, lane: 31, visit: 1 }, shape), undefined);
});

test('a register is looked for where it is written', () => {
  const find = (register: string, text: string[]) => lineOfRegister(register, [...text.keys()], (line) => text[line] ?? '');
  assert.equal(find('%r7', ['st.u32 [%rd1], %r7;', 'mov.u32 %r70, %r7;', '  @%p1 add.u32 %r7, %r1, 1;']), 2);
  assert.equal(find('%r7', ['ld.v2.u32 {%r7, %r8}, [%rd1];']), 0);
  assert.equal(find('%p2', ['setp.lt.u32 %p1|%p2, %r1, %r2;']), 0);
  assert.equal(find('%r7', ['st.u32 [%rd1], %r70;', 'st.u32 [%rd1], %r7;']), 1);
  assert.equal(find('R7', ['/*0010*/ IADD3 R7, R1, R2, RZ ;']), 0);
  assert.equal(find('%r9', ['ret;']), undefined);
});
