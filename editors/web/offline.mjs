// Writes the service worker of a finished page: `node offline.mjs FOLDER`. It keeps the files of the folder, under a version that is their hash.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const [folder] = process.argv.slice(2);
/** What the page loads; licenses and other hosts' files need no copy. */
const KEPT = /\.(html|js|css|png|wasm)$/;

const files = readdirSync(folder)
  .filter((file) => KEPT.test(file) && file !== 'sw.js')
  .sort();
const hash = createHash('sha256');
for (const file of files) hash.update(file).update(readFileSync(join(folder, file)));
const version = hash.digest('hex').slice(0, 16);
const BUILD = { version, files: ['./', ...files] };
await build({
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  logLevel: 'warning',
  entryPoints: ['src/sw.ts'],
  outfile: join(folder, 'sw.js'),
  define: { BUILD: JSON.stringify(BUILD) },
});
