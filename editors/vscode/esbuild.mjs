// Bundles the extension and the lanes panel; `vscode` itself comes from the editor. `--check` fails if the committed script
// of reports is not that of the sources.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const PANEL = '../panel/src';
const REPORT = '../panel/report.js';

const common = { bundle: true, minify: true, logLevel: 'warning' };
const page = { ...common, format: 'iife', platform: 'browser', target: 'es2022', nodePaths: ['node_modules'] };

/** The text of a bundled script. */
async function bundled(options) {
  const { outputFiles } = await build({ ...page, ...options, write: false });
  return outputFiles[0].text;
}

const worker = await bundled({ entryPoints: [`${PANEL}/graph/worker.ts`] });
const define = { LAYOUT_WORKER: JSON.stringify(worker) };
// A report contains dagre and its graphlib, which have the same license. The extension has a file of notices.
const license = readFileSync('node_modules/@dagrejs/dagre/LICENSE', 'utf8');
const banner = { js: `/*! Contains @dagrejs/dagre and @dagrejs/graphlib:\n\n${license}*/` };
const written = await bundled({ entryPoints: [`${PANEL}/report.ts`], define, banner });
// The script is part of a page, which cannot contain control characters; dagre has some in its strings.
const code = (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
const report = written.replace(/(?![\t\n\r])\p{Cc}/gu, code);

if (process.argv.includes('--check')) {
  if (readFileSync(REPORT, 'utf8') !== report) {
    console.error('editors/panel/report.js is out of date: run `npm run build` in editors/vscode');
    process.exit(1);
  }
} else {
  writeFileSync(REPORT, report);
  // No reference to the map, because the package does not contain it.
  const extension = { ...common, format: 'cjs', external: ['vscode'], sourcemap: 'external' };
  await build({ ...extension, entryPoints: ['src/native.ts'], outfile: 'out/extension.js', platform: 'node', target: 'node20' });
  await build({
    ...extension,
    entryPoints: ['src/browser.ts'],
    outfile: 'out/browser.js',
    platform: 'browser',
    target: 'es2022',
    define: { 'process.platform': '"browser"', 'process.arch': '""' },
  });
  // The module is given to the worker, which so needs no address of it.
  const server = { entryPoints: ['src/home/server_worker.ts'], outfile: 'out/server-worker.js', define: { 'import.meta.url': '""' } };
  await build({ ...page, ...server, external: ['node:fs/promises'] });
  await build({
    ...page,
    entryPoints: { panel: `${PANEL}/webview.ts`, 'panel-style': `${PANEL}/panel.css` },
    outdir: 'out',
    define,
  });
}
