// The pictures of the README: an example with its lanes, in a dark and a light theme. They are written to
// target/vscode-screenshots, and with `--write` (`npm run picture`) to docs/pictures.
import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ROOT, SCREENSHOTS, skip, startWorkbench } from './session.mjs';

const FOLDER = process.argv.includes('--write') ? join(ROOT, 'docs', 'pictures') : SCREENSHOTS;
const THEMES = { 'editor.png': 'Default Dark Modern', 'editor-light.png': 'Default Light Modern' };
const SETTINGS = {
  'warplens.lanes.display': 'strip',
  'breadcrumbs.enabled': false,
  'window.commandCenter': false,
  'window.title': '${activeEditorShort}',
  'workbench.activityBar.location': 'hidden',
};
const MAX_BYTES = 200_000;

describe('the pictures of the README', { skip, timeout: 600_000 }, () => {
  let bench;

  before(async () => {
    mkdirSync(FOLDER, { recursive: true });
    bench = await startWorkbench();
    await bench.page.setViewportSize({ width: 960, height: 900 });
  });
  after(() => bench?.close());

  for (const [name, theme] of Object.entries(THEMES)) {
    test(`${theme}: lanes of divergence.ptx`, async () => {
      bench.configure({ ...SETTINGS, 'workbench.colorTheme': theme });
      await bench.open('divergence.ptx');
      if (await bench.page.locator('.part.sidebar:visible').count()) await bench.command('View: Toggle Primary Side Bar Visibility');
      await bench.showLanes('Run one warp');
      await bench.word('mul.lo', 'mul').click();
      await bench.closeHover();
      await bench.page.waitForTimeout(500); // notifications and tips fade out
      const path = join(FOLDER, name);
      await bench.screenshot(path);
      assert.ok(statSync(path).size < MAX_BYTES, `${name} has ${statSync(path).size} bytes`);
    });
  }
});
