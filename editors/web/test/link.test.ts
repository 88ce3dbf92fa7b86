import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { decodeFragment, encodeFragment, type LinkState } from '../src/link';

const STATE: LinkState = {
  text: '// ünïcode 😀\n.version 8.0\n',
  language: 'ptx',
  launch: { name: 'mine', grid: [2], block: [96], args: [{ name: 'n', u32: 7 }] },
  cta: [1, 0, 0],
  warp: 2,
  line: 14,
  visit: 3,
  tab: 'registers',
  compare: { text: '.kernel k\n', language: 'wave' },
  task: 'Make it faster.',
};

/** The fragment of any JSON. */
const fragmentOf = (json: string | Buffer, version = 1) => `${version}.${deflateRawSync(json).toString('base64url')}`;

const errorOf = (fragment: string) => {
  const decoded = decodeFragment(fragment);
  assert.ok('error' in decoded, fragment.slice(0, 40));
  return decoded.error;
};

/** Numbers below 1 that are the same in every run. */
function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A kernel of this many bytes, with the variety that compilers write. */
function kernel(bytes: number): string {
  const next = random(1);
  const pick = (items: string[]) => items[Math.floor(next() * items.length)];
  const register = () => `%r${Math.floor(next() * 60)}`;
  let text = '.version 8.0\n.target sm_80\n.address_size 64\n.visible .entry kernel(.param .u64 out)\n{\n';
  while (text.length < bytes) {
    const op = pick(['add.s32', 'mul.lo.s32', 'shl.b32', 'xor.b32', 'mad.lo.s32', 'setp.lt.u32', 'ld.global.u32', 'st.shared.u32']);
    text += `\t${op} \t${register()}, ${register()}, ${next() < 0.5 ? register() : Math.floor(next() * 1000)};\n`;
  }
  return `${text}}\n`;
}

test('a state survives a link', () => {
  const fragment = encodeFragment(STATE);
  assert.match(fragment, /^1\.[\w-]+$/);
  assert.deepEqual(decodeFragment(fragment), STATE);
  // Any other tool can read it.
  assert.deepEqual(JSON.parse(inflateRawSync(Buffer.from(fragment.slice(2), 'base64url')).toString()), STATE);
});

test('links of each version are read', () => {
  const lines = readFileSync(new URL('../test/links.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  const versions = new Set<string>();
  for (const line of lines) {
    const [fragment = '', expected = ''] = line.split(' ', 2);
    versions.add(fragment.split('.')[0] ?? '');
    assert.equal(JSON.stringify(decodeFragment(fragment)), Buffer.from(expected, 'base64url').toString());
  }
  assert.deepEqual([...versions], ['1']);
});

test('links are short', () => {
  const launch = { name: 'l', grid: [2], block: [96], args: [{ name: 'out', buffer: 'u32', len: 192, fill: 'iota' }] };
  const lengthOf = (bytes: number) => encodeFragment({ text: kernel(bytes), language: 'ptx', launch }).length;
  assert.ok(lengthOf(3000) <= 2000, `${lengthOf(3000)} characters`);
  assert.ok(lengthOf(10_000) <= 6000, `${lengthOf(10_000)} characters`);
});

test('a link that is no state says why', () => {
  assert.match(errorOf(''), /not a link of Warplens/);
  assert.match(errorOf('hello'), /not a link of Warplens/);
  assert.match(errorOf('9.AAAA'), /version 9, and this page reads version 1/);
  assert.match(errorOf('0.AAAA'), /version 0/);
  assert.match(errorOf('1.'), /damaged/);
  assert.match(errorOf('1.!!!!'), /damaged/);
  assert.match(errorOf(encodeFragment(STATE).slice(0, -9)), /damaged/);
  assert.match(errorOf(fragmentOf('no json')), /damaged/);
  assert.match(errorOf(fragmentOf('[]')), /no kernel/);
  assert.match(errorOf(fragmentOf('null')), /no kernel/);
  assert.match(errorOf(fragmentOf('{"text": 1, "language": "ptx"}')), /no kernel/);
  assert.match(errorOf(fragmentOf('{"text": "", "language": "cobol"}')), /no language/);
  assert.match(errorOf(fragmentOf(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)), /nests more than 32 levels/);
  assert.match(errorOf(fragmentOf(JSON.stringify({ text: 'x'.repeat(1_000_001), language: 'ptx' }))), /more than 1 MB/);
  assert.match(errorOf(`1.${'A'.repeat(3_000_000)}`), /more than 1 MB/);
});

test('members of the wrong type are ignored', () => {
  const bad = '"launch": [], "cta": [1], "warp": -1, "line": 1.5, "visit": "1", "tab": 3, "task": {}, "__proto__": { "x": 1 }, "more": 1';
  const decoded = decodeFragment(fragmentOf(`{"text": "[[\\"\\\\", "language": "sass", ${bad}}`));
  assert.deepEqual(decoded, { text: '[["\\', language: 'sass' });
});

test('a state that is too large is no link', () => {
  assert.throws(() => encodeFragment({ text: 'x'.repeat(1_000_000), language: 'ptx' }), /too large for a link/);
});

test('hostile fragments are answered at once', () => {
  const next = random(7);
  const below = (limit: number) => Math.floor(next() * limit);
  const good = encodeFragment({ ...STATE, text: kernel(3000) });
  const bomb = fragmentOf(Buffer.alloc(100_000_000, '['));
  const strings = fragmentOf(`"${'\\"'.repeat(499_000)}`);
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => below(256))).toString('base64url');
  const kinds: (() => string)[] = [
    () => `${bytes(below(20))}`,
    () => `1.${bytes(below(400))}`,
    () => good.slice(0, below(good.length)),
    () => good.slice(0, 2 + below(good.length)) + bytes(2) + good.slice(2 + below(good.length)),
    () => `${below(1e9)}.${good.slice(2)}`,
    () => fragmentOf('{"text":'.repeat(below(1000))),
    () => fragmentOf(Buffer.from(Array.from({ length: below(200) }, () => below(256)))),
    () => String.fromCharCode(...Array.from({ length: below(60) }, () => below(65_536))),
  ];
  let longest = 0;
  const decode = (fragment: string) => {
    const start = performance.now();
    const decoded = decodeFragment(fragment);
    longest = Math.max(longest, performance.now() - start);
    assert.ok('error' in decoded ? decoded.error.endsWith('.') || decoded.error.includes('`') : typeof decoded.text === 'string');
  };
  for (let count = 0; count < 10_000; count++) decode((kinds[count % kinds.length] as () => string)());
  for (const fragment of [bomb, bomb.slice(0, 2000), strings]) decode(fragment);
  assert.ok(longest < 500, `${longest} ms`);
  const start = performance.now();
  decode(bomb);
  decode(strings);
  console.log(`longest: ${longest.toFixed(1)} ms; a bomb and a string: ${(performance.now() - start).toFixed(1)} ms`);
});
