// Bundles the extension and the lanes panel; `vscode` itself comes from the editor. `--check` fails if the committed script
// of reports is not that of the sources.
import { readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const PANEL = '../panel/src';
const REPORT = '../panel/report.js';

const common = { bundle: true, minify: true, logLevel: 'warning' };
const page = { ...common, format: 'iife', platform: 'browser', target: 'es2022', nodePaths: ['node_modules'] };

/** `worker:NAME` is the text of a worker that lays out graphs, `graph/NAME.ts`. */
const worker = {
  name: 'worker',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^worker:/ }, ({ path }) => ({ path, namespace: 'worker' }));
    onLoad({ filter: /.*/, namespace: 'worker' }, async ({ path }) => {
      const file = `${PANEL}/graph/${path.slice('worker:'.length)}.ts`;
      const built = await build({ ...page, entryPoints: [file], write: false });
      return { contents: built.outputFiles[0].text, loader: 'text' };
    });
  },
};

const report = await build({ ...page, entryPoints: [`${PANEL}/report.ts`], plugins: [worker], write: false });
const text = report.outputFiles[0].text;

if (process.argv.includes('--check')) {
  if (readFileSync(REPORT, 'utf8') !== text) {
    console.error('editors/panel/report.js is out of date: run `npm run build` in editors/vscode');
    process.exit(1);
  }
} else {
  writeFileSync(REPORT, text);
  await build({
    ...common,
    entryPoints: ['src/extension.ts'],
    outfile: 'out/extension.js',
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    external: ['vscode'],
    sourcemap: true,
  });
  await build({
    ...page,
    entryPoints: { panel: `${PANEL}/webview.ts`, graph: `${PANEL}/graph/script.ts`, 'panel-style': `${PANEL}/panel.css` },
    outdir: 'out',
    plugins: [worker],
  });
}
