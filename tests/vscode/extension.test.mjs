// What a person sees: the packed extension with its server, in a real VS Code, on a copy of the examples.
// Screenshots of each step are kept in target/vscode-screenshots.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ensureHost } from './host.mjs';
import { until, Workbench } from './workbench.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const BROWSER = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const VSIX = process.env.WARPLENS_VSIX;
const SCREENSHOTS = join(ROOT, 'target', 'vscode-screenshots');

const skip = BROWSER ? false : 'Chromium was not found and could not be installed';
if (skip) console.log(`skipped: ${skip}`);

describe('the extension in VS Code', { skip, timeout: 600_000 }, () => {
  let bench;

  before(async () => {
    assert.ok(VSIX, 'run this through `cargo xtask test`, which packs the extension');
    mkdirSync(SCREENSHOTS, { recursive: true });
    const hostEntry = ensureHost(join(ROOT, 'target', 'vscode-host'));
    bench = await Workbench.start({ hostEntry, vsix: VSIX, folder: join(ROOT, 'examples'), browserPath: BROWSER });
  });
  after(() => bench?.close());

  const shot = (name) => bench.screenshot(join(SCREENSHOTS, `${name}.png`));

  describe('divergence.ptx', () => {
    before(() => bench.open('divergence.ptx'));

    test('stands in the PTX language, with a lens over its kernel', async () => {
      await bench.page.locator('[id="status.editor.mode"]', { hasText: 'PTX' }).waitFor();
      await bench.lens('inferred').first().waitFor();
      await shot('ptx-1-lens');
    });

    test('an instruction, a directive and a special register explain themselves', async () => {
      assert.match(await bench.hover('@%p1 bra', 'bra'), /[Bb]ranch/);
      assert.match(await bench.hover('%tid.x', 'tid'), /CTA|block/);
      await shot('ptx-2-hover');
    });

    test('the lens shows the lanes at the line ends', async () => {
      const before = await bench.lineWith('@%p1 bra');
      await bench.lens('Run one warp').first().click();
      await until('lanes stand at the line ends', async () => (await bench.lines()).some((line) => /split \d+ \| \d+/.test(line)));
      const after = await bench.lineWith('@%p1 bra');
      assert.ok(after.startsWith(before.trimEnd()), 'the code itself stays what it was');
      await bench.page.locator('.statusbar-item', { hasText: 'stack' }).waitFor();
      await shot('ptx-3-lanes');
    });

    test('the lanes change as one types, and a mistake is underlined', async () => {
      const hinted = (await bench.lines()).join('\n');
      await typeInto('@%p1 bra', 'bra', 'q');
      await bench.page.locator('.squiggly-error').first().waitFor();
      await shot('ptx-4-error');
      await bench.page.keyboard.press('Control+z');
      await until('the error is gone', async () => (await bench.page.locator('.squiggly-error').count()) === 0);
      await until('the lanes are back', async () => (await bench.lines()).join('\n') === hinted);
    });

    test('completion offers the modifiers of an opcode', async () => {
      await typeInto('@%p1 bra', 'EVEN', '\n\tsetp.', 'End');
      const rows = bench.page.locator('.suggest-widget.visible .monaco-list-row');
      await rows.first().waitFor();
      await shot('ptx-5-completion');
      assert.match((await rows.allInnerTexts()).join('\n'), /lt|eq/);
      await bench.page.keyboard.press('Escape');
    });

    test('the lanes can be switched off', async () => {
      await bench.command('Warplens: Stop Showing Lanes');
      await until('no lanes are left', async () => !(await bench.lines()).some((line) => /split \d+ \| \d+/.test(line)));
    });
  });

  describe('divergence.wave', () => {
    before(() => bench.open('divergence.wave'));

    test('becomes a WAVE document because of its kernel', async () => {
      await bench.page.locator('[id="status.editor.mode"]', { hasText: 'WAVE' }).waitFor();
    });

    test('structure explains itself and shows its lanes', async () => {
      await bench.lens('Run one wave').first().click();
      await until('lanes stand at the line ends', async () => (await bench.lines()).some((line) => /split \d+ \| \d+/.test(line)));
      assert.match(await bench.hover('break p2', 'break'), /loop/);
      await shot('wave-1-lanes');
    });
  });

  /** Clicks into `word` in the first line that holds `part`, moves the cursor by `keys`, and types. */
  async function typeInto(part, word, text, ...keys) {
    await bench.word(part, word).click();
    for (const key of keys) await bench.page.keyboard.press(key);
    await bench.page.keyboard.type(text, { delay: 30 });
  }
});
