// What the editor must show and keep to: strips in narrow windows and during edits, large files, keys, idle processes.
// Screenshots of each step are written to target/vscode-screenshots, figures are printed.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { idleTests } from './idle.mjs';
import { largeTests } from './large.mjs';
import { layoutTests } from './layout.mjs';
import { rowTests } from './rows.mjs';
import { reportFailure, SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { until } from './workbench.mjs';

const STRIP = { 'warplens.lanes.display': 'strip' };

describe('acceptance', { skip, timeout: 900_000 }, () => {
  let bench;

  before(async () => {
    bench = await startWorkbench();
    bench.configure(STRIP);
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  const given = () => ({
    bench,
    shot: (name) => bench.screenshot(join(SCREENSHOTS, `${name}.png`)),
    /** Writes settings of the workspace, which apply at once. */
    set: (settings) => bench.configureWorkspace(settings),
  });

  idleTests(given);

  layoutTests(given);

  largeTests(given);

  rowTests(given);

  describe('a new kernel by keyboard alone', () => {
    test('is written, runs and has a written launch with at most 60 keys beside its text', async () => {
      const { shot } = given();
      let keys = 0;
      const press = async (...names) => {
        for (const name of names) await bench.page.keyboard.press(name);
        keys += names.length;
      };
      const type = async (text) => {
        await bench.page.keyboard.type(text, { delay: 10 });
        keys += text.length;
      };
      const palette = bench.page.locator('.quick-input-widget .monaco-list-row.focused');
      bench.write('empty/note.txt', '');
      await bench.open('note.txt', 'empty');
      await bench.page.locator('.statusbar-item', { hasText: 'Plain Text' }).waitFor();
      await until(
        'the name of a file is asked for',
        async () => {
          // VS Code may close the list while it still loads: then the keys are pressed again.
          await bench.page.keyboard.press('Escape');
          keys = 0;
          await press('F1');
          await type('create: new file');
          await palette.filter({ hasText: 'Create: New File...' }).waitFor({ timeout: 5000 });
          await press('Enter');
          await palette.first().waitFor({ timeout: 5000 });
          await type('k.ptx');
          await palette.filter({ hasText: 'k.ptx' }).waitFor({ timeout: 5000 });
          return true;
        },
        60,
      );
      await press('Enter');
      await bench.page.locator('.quick-input-widget', { hasText: 'OK' }).waitFor();
      await press('Enter');
      bench.editor = bench.page.locator('.monaco-editor[data-uri$="/k.ptx"]');
      await bench.editor.locator('.view-line').first().waitFor();
      await bench.page.keyboard.insertText(bench.read('saxpy.ptx'));
      await bench.lens('Run').first().waitFor();
      await press('Control+Alt+l');
      await palette.filter({ hasText: 'warplens.toml' }).waitFor();
      await press('Enter');
      const launches = bench.page.locator('.monaco-editor[data-uri$="/warplens.toml"]');
      await launches.locator('.view-line', { hasText: 'k.ptx' }).waitFor();
      await press('Control+PageUp');
      await bench.editor.locator('.view-line').first().waitFor();
      await press('Control+F5');
      await until('its lanes are shown', async () => (await bench.strips()).length > 0);
      assert.match(bench.read('warplens.toml'), /file = "empty\/k\.ptx"/);
      console.log(`${keys} keys beside the text`);
      assert.ok(keys <= 60, `${keys} keys`);
      await shot('accept-5-keys');
    });
  });
});
