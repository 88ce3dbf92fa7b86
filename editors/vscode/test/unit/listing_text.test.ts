// Listings and style sheets.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isListing } from '../../src/listing_text';

test('a line of a listing makes a text machine code', () => {
  for (const text of [
    '\n\tcode for sm_80\n\t\tFunction : k\n',
    '\t.headerflags\t@"EF_CUDA_SM90"\n',
    '        /*0000*/                   MOV R1, c[0x0][0x28] ;                 /* 0x00000a0000017a02 */\n',
    '// by hand\n@!P0 IADD3.X R1, R2, RZ, R3 ;\n',
    '=> 0x00007fffd3258f60 <+96>:\tEXIT ;\n',
  ])
    assert.ok(isListing(text), text);
});

test('a style sheet is none', () => {
  const sheet = '// colors\n$primary: #0B5CAD\n\n=rounded($r)\n  border-radius: $r\n\n.A\n  color: $primary\n  &:hover\n    @extend %LIT\n';
  assert.equal(isListing(sheet), false);
  assert.equal(
    isListing('/* GNU GENERAL PUBLIC LICENSE;\n COPYRIGHT HOLDER; */\n$a: 1;\n.BOX { margin: 0; }\n@include FOO;\nP { color: RED; }\n'),
    false,
  );
  assert.equal(isListing(''), false);
});
