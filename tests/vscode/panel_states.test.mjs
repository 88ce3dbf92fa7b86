// The lanes panel while a run is in progress, after edits and for very long runs; what it copies and saves; links to it.
// Screenshots of each step are written to target/vscode-screenshots; times are printed, not asserted.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { LOAD_LAUNCH, LOAD_SASS, loop } from './panel_kernels.mjs';
import { PanelPage } from './panel_page.mjs';
import { reportFailure, SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { until } from './workbench.mjs';

/** The memory that the page may have for a run of three million steps, in bytes. */
const MAX_MEMORY = 150e6;

describe('states of the lanes panel', { skip, timeout: 600_000 }, () => {
  let bench;
  let panel;

  before(async () => {
    bench = await startWorkbench();
    await bench.page.setViewportSize({ width: 1280, height: 1500 });
    await bench.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    panel = new PanelPage(bench);
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  const shot = (name) => bench.screenshot(join(SCREENSHOTS, `${name}.png`));
  const clipboard = () => bench.page.evaluate(() => navigator.clipboard.readText());

  describe('divergence.ptx', () => {
    before(async () => {
      await bench.open('divergence.ptx');
      await panel.run('Run one warp');
      await panel.resize(460);
    });

    test('a hover leads to the registers', async () => {
      await bench.hover('mul.lo', 'mul', /Open the lanes panel/);
      await bench.page.locator('.monaco-hover:not(.hidden) a', { hasText: 'Open the lanes panel' }).first().click();
      await panel.find('#view[data-tab="registers"]');
      await bench.closeHover();
    });

    test('copies each view as Markdown and CSV', async () => {
      await panel.tab('timeline');
      await panel.click('#copy-markdown');
      await until('the clipboard has a table', async () => /^\| steps \|/.test(await clipboard()));
      const [head, rule, first] = (await clipboard()).split('\n');
      assert.equal(head.split('|').length, rule.split('|').length);
      assert.match(first, /^\| 1–4 \| 17–22 \| 32 \| 0–31 \| diverge 16 \\\| 16 \|$/);
      await panel.tab('buffers');
      await panel.click('#copy-csv');
      await until('the clipboard has lines', async () => /^element,/.test(await clipboard()));
      assert.match(await clipboard(), /\nout\[0\],0,101,/);
    });

    test('saves the graph as an SVG', async () => {
      await panel.tab('graph');
      await panel.click('#save-svg');
      const input = bench.page.locator('.quick-input-widget input').first();
      await input.waitFor();
      await until('a name is proposed', async () => /control-flow\.svg$/.test(await input.inputValue()));
      await bench.page.keyboard.press('Enter');
      const text = await until('the file is written', () => bench.read('control-flow.svg'));
      assert.match(text, /^<\?xml[\s\S]*<svg [\s\S]*<\/svg>\n$/);
      assert.doesNotMatch(text, /var\(/);
      const page = await bench.context.newPage();
      await page.goto(`file://${bench.workspace}/control-flow.svg`);
      assert.ok((await page.locator('.block').count()) >= 6);
      await page.screenshot({ path: join(SCREENSHOTS, 'panel-20-graph.svg.png') });
      await page.close();
      await bench.page.bringToFront();
    });

    test('after an edit that cannot be run the numbers are those from before it', async () => {
      await bench.word('mul.lo', 'mul').click();
      await bench.page.keyboard.press('Home');
      await bench.page.keyboard.type('nothing ');
      await panel.shows('.facts', /before the last edits/);
      await panel.shows('#step', /\/31/);
      await panel.tab('timeline');
      await shot('panel-21-outdated');
      assert.deepEqual(await panel.violations(), []);
    });
  });

  describe('a long run', () => {
    before(async () => {
      bench.configureWorkspace({ 'warplens.simulation.maxSteps': 1e9 });
      bench.write('running/running.ptx', loop(100));
      await bench.open('running/running.ptx');
      await panel.run('Run inferred');
    });
    after(async () => {
      // Files that are open run again when the settings change.
      await bench.command('View: Close All Editors');
      bench.configureWorkspace({});
    });

    test('shows its progress beside the last result, and is stopped', async () => {
      await panel.shows('#step', /\/\d{3}/);
      bench.write('running/running.ptx', loop(2_000_000_000));
      await panel.shows('#warplens-running', /Running inferred long…[\s\S]*[1-9][\d,]* of at most 1,000,000,000 warp instructions/);
      await panel.shows('#step', /\/\d{3}/);
      await shot('panel-22-running');
      assert.deepEqual(await panel.violations(), []);
      await panel.click('#stop-run');
      const frame = await panel.frame();
      await until('the run has ended', async () => !(await frame.locator('#warplens-running').isVisible()));
      await panel.shows('.facts', /before the last edits/);
      await panel.shows('#step', /\/\d{3}/);
    });

    test('without an earlier result it is beside the first part of the run, which stays when the run is stopped', async () => {
      bench.write('running/first.ptx', loop(2_000_000_000));
      await bench.open('running/first.ptx');
      await bench.lens('Run inferred').first().click();
      await bench.command('Warplens: Show Lanes Panel');
      await panel.shows('#warplens-running', /[1-9][\d,]* of at most/);
      await panel.shows('.facts', /first part of the run/);
      await panel.shows('#step', /\/[1-9]/);
      await shot('panel-23-running-first-part');
      assert.deepEqual(await panel.violations(), []);
      await panel.click('#stop-run');
      const frame = await panel.frame();
      await until('the run has ended', async () => !(await frame.locator('#warplens-running').isVisible()));
      await panel.shows('.facts', /first part of the run/);
    });
  });

  test('three million steps: each view, in bounded memory', async () => {
    // The time line and the registers of a late step repeat the run.
    const seconds = 300;
    bench.page.setDefaultTimeout(seconds * 1000);
    bench.write('longest/longest.ptx', loop(430_000));
    await bench.open('longest/longest.ptx');
    await panel.run('Run inferred', seconds * 1000);
    await panel.tab('timeline');
    await panel.shows('#step', /\/3,\d{3},\d{3}/, seconds);
    const box = await (await panel.find('#cursor')).boundingBox();
    await bench.page.mouse.move(box.x + 80, box.y + 120);
    await bench.page.mouse.down();
    for (let x = 80; x < box.width - 100; x += 10) await bench.page.mouse.move(box.x + x, box.y + 120);
    await bench.page.mouse.up();
    for (let zoom = 0; zoom < 12; zoom++) await bench.page.mouse.wheel(0, -300);
    await shot('panel-24-longest');
    for (const tab of ['registers', 'memory', 'graph', 'timeline']) await panel.tab(tab);
    bench.page.setDefaultTimeout(30_000);
    await panel.printTimes();
    const memory = await panel.memory();
    assert.ok(memory > 0 && memory <= MAX_MEMORY, `${memory} bytes`);
  });

  test('machine code has registers and sectors too', async () => {
    bench.write('load/load.sass', LOAD_SASS);
    bench.write('load/warplens.toml', LOAD_LAUNCH);
    await bench.open('load/load.sass');
    await panel.run('Run load');
    await bench.word('LDG', 'LDG').click();
    await panel.tab('registers');
    await panel.find('[data-row="R2 after"]');
    await panel.find('[data-row="R4 before"]');
    const frame = await panel.frame();
    assert.equal(await frame.locator('[data-row="R4 after"]').count(), 0, 'the load does not write its address');
    await shot('panel-25-sass-registers');
    await panel.tab('memory');
    await panel.shows('#cost', /4 sectors, 4 ideal/);
    await shot('panel-26-sass-memory');
    await panel.tab('buffers');
    await panel.click('#element-19');
    await panel.shows('#writer', /0, 19/);
  });

  test('nothing violated the policy of the page', () => assert.deepEqual(panel.problems, []));
});
