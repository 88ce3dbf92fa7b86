// The lanes panel in VS Code: its views follow the editor, and each has a table with the same numbers.
// Screenshots of each step are written to target/vscode-screenshots; times are printed, not asserted.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { BRANCH_SASS, blocks, FAULT, LONG, loop, registers, STRIDE, STRIDE_LAUNCH } from './panel_kernels.mjs';
import { cutParts, FIRST_SIZES, PanelPage } from './panel_page.mjs';
import { reportFailure, SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { PRINTS } from './simulation.mjs';
import { agrees, until } from './workbench.mjs';

/** Each with the class that VS Code gives to the page of the panel. */
const THEMES = {
  dark: ['Default Dark Modern', 'vscode-dark'],
  light: ['Default Light Modern', 'vscode-light'],
  'high-contrast': ['Default High Contrast', 'vscode-high-contrast'],
  'high-contrast-light': ['Default High Contrast Light', 'vscode-high-contrast-light'],
};

describe('the lanes panel', { skip, timeout: 900_000 }, () => {
  let bench;
  let panel;

  before(async () => {
    bench = await startWorkbench();
    await bench.page.setViewportSize({ width: 1280, height: 1500 });
    panel = new PanelPage(bench);
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  const shot = (name) => bench.screenshot(join(SCREENSHOTS, `${name}.png`));
  const cursorAt = (line) => bench.page.locator('.statusbar-item', { hasText: `Ln ${line},` }).waitFor();
  const run = (lens) => panel.run(lens);
  const times = () => panel.printTimes();
  const press = (key) => bench.page.keyboard.press(key);

  describe('divergence.ptx', () => {
    before(() => bench.open('divergence.ptx'));

    test('says what to do while there is no run', async () => {
      await bench.lens('Run one warp').first().waitFor();
      await bench.command('Warplens: Show Lanes Panel');
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
      await panel.tab('registers');
      await until('the registers of line 23 are shown', async () => {
        // The cursor still follows the drag of the test before: a click that it overtakes is repeated.
        await bench.word('mul.lo', 'mul').click();
        await (await panel.find('[data-row="%r3 after"]')).first().waitFor({ timeout: 2000 });
        return true;
      });
      await panel.click('.lanes th[data-lane="11"]');
      await panel.shows('#chosen-lane', /lane 11/);
      await panel.shows('[data-row="%r3 after"] .chosen', /→ 33/);
      await (await panel.find('[id="format-after-%r3"]')).selectOption('hex');
      await panel.shows('[data-row="%r3 after"] .chosen', /00000021/);
      await (await panel.find('[id="format-after-%r3"]')).selectOption('');
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
      await panel.clickUntil('#table', '#table[aria-pressed="false"]');
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
      await panel.click('#heat');
      await panel.find('#element-31[style*="background"]');
      await shot('panel-9-heat');
      assert.deepEqual(await panel.violations(), []);
      await panel.click('#heat');
      await panel.shows('#writer-line', /line 24/);
      await cursorAt(24);
      await (await panel.find('#row-length')).fill('5');
      await press('Enter');
      await until('five elements are in a row', async () => (await (await panel.find('.elements thead th')).count()) === 5);
      await shot('panel-9-buffers');
      assert.deepEqual(await panel.violations(), []);
      await panel.tab('registers');
      await panel.shows('#chosen-lane', /lane 19/);
    });

    describe('at the height that VS Code gives it at first', () => {
      before(() => bench.word('%rd6, %rd4', 'add').click());
      after(async () => {
        await bench.page.setViewportSize({ width: 1280, height: 1500 });
        await panel.resize(460);
      });

      // The panel beside the side bar is 676, 728 and 920 pixels wide.
      for (const width of [1024, 1076, 1268]) {
        test(`in a window of ${width} pixels nothing is cut`, async () => {
          await bench.page.setViewportSize({ width, height: 700 });
          await panel.resize(240);
          for (const tab of ['warps', 'registers', 'memory', 'buffers']) {
            await panel.tab(tab);
            const frame = await panel.frame();
            await until(`${tab} is not cut`, () => agrees(() => frame.evaluate(cutParts), []), 10);
            await shot(`panel-28-first-${width}-${tab}`);
          }
        });
      }
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
      await times();
    });
  });

  describe('themes', () => {
    before(async () => {
      await bench.open('stride/stride.ptx');
      await run('instr');
    });
    after(() => bench.configureWorkspace({}));

    for (const [name, [theme, kind]] of Object.entries(THEMES)) {
      test(`${theme}: every view`, async () => {
        bench.configureWorkspace({ 'workbench.colorTheme': theme });
        await panel.find(`body.${kind}`);
        for (const tab of ['warps', 'timeline', 'registers', 'buffers']) {
          await panel.tab(tab);
          await shot(`panel-11-${name}-${tab}`);
          assert.deepEqual(await panel.violations(), [], tab);
        }
      });
    }
  });

  describe('sizes', () => {
    before(async () => {
      bench.configure({ 'workbench.activityBar.location': 'hidden' });
      await bench.open('divergence.ptx');
      await bench.endedRun().first().waitFor();
      await panel.open();
      if (await bench.page.locator('.part.sidebar:visible').count()) await bench.command('View: Toggle Primary Side Bar Visibility');
    });
    after(() => bench.page.setViewportSize({ width: 1280, height: 1500 }));

    for (const [name, width] of [
      ['320', 320],
      ['zoom-200', 640],
    ]) {
      test(`${width} pixels wide`, async () => {
        await bench.page.setViewportSize({ width, height: 1500 });
        await panel.resize(900);
        for (const tab of ['warps', 'registers', 'memory', 'graph']) {
          await panel.tab(tab);
          await shot(`panel-12-${name}-${tab}`);
          assert.deepEqual(await panel.violations(), [], tab);
          const frame = await panel.frame();
          await until(`${tab} does not scroll the page sideways`, () =>
            frame.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth),
          );
        }
      });
    }
  });

  describe('other languages and states', () => {
    test('the graph of a WAVE kernel and of a SASS listing', async () => {
      await bench.open('divergence.wave');
      await run('Run one wave');
      await panel.tab('graph');
      assert.ok((await (await panel.find('#graph .block')).count()) > 4);
      await shot('panel-13-wave');
      bench.write('sass/branch.sass', BRANCH_SASS);
      await bench.open('sass/branch.sass');
      await run('Run');
      await panel.tab('graph');
      await panel.find('#graph .block');
      await shot('panel-14-sass');
    });

    test('a fault at once shows the finding and the steps up to it', async () => {
      bench.write('fault/fault.ptx', FAULT);
      await bench.open('fault/fault.ptx');
      await run('Run');
      await panel.tab('timeline');
      await panel.shows('.facts', /▲ 1 finding/);
      await shot('panel-15-fault');
    });

    test('a graph of 500 blocks is laid out while one types', async () => {
      bench.write('blocks/blocks.ptx', blocks(500));
      await bench.open('blocks/blocks.ptx');
      await run('Run');
      await panel.tab('graph');
      await bench.word('.visible', 'visible').click();
      await bench.page.keyboard.press('Home');
      await bench.page.keyboard.type('// typed', { delay: 10 });
      await panel.find('#graph .block');
      assert.ok((await (await panel.find('#graph .block')).count()) >= 500);
      await shot('panel-16-blocks');
      await times();
    });

    test('printed text is listed', async () => {
      bench.write('prints/prints.ptx', PRINTS);
      await bench.open('prints/prints.ptx');
      await run('Run');
      await panel.tab('output');
      await panel.shows('#printed', /hello/);
      await shot('panel-17-output');
    });

    test('64 warps with 300 registers', async () => {
      bench.write('wide/wide.ptx', registers(300));
      bench.write('wide/warplens.toml', '[[launch]]\nname = "wide"\nfile = "wide.ptx"\ngrid = [2]\nblock = [1024]\n');
      await bench.open('wide/wide.ptx');
      await run('Run wide');
      await panel.shows('#pick-warp', /of 32/);
      await panel.tab('registers');
      assert.ok((await (await panel.find('#pin-register')).locator('option').count()) >= 300);
      await panel.click('#last');
      await panel.click('#all-registers');
      await until('all registers are listed', async () => (await (await panel.find('.registers tr.other')).count()) >= 290);
      await panel.click('#all-registers');
      await shot('panel-18-wide');
      await times();
    });

    test('a matrix has all warps, and a click shows one', async () => {
      await panel.tab('warps');
      await until('64 warps are drawn', async () => (await (await panel.find('.matrix .warp')).count()) === 64);
      await shot('panel-18-warps');
      await panel.click('#warp-35');
      await panel.shows('#pick-block', /1,0,0/);
      await panel.shows('#pick-warp', /warp 3 /);
      await panel.tab('timeline');
    });

    test('from an open file to a warp, a visit, a lane and a register with at most 22 keys', async () => {
      bench.write('keys/keys.ptx', loop(8).replace('%r<6>', '%r<8>').replaceAll('%r4', '%r7'));
      bench.write('keys/warplens.toml', '[[launch]]\nname = "keys"\nfile = "keys.ptx"\ngrid = [4]\nblock = [128]\n');
      await bench.open('keys/keys.ptx');
      await bench.lens('Run keys').first().waitFor();
      const typed = 'b2w3v5l9%r7';
      const keys = ['Control+F5', 'Control+K', 'g', ...typed, 'Enter'];
      await press('Control+F5');
      await bench.endedRun().first().waitFor();
      await press('Control+K');
      await press('g');
      await bench.page.locator('.quick-input-widget input').waitFor();
      await bench.page.keyboard.type(typed);
      await bench.page.locator('.quick-input-list', { hasText: 'Block 2, warp 3, visit 5, %r7, lane 9' }).waitFor();
      await shot('panel-18-go-to');
      await press('Enter');
      await panel.shows('#pick-block', /2,0,0/);
      await panel.shows('#pick-warp', /warp 3 /);
      await panel.shows('#view[data-tab="registers"] tr.after .name', /%r7/);
      await panel.find('#view [data-lane="9"].picked');
      await bench.page.locator('.statusbar-item', { hasText: 'visit 5' }).waitFor();
      await shot('panel-18-gone-to');
      console.log(`${keys.length} keys`);
      assert.ok(keys.length <= 22);
    });
  });

  describe('an HTML report', () => {
    for (const example of ['divergence.ptx', 'matmul.ptx', 'divergence.wave']) {
      test(`of ${example} opens from disk without errors`, async () => {
        const text = bench.run('sim', example, '--format', 'html');
        assert.ok(text.length < 2 << 20, `${text.length} bytes`);
        bench.write(`${example}.html`, text);
        const page = await bench.context.newPage();
        const problems = [];
        page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
        page.on('pageerror', (error) => problems.push(String(error)));
        await page.goto(`file://${bench.workspace}/${example}.html`);
        await page.locator('#step').waitFor();
        for (const tab of ['warps', 'registers', 'memory', 'buffers', 'graph', 'output', 'timeline']) {
          await page.locator(`#tab-${tab}`).click();
          await page.locator(`#view[data-tab="${tab}"]`).waitFor();
          if (tab === 'graph') await page.locator('#graph .block').first().waitFor();
        }
        await page.screenshot({ path: join(SCREENSHOTS, `panel-19-report-${example}.png`) });
        const link = page.locator('.line-link').first();
        const number = (await link.textContent()).trim();
        await link.click();
        await page.locator('#sentence', { hasText: `line ${number} ` }).waitFor();
        // The same panel in the page of the editor, which has a height of its own.
        await page.evaluate(() => {
          document.body.className = 'warplens-webview';
          document.body.style.cssText = 'max-width: none; margin: 0; padding: 0';
          document.body.replaceChildren(...document.querySelectorAll('style'), document.getElementById('warplens-panel'));
        });
        for (const size of FIRST_SIZES) {
          await page.setViewportSize(size);
          await page.locator('#warplens-panel.short').waitFor();
          for (const tab of ['warps', 'registers', 'memory', 'buffers', 'graph', 'output', 'timeline']) {
            await page.locator(`#tab-${tab}`).click();
            await page.locator(`#view[data-tab="${tab}"]`).waitFor();
            assert.deepEqual(await page.evaluate(cutParts), [], `${tab} at ${size.width}x${size.height}`);
          }
          await page.screenshot({ path: join(SCREENSHOTS, `panel-27-first-${example}-${size.width}.png`) });
        }
        await page.close();
        assert.deepEqual(problems, []);
      });
    }
  });

  test('nothing violated the policy of the page', () => assert.deepEqual(panel.problems, []));
});
