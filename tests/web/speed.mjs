// Measures the module in dist/web against the native program, one after the other: a run on one core, and a keystroke to its diagnostics.
//
//   node speed.mjs
//
// Set `WARPLENS` to a program of the profile `dist`.
import { readFileSync } from 'node:fs';

import { native, web } from './connections.mjs';

const EXAMPLES = new URL('../../examples/', import.meta.url);
const URI = 'file:///speed/k.ptx';
const textDocument = { uri: URI };

/** Warp instructions of the run. */
const STEPS = 40_000_000;

const KEYSTROKES = 40;

/** A loop of a warp in which every lane works. */
const LOOP = `.version 8.5\n.target sm_90\n.address_size 64\n.visible .entry k()\n{
\t.reg .b32 %r<4>;\n\t.reg .f32 %f<4>;\n\tmov.u32 %r1, %tid.x;\n\tcvt.rn.f32.u32 %f1, %r1;
L:\n\tadd.u32 %r1, %r1, 1;\n\txor.b32 %r2, %r2, %r1;\n\tfma.rn.f32 %f2, %f1, %f1, %f2;\n\tbra L;\n\tret;\n}\n`;

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Warp instructions a second. */
async function simulation(server) {
  const settings = { warplens: { simulation: { maxSteps: STEPS } } };
  server.notify('workspace/didChangeConfiguration', { settings });
  server.open(URI, 'ptx', LOOP);
  const start = performance.now();
  const select = { command: 'warplens.selectLaunch', arguments: [{ uri: URI, launch: { name: 'one warp', grid: [1], block: [32] } }] };
  await server.request('workspace/executeCommand', select);
  await server.request('warplens/laneMasks', { textDocument });
  const seconds = (performance.now() - start) / 1000;
  server.close(URI);
  return STEPS / seconds;
}

/** Milliseconds from an edit to the diagnostics. */
async function keystroke(server, text) {
  server.open(URI, 'ptx', text);
  await server.request('textDocument/diagnostic', { textDocument });
  const line = text.split('\n').findIndex((content) => content.trim().startsWith('ret'));
  const at = { line, character: 0 };
  const times = [];
  for (let version = 2; version < 2 + KEYSTROKES; version += 1) {
    const start = performance.now();
    server.notify('textDocument/didChange', {
      textDocument: { uri: URI, version },
      contentChanges: [{ range: { start: at, end: at }, text: ' ' }],
    });
    await server.request('textDocument/diagnostic', { textDocument });
    times.push(performance.now() - start);
  }
  server.close(URI);
  return median(times);
}

const matmul = readFileSync(new URL('matmul.ptx', EXAMPLES), 'utf8');
const [header] = matmul.split('.visible .entry');
const kernel = matmul.slice(header.length);
const count = Math.ceil(200_000 / kernel.length);
const large = header + Array.from({ length: count }, (_, at) => kernel.replace('matmul', `matmul_${at}`)).join('\n');

const figures = {};
for (const [name, start] of Object.entries({ native, web })) {
  const server = await start();
  await server.initialize();
  figures[name] = {
    simulation: await simulation(server),
    small: await keystroke(server, matmul),
    large: await keystroke(server, large),
  };
  server.stop();
}
for (const [name, { simulation: speed, small, large: slow }] of Object.entries(figures)) {
  const millions = (speed / 1e6).toFixed(1);
  console.log(`${name}: ${millions} million warp instructions/s; keystroke ${small.toFixed(1)} ms, in 200 kB ${slow.toFixed(1)} ms`);
}
console.log(`simulation: ${(figures.web.simulation / figures.native.simulation).toFixed(2)} of the native speed`);
process.exit(0);
