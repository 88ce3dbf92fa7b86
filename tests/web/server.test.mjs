// The server in dist/web, as a host in Node uses it.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

import { DIST, web } from './connections.mjs';
import { compare, filesBelow } from './parity.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CORPUS = join(dirname(ROOT.replace(/\/$/, '')), 'shared/corpus');

/** The limit of the compressed module, in bytes. */
const MAX_SIZE = 3.5e6;

/** One of how many corpus files is compared. */
const SAMPLE = 25;

const URI = 'file:///kernels/k.ptx';

const kernel = (body, name = 'k') =>
  `.version 8.5\n.target sm_90\n.address_size 64\n.visible .entry ${name}()\n{\n\t.reg .b32 %r<4>;\n${body}\tret;\n}\n`;

const ENDLESS = kernel('L:\n\tadd.u32 %r1, %r1, 1;\n\tbra L;\n');

const textDocument = { uri: URI };

async function opened(text, options = {}) {
  const server = await web(options);
  await server.initialize();
  server.open(URI, 'ptx', text);
  return server;
}

const select = (server, argument = {}) =>
  server.request('workspace/executeCommand', { command: 'warplens.selectLaunch', arguments: [{ uri: URI, ...argument }] });

test('the module is small and imports only the clock and files', () => {
  const bytes = readFileSync(new URL('warplens.wasm', DIST));
  const imports = WebAssembly.Module.imports(new WebAssembly.Module(bytes));
  assert.deepEqual(imports.map(({ module, name }) => `${module}.${name}`).sort(), [
    'warplens.now',
    'warplens.openFile',
    'warplens.readFile',
  ]);
  const size = gzipSync(bytes, { level: 9 }).length;
  assert.ok(size <= MAX_SIZE, `${size} bytes`);
});

test('an invalid message is an error, and the server continues', async () => {
  const server = await web();
  const errors = [];
  const receive = server.receive.bind(server);
  server.receive = (json) => {
    const message = JSON.parse(json);
    if (message.id === null) errors.push(message.error.code);
    receive(json);
  };
  for (const text of ['', '{', '[]', 'null', '"\\ud800"', '{"id":{},"method":"x"}', '{"method":7}']) server.raw(text);
  const { capabilities } = await server.initialize();
  assert.equal(capabilities.hoverProvider, true);
  assert.ok(errors.length >= 4 && errors.every((code) => code === -32700), String(errors));
  // Half of a surrogate pair is no text, but the edit with it must not be lost.
  server.raw(
    `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"${URI}","languageId":"ptx","version":1,"text":"// \\ud800\\n.version 8.5\\n.target sm_90\\nx"}}}`,
  );
  const { result } = await server.request('textDocument/diagnostic', { textDocument });
  assert.ok(
    result.items.some(({ range }) => range.start.line === 3),
    JSON.stringify(result),
  );
});

test('the life cycle', async () => {
  let exited = 0;
  const server = await web({
    onExit: (reason) => {
      exited += reason === undefined ? 1 : 100;
    },
  });
  assert.equal((await server.request('textDocument/hover', { textDocument })).error.code, -32002);
  assert.equal((await server.request('shutdown')).error.code, -32002);
  await server.initialize();
  assert.equal((await server.request('initialize', { capabilities: {} })).error.code, -32600);
  assert.equal((await server.request('no/such')).error.code, -32601);
  assert.deepEqual(await server.request('shutdown'), { result: null });
  assert.equal((await server.request('textDocument/hover', { textDocument })).error.code, -32600);
  server.notify('exit');
  server.notify('initialized', {});
  assert.equal(exited, 1);
});

test('an endless kernel ends at the limit of steps', async () => {
  const server = await opened(ENDLESS);
  await select(server);
  const start = performance.now();
  const { result } = await server.request('warplens/laneMasks', { textDocument });
  assert.equal(result.verdict, 'incomplete', JSON.stringify(result).slice(0, 400));
  assert.ok(performance.now() - start < 20_000);
  const hover = { textDocument, position: { line: 7, character: 2 } };
  assert.match((await server.request('textDocument/hover', hover)).result.contents.value, /add/);
});

