// Shared by the test files: where the browser and the package are, and how a workbench on the examples is started.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureHost } from './host.mjs';
import { Workbench } from './workbench.mjs';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const SCREENSHOTS = join(ROOT, 'target', 'vscode-screenshots');

/** Where the editor that the tests drive is installed. */
export const HOST = join(ROOT, 'target', 'vscode-host');

const BROWSER = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);

/** Says why tests are skipped. `cargo xtask test` counts the skips, as those of the tests in Rust. */
export function skipped(reason) {
  console.log(`skipped: ${reason}`);
  if (process.env.WARPLENS_SKIPPED) appendFileSync(process.env.WARPLENS_SKIPPED, `${reason}\t${basename(process.argv[1])}\n`);
  return reason;
}

/** The reason to skip the tests, or false. */
export const skip = BROWSER ? false : skipped('Chromium was not found and could not be installed');

/** Starts VS Code with the extension of `WARPLENS_VSIX`, on a copy of the examples. */
export function startWorkbench() {
  const vsix = process.env.WARPLENS_VSIX;
  assert.ok(vsix, 'set WARPLENS_VSIX to the packed extension, as `cargo xtask test` does');
  mkdirSync(SCREENSHOTS, { recursive: true });
  const hostEntry = ensureHost(HOST);
  return Workbench.start({ hostEntry, vsix, folder: join(ROOT, 'examples'), browserPath: BROWSER });
}

/** For `afterEach`: says what the page shows after a failed test, and writes a screenshot of it. */
export function reportFailure(benchOf) {
  return async ({ name, passed }) => {
    const bench = benchOf();
    if (passed !== false || !bench) return;
    const path = join(SCREENSHOTS, `failed-${name.replace(/\W+/g, '-')}.png`);
    try {
      console.log(`${name}: failed. ${await bench.report()}`);
      await bench.screenshot(path);
    } catch (error) {
      console.log(`${name}: failed, and there is no page (${error})`);
    }
  };
}
