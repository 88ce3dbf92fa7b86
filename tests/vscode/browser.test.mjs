// The packed extension in the extension host of a browser: its server is a worker, and the launch files come through the file system of VS Code.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { PanelPage } from './panel_page.mjs';
import { reportFailure, SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { until } from './workbench.mjs';

const RACE = 'race.ptx';

describe('the extension in a browser', { skip, timeout: 300_000 }, () => {
  let bench;

  before(async () => {
    bench = await startWorkbench();
    bench.configure({ 'remote.extensionKind': { 'warplens.warplens': ['web'] }, 'warplens.lanes.display': 'strip' });
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  test('no process of the server runs', async () => {
    await bench.open('divergence.ptx');
    // The launch of the launch file.
    await bench.lens('Run one warp').first().waitFor();
    assert.equal(bench.killServer(), false);
  });

  test('lanes are drawn, and hovers have values', async () => {
    await bench.showLanes('Run one warp');
    const strip = await until('the branch has a strip', () => bench.stripOf('@%p1 bra'));
    assert.match(strip.label, /split 16\|16/);
    await bench.hover('@%p1 bra', 'bra', /[Bb]ranch/, /lanes/);
    await bench.screenshot(join(SCREENSHOTS, 'browser-lanes.png'));
  });

  test('the panel shows the run', async () => {
    const panel = new PanelPage(bench);
    await panel.open();
    await panel.tab('buffers');
    await panel.shows('#view', /out/);
    assert.deepEqual(panel.problems, []);
  });

  test('a finding has its fix', async () => {
    await bench.open(RACE);
    await bench.lens('Run two warps').first().click();
    await bench.page.locator('.squiggly-error').first().waitFor();
    await bench.word('ld.shared.u32', 'ld').click();
    await bench.page.keyboard.press('Control+.');
    await bench.page.locator('.action-widget', { hasText: 'Insert' }).waitFor();
    await bench.page.keyboard.press('Enter');
    await until('the barrier is there', () => bench.lineWith('bar.sync'));
    await until('no error is shown', async () => (await bench.page.locator('.squiggly-error').count()) === 0);
  });

  test('a launch file that is written applies', async () => {
    bench.write('own/k.ptx', bench.read('collatz.ptx'));
    bench.write('own/warplens.toml', '[[launch]]\nname = "from the file"\nfile = "k.ptx"\nblock = [64]\n');
    await bench.open('own/k.ptx');
    await bench.lens('Run from the file').first().waitFor();
  });

  test('what needs a process says so', async () => {
    await bench.open('divergence.ptx');
    await bench.command('Warplens: Open SASS Beside');
    await bench.page
      .locator('.notification-list-item-message', { hasText: /process|ptxas/ })
      .first()
      .waitFor();
  });
});