test('messages are answered before a run that was selected earlier', async () => {
  const server = await opened(ENDLESS);
  const order = [];
  await select(server);
  const run = server.request('warplens/laneMasks', { textDocument }).then(() => order.push('run'));
  const position = { line: 7, character: 2 };
  const hover = server.request('textDocument/hover', { textDocument, position }).then(() => order.push('hover'));
  await Promise.all([run, hover]);
  assert.deepEqual(order, ['hover', 'run']);
});

test('edits between requests', async () => {
  const server = await opened(kernel('\tmov.u32 %r1, 7;\n'));
  for (let version = 2; version < 40; version += 1) {
    const range = { start: { line: 6, character: 14 }, end: { line: 6, character: 15 } };
    const contentChanges = [{ range, text: version % 2 === 0 ? 'q' : '8' }];
    void server.request('textDocument/hover', { textDocument, position: range.start });
    server.notify('textDocument/didChange', { textDocument: { uri: URI, version }, contentChanges });
    const { result } = await server.request('textDocument/diagnostic', { textDocument });
    assert.equal(
      result.items.some(({ severity }) => severity === 1),
      version % 2 === 0,
    );
  }
});

test('a file of 30,000 lines', async () => {
  const line = (at) => `\tadd.u32 %r${at % 4}, %r${(at + 1) % 4}, ${at};\n`;
  const server = await opened(kernel(Array.from({ length: 30_000 }, (_, at) => line(at)).join('')));
  const { result } = await server.request('textDocument/diagnostic', { textDocument });
  assert.deepEqual(
    result.items.filter(({ severity }) => severity === 1),
    [],
  );
});

test('launch files come from the host', async () => {
  const asked = [];
  const launch = '[[launch]]\nname = "wide"\nfile = "k.ptx"\ngrid = [2]\nblock = [96]\n';
  const read = (uri) => {
    asked.push(uri);
    return uri === 'file:///kernels/warplens.toml' ? launch : null;
  };
  const server = await opened(kernel('\tmov.u32 %r1, %tid.x;\n'), { files: { read } });
  assert.deepEqual(await select(server, { launch: 'wide' }), { result: null });
  const { result } = await server.request('warplens/laneMasks', { textDocument });
  assert.deepEqual(result.launch.block, [96, 1, 1]);
  assert.ok(asked.includes('file:///kernels/warplens.toml'), String(asked));
});

test('what needs a process is refused with a sentence', async () => {
  const server = await opened(kernel(''));
  for (const [method, params] of [
    ['warplens/assemble', { textDocument }],
    ['warplens/targets', { textDocument }],
    ['warplens/compare', { textDocument }],
    ['workspace/executeCommand', { command: 'warplens.ptxasResources', arguments: [{ uri: URI }] }],
  ]) {
    const { error } = await server.request(method, params);
    assert.ok((error?.message ?? '').split(' ').length > 3, `${method}: ${error?.message}`);
  }
});

test('two kernels are compared', async () => {
  const server = await opened(kernel('\tmov.u32 %r1, 1;\n'));
  const other = 'file:///kernels/other.ptx';
  server.open(other, 'ptx', kernel('\tmov.u32 %r1, 2;\n'));
  const { result, error } = await server.request('warplens/compare', { textDocument, other: { uri: other } });
  assert.ok(result, JSON.stringify(error));
});

test('the answers are those of the native server', async () => {
  const files = filesBelow([join(ROOT, 'examples')]);
  if (existsSync(CORPUS)) files.push(...filesBelow([CORPUS], SAMPLE));
  const { differences, answers } = await compare(files);
  assert.deepEqual(
    differences.map(({ file, what }) => `${file}: ${what}`),
    [],
  );
  assert.ok(answers > 100);
});
