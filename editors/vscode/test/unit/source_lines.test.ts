// The source lines of compiled code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sourceLines } from '../../src/source_lines';

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
