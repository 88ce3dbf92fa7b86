// The lanes panel in VS Code: its views follow the editor, and each has a table with the same numbers.
// Screenshots of each step are written to target/vscode-screenshots; times are printed, not asserted.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { LONG, STRIDE, STRIDE_LAUNCH } from './panel_kernels.mjs';
import { PanelPage } from './panel_page.mjs';
import { SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { until } from './workbench.mjs';

describe('the lanes panel', { skip, timeout: 600_000 }, () => {
  let bench;
  let panel;

  before(async () => {
    bench = await startWorkbench();
    await bench.page.setViewportSize({ width: 1280, height: 1500 });
    panel = new PanelPage(bench);
  });
  after(() => bench?.close());

  const shot = (name) => bench.screenshot(join(SCREENSHOTS, `${name}.png`));
  const cursorAt = (line) => bench.page.locator('.statusbar-item', { hasText: `Ln ${line},` }).waitFor();
  /** Runs a launch through its lens, and opens the panel. */
  const run = async (lens) => {
    await bench.lens(lens).first().click();
    await bench.lens('instr').first().waitFor();
    await panel.open();
  };
  const press = (key) => bench.page.keyboard.press(key);

  describe('divergence.ptx', () => {
    before(() => bench.open('divergence.ptx'));

    test('says what to do while there is no run', async () => {
      await bench.lens('Run one warp').first().waitFor();
      await panel.command('Warplens: Show Lanes Panel');
      await panel.resize(460);
      await panel.shows('.nothing', /No run to show[\s\S]*Run Default Launch/);
      await shot('panel-1-nothing');
    });

    test('its button runs a launch, and the time line shows it', async () => {
      await panel.click('#action-0');
      await panel.shows('#step', /step \d+\/31/);
      await panel.shows('#sentence', /\d+ of 32 lanes active/);
      await panel.find('#lanes');
      await shot('panel-2-timeline');
      assert.deepEqual(await panel.violations(), []);
    });

    test('the moment follows the cursor, and the cursor follows the moment', async () => {
      await bench.word('mul.lo', 'mul').click();
      await panel.shows('#sentence', /line 23 mul\.lo\.u32[\s\S]*16 of 32/);
      await panel.click('#next');
      await cursorAt(24);
      await panel.click('#last');
      await cursorAt(45);
    });

    test('a pinned moment stays', async () => {
      await panel.click('#pin');
      await bench.word('mul.lo', 'mul').click();
      await cursorAt(23);
      await panel.shows('#sentence', /line 45 /);
      await panel.click('#pin');
      await bench.word('JOIN;', 'JOIN').click();
      await panel.shows('#sentence', /line 24 /);
    });

    test('a drag scrubs, and the wheel zooms', async () => {
      const box = await (await panel.find('#cursor')).boundingBox();
      await bench.page.mouse.move(box.x + 60, box.y + 120);
      await bench.page.mouse.down();
      for (let x = 60; x < box.width - 100; x += 40) await bench.page.mouse.move(box.x + x, box.y + 120);
      await bench.page.mouse.up();
      await until('the cursor has followed', async () => Number(/step (\d+)/.exec(await panel.text('#step'))[1]) > 20);
      await bench.page.mouse.wheel(0, -300);
      await shot('panel-3-zoomed');
      await panel.click('#cursor');
      await press('0');
    });

    test('registers: the values of each lane, a chosen lane in all views, a pinned register', async () => {
      await bench.word('mul.lo', 'mul').click();
      await panel.tab('registers');
      await panel.shows('[data-row="%r3 after"]', /%r3/);
      await panel.click('.lanes th[data-lane="11"]');
      await panel.shows('#chosen-lane', /lane 11/);
      await panel.shows('[data-row="%r3 after"] .chosen', /→ 33/);
      await (await panel.find('#pin-register')).selectOption('%r1');
      await panel.find('[data-row="%r1 before"]');
      await bench.word('JOIN;', 'JOIN').click();
      await panel.find('[data-row="%r1 pinned"]');
      await shot('panel-4-registers');
      assert.deepEqual(await panel.violations(), []);
    });

    test('the table twin is read by keyboard, and copied', async () => {
      await panel.click('#tab-registers');
      await press('ArrowLeft'); // the time line
      await panel.find('#view[data-tab="timeline"]');
      await press('t');
      const twin = await panel.find('#twin');
      for (let tabs = 0; tabs < 20; tabs++) {
        if (await twin.evaluate((element) => element === document.activeElement)) break;
        await press('Tab');
      }
      assert.ok(await twin.evaluate((element) => element === document.activeElement), 'Tab reaches the table');
      const rows = await twin.locator('tbody tr').allInnerTexts();
      assert.match(rows[0], /1–4\s+17–22\s+32\s+0–31\s+diverge 16 \| 16/);
      await shot('panel-5-table');
      assert.deepEqual(await panel.violations(), []);
      await panel.click('#table');
    });

    test('it remembers its tab and place while it is hidden', async () => {
      await panel.tab('buffers');
      await press('Control+j');
      await bench.page.locator('.part.panel').waitFor({ state: 'hidden' });
      await press('Control+j');
      await panel.find('#view[data-tab="buffers"]');
      await panel.shows('.elements', /101/);
    });

    test('the graph has the blocks and the edges of the run, and a click leads to the line', async () => {
      await panel.tab('graph');
      await panel.find('#graph');
      assert.equal(await (await panel.find('#graph .block')).count(), 6);
      await panel.click('#block-2');
      await cursorAt(26);
      await shot('panel-6-graph');
      assert.deepEqual(await panel.violations(), []);
    });
  });

  describe('a load with a stride of 128 bytes', () => {
    before(async () => {
      bench.write('stride/stride.ptx', STRIDE);
      bench.write('stride/warplens.toml', STRIDE_LAUNCH);
      await bench.open('stride/stride.ptx');
      await run('Run wrong');
    });

    test('needs 32 sectors, and its shared store 32 wavefronts', async () => {
      await bench.word('ld.global', 'ld').click();
      await panel.tab('memory');
      await panel.shows('#cost', /32 sectors, 4 ideal/);
      await shot('panel-7-sectors');
      assert.deepEqual(await panel.violations(), []);
      await bench.word('st.shared', 'st').click();
      await panel.shows('#cost', /32 wavefronts, 1 ideal/);
      await shot('panel-8-banks');
      assert.match(await panel.text('.worst'), /28/);
    });

    test('buffers mark the 16 unexpected elements, and lead to the lane and the line that wrote one', async () => {
      await panel.tab('buffers');
      await until('16 elements are marked', async () => (await (await panel.find('.elements .unexpected')).count()) === 16);
      await panel.click('#element-19');
      await panel.shows('#writer', /0, 19/);
      await panel.shows('#writer-line', /line 24/);
      await cursorAt(24);
      await shot('panel-9-buffers');
      assert.deepEqual(await panel.violations(), []);
      await panel.tab('registers');
      await panel.shows('#chosen-lane', /lane 19/);
    });
  });

  describe('a run of a million steps', () => {
    before(async () => {
      bench.write('long/long.ptx', LONG);
      await bench.open('long/long.ptx');
      await run('Run inferred');
      await panel.tab('timeline');
    });

    test('is drawn at once, and scrubbed', async () => {
      await panel.shows('#step', /\/1,\d{3},\d{3}/);
      const box = await (await panel.find('#cursor')).boundingBox();
      await bench.page.mouse.move(box.x + 80, box.y + 120);
      await bench.page.mouse.down();
      for (let x = 80; x < box.width - 100; x += 10) await bench.page.mouse.move(box.x + x, box.y + 120);
      await bench.page.mouse.up();
      await shot('panel-10-long');
      const frame = await panel.frame();
      const entries = await frame.evaluate(() => performance.getEntriesByType('measure').map(({ name, duration }) => [name, duration]));
      for (const name of new Set(entries.map(([name]) => name))) {
        const times = entries.filter(([other]) => other === name).map(([, duration]) => duration).sort((a, b) => a - b);
        console.log(`${name}: ${times.length} times, median ${times[times.length >> 1].toFixed(1)} ms, longest ${times.at(-1).toFixed(1)} ms`);
      }
      const memory = await frame.evaluate(() => performance.memory?.usedJSHeapSize ?? 0);
      console.log(`memory of the page: ${(memory / 1e6).toFixed(0)} MB`);
    });
  });

  test('nothing violated the policy of the page', () => assert.deepEqual(panel.problems, []));
});
