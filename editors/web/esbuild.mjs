// Builds the page into `out/`: everything but the language server, which `cargo xtask web` puts beside it.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'smol-toml';
import { writeDocs } from './docs.mjs';

const OUT = 'out';
const EXAMPLES = '../../examples';
const PANEL = '../panel/src';

const common = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  legalComments: 'linked',
  logLevel: 'warning',
  // The panel's own libraries are those of this folder.
  nodePaths: ['node_modules'],
  outdir: OUT,
};

const LANGUAGES = { '.ptx': 'ptx', '.wave': 'wave', '.sass': 'sass' };

function kernel(file) {
  return { text: readFileSync(join(EXAMPLES, file), 'utf8'), language: LANGUAGES[extname(file)] };
}

/** The first launch of a kernel in the launch file of the examples. */
function launchOf(file) {
  const launches = parse(readFileSync(join(EXAMPLES, 'warplens.toml'), 'utf8')).launch;
  const { name: _, file: __, ...launch } = launches.find((launch) => launch.file === file) ?? {};
  return Object.keys(launch).length > 0 ? launch : undefined;
}

const examples = JSON.parse(readFileSync('examples.json', 'utf8')).map(({ title, file, launch = launchOf(file), compare }) => ({
  title,
  ...kernel(file),
  launch,
  compare: compare && kernel(compare),
}));

rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
const worker = await build({ ...common, format: 'iife', entryPoints: [`${PANEL}/graph/worker.ts`], legalComments: 'none', write: false });
// The nonce only has to differ from what a text of a kernel could contain.
const nonce = createHash('sha256').update(JSON.stringify(examples)).digest('base64url').slice(0, 16);
await build({
  ...common,
  entryPoints: { page: 'src/page.ts', link: 'src/link.ts', worker: 'src/worker.ts', 'page-style': 'page.css' },
  entryNames: '[name]',
  external: ['./server.js'],
  define: { EXAMPLES: JSON.stringify(examples), LAYOUT_WORKER: JSON.stringify(worker.outputFiles[0].text), NONCE: JSON.stringify(nonce) },
});
writeFileSync(join(OUT, 'index.html'), readFileSync('index.html', 'utf8').replace('@NONCE@', nonce));
// Node reads `server.js` and `link.js` as modules too.
writeFileSync(join(OUT, 'package.json'), '{ "type": "module" }\n');
const { encodeFragment } = await import(pathToFileURL(join(OUT, 'link.js')));
writeDocs(join(OUT, 'docs'), encodeFragment);
const icon = '../vscode/images/icon.png';
copyFileSync(icon, join(OUT, basename(icon)));
