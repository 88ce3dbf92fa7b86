// The source lines of compiled code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linesTogether, movedLines, sourceLines } from '../../src/source_lines';

const TEXT = `.file 1 "/src/k.cu"
.visible .entry k()
{
	.reg .b32 %r<2>;
	.loc 1 20 5
	mov.u32 %r1, 0;
	add.u32 %r1, %r1, 1;
	.loc 2 7 0, function_name $L__info0, inlined_at 1 21 9
	add.u32 %r1, %r1, 2;
	.loc 3 1 1
	add.u32 %r1, %r1, 3;
	ret;
}
.visible .entry other()
{
	ret;
}`;

test('a line belongs to the last .loc before it in its function', () => {
  const links = [
    { line: 0, target: 'file:///src/k.cu' },
    { line: 4, target: 'file:///src/k.cu#L20,5' },
    { line: 7, target: 'file:///cuda/include/util.h#L7' },
    { line: 7, target: 'file:///src/k.cu#L21,9' },
  ];
  const found = sourceLines(TEXT.split('\n'), links);
  const shown = found.flatMap((place, line) => (place ? [`${line}: ${place.line}`] : []));
  // The file of line 9 was not found, so its line and those after it have none.
  assert.deepEqual(shown, ['4: 19', '5: 19', '6: 19', '7: 20', '8: 20']);
});

const LISTING = `	.section	.text.k,"ax",@progbits
.text.k:
	//## File "/cuda/include/util.h", line 7 inlined at "/src/k.cu", line 9
	//## File "/src/k.cu", line 9
        /*0000*/                   NOP ;
        /*0010*/                   NOP ;
	//## File ".nv_debug_ptx_txt", line 12
        /*0020*/                   EXIT ;
	.section	.text.other,"ax",@progbits
        /*0000*/                   EXIT ;`;

test('a line of a listing belongs to the comments before it in its section', () => {
  const links = [
    { line: 2, target: 'file:///cuda/include/util.h#L7' },
    { line: 2, target: 'file:///src/k.cu#L9' },
    { line: 3, target: 'file:///src/k.cu#L9' },
    { line: 6, target: 'file:///src/k.ptx#L12' },
  ];
  const found = sourceLines(LISTING.split('\n'), links);
  const shown = found.flatMap((place, line) => (place ? [`${line}: ${place.uri.slice(12)} ${place.line}`] : []));
  assert.deepEqual(shown, ['2: k.cu 8', '3: k.cu 8', '4: k.cu 8', '5: k.cu 8', '6: k.ptx 11', '7: k.ptx 11']);
});

const place = (uri: string, line: number) => ({ uri, line });

test('lines belong together over several files', () => {
  const compiled = new Map([
    ['sass', [undefined, place('ptx', 1), place('ptx', 0), place('ptx', 1)]],
    ['other', [place('ptx', 1)]],
    ['ptx', [place('cu', 5), place('cu', 5), place('cu', 6)]],
  ]);
  const together = (uri: string, line: number) =>
    [...linesTogether(compiled, uri, line)].map(([other, lines]) => `${other} ${[...lines].sort().join(',')}`).sort();
  assert.deepEqual(together('sass', 1), ['cu 5', 'other 0', 'ptx 1', 'sass 1,3']);
  assert.deepEqual(together('ptx', 1), ['cu 5', 'other 0', 'ptx 0,1', 'sass 1,3']);
  assert.deepEqual(together('cu', 5), ['cu 5', 'other 0', 'ptx 0,1', 'sass 1,2,3']);
  assert.deepEqual(together('sass', 0), ['sass 0']);
});

test('an edit of a source moves the lines that refer to it', () => {
  const lines = [place('ptx', 1), place('cu', 4), place('ptx', 4), undefined];
  const edit = { start: { line: 2, character: 0 }, end: { line: 2, character: 0 }, breaks: 2 };
  assert.deepEqual(movedLines(lines, 'ptx', edit), [place('ptx', 1), place('cu', 4), place('ptx', 6), undefined]);
});
