// The debugger: F5 on a kernel without configuration, breakpoints, steps back, data breakpoints, a race, and why a lane holds a value.
// Screenshots of each step are written to target/vscode-screenshots.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { PanelPage } from './panel_page.mjs';
import { reportFailure, SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { until } from './workbench.mjs';

/** Odd lanes leave the loop after more iterations than even ones; the warps exchange their sums without a barrier. */
const KERNEL = `.version 8.0
.target sm_80
.address_size 64

// @launch { name = "sums", block = [64], args = [{ name = "out", buffer = "u32", len = 64 }] }
.visible .entry sums(.param .u64 out)
{
\t.shared .align 4 .b32 tile[64];
\t.reg .pred %p<2>;
\t.reg .b32 %r<12>;
\t.reg .b64 %rd<4>;

\tmov.u32 %r1, %tid.x;
\tand.b32 %r2, %r1, 3;
\tmov.u32 %r3, 100;
NEXT:
\tadd.u32 %r3, %r3, %r1;
\tsub.u32 %r2, %r2, 1;
\tsetp.ge.s32 %p1, %r2, 0;
\t@%p1 bra NEXT;

\tmov.u32 %r4, tile;
\tshl.b32 %r5, %r1, 2;
\tadd.u32 %r6, %r4, %r5;
\tst.shared.u32 [%r6], %r3;
\txor.b32 %r7, %r5, 252;
\tadd.u32 %r8, %r4, %r7;
\tld.shared.u32 %r9, [%r8];

\tld.param.u64 %rd1, [out];
\tmul.wide.u32 %rd2, %r1, 4;
\tadd.u64 %rd3, %rd1, %rd2;
\tst.global.u32 [%rd3], %r9;
\tret;
}
`;

describe('the debugger', { skip, timeout: 600_000 }, () => {
  let bench;
  let panel;

  before(async () => {
    bench = await startWorkbench();
    panel = new PanelPage(bench);
    await bench.page.setViewportSize({ width: 1024, height: 700 });
    bench.configure({ 'warplens.lanes.display': 'strip' });
    bench.write('sums.ptx', KERNEL);
    await bench.open('sums.ptx');
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  const shot = (name) => bench.screenshot(join(SCREENSHOTS, `debug-${name}.png`));
  /** Waits until the debugger stands at a line with `part`. */
  const stopsAt = (part) =>
    until(`the debugger stands at ${part}`, async () => {
      const top = await bench.editor
        .locator('.view-overlays > div:has(.debug-top-stack-frame-line, .debug-focused-stack-frame-line)')
        .evaluate((overlay) => overlay.style.top, undefined, { timeout: 3000 });
      const lines = bench.editor.locator('.view-lines > .view-line');
      const texts = await lines.evaluateAll(
        (all, top) => all.filter((line) => line.style.top === top).map((line) => line.textContent),
        top,
      );
      const text = texts.join().replaceAll('\u00a0', ' ');
      if (text.includes(part)) return true;
      throw new Error(`it stands at ${text}`);
    });
  /** Waits until the lanes are those of a visit of the line. */
  const showsVisit = (visit) => bench.page.locator('.statusbar-item', { hasText: `warp 0/2 visit ${visit}` }).waitFor();
  const tool = (label) => bench.page.locator(`.debug-toolbar .action-label[aria-label^="${label}"]`).first();
  const variable = (name) => bench.page.locator('.debug-variables .monaco-list-row', { hasText: name }).first();

  async function moveTo(part, word) {
    await bench.word(part, word).click();
  }

  test('F5 stops before the first step, and shows the lanes there', async () => {
    await bench.lens('Debug').first().waitFor();
    await moveTo('mov.u32 %r1', 'mov');
    await bench.page.keyboard.press('F5');
    await stopsAt('mov.u32 %r1');
    await bench.page.locator('.debug-call-stack', { hasText: /w0\s+32\/32/ }).waitFor();
    await showsVisit(1);
    await shot('1-entry');
  });

  test('a breakpoint with a condition stops at a visit of the line', async () => {
    await moveTo('add.u32 %r3', 'add');
    await bench.command('Debug: Add Conditional Breakpoint...');
    await bench.page.locator('.breakpoint-widget .monaco-editor').first().click();
    await bench.page.keyboard.type('visit == 3 && lane == 6');
    await bench.page.keyboard.press('Enter');
    await bench.page.keyboard.press('F5');
    await stopsAt('add.u32 %r3');
    await showsVisit(3);
    await shot('2-condition');
  });

  test('a step back goes to the statement before', async () => {
    await tool('Step Back').click();
    await stopsAt('bra NEXT');
    await showsVisit(2);
    await shot('3-back');
    await tool('Step Over').click();
    await stopsAt('add.u32 %r3');
  });

  test('a data breakpoint stops after the value has changed', async () => {
    await bench.command('Remove All Breakpoints');
    await variable('%r3').click({ button: 'right' });
    await bench.page.locator('.monaco-menu .action-item', { hasText: 'Break on Value Change' }).first().hover();
    await bench.page.keyboard.press('Enter');
    await moveTo('add.u32 %r3', 'add');
    await bench.page.keyboard.press('F5');
    await stopsAt('sub.u32 %r2');
    await shot('4-data');
    await bench.command('Remove All Breakpoints');
  });

  test('it stops at a race, with both sides', async () => {
    await bench.page.keyboard.press('F5');
    const widget = bench.page.locator('.exception-widget').first();
    await widget.filter({ hasText: /data-race|[Rr]ace/ }).waitFor();
    assert.match(await widget.innerText(), /line \d+: (st|ld)\.shared/);
    await shot('5-race');
  });

  test('a chain says why a lane holds a value, and a link goes to its moment', async () => {
    await moveTo('st.shared.u32', '%r3');
    await bench.command('Warplens: Why Does a Lane Hold This?');
    const input = bench.page.locator('.quick-input-widget input');
    await bench.page.locator('.quick-input-widget', { hasText: 'Why does a lane hold %r3?' }).waitFor();
    await input.fill('6');
    await bench.page.keyboard.press('Enter');
    const links = bench.page.locator('.quick-input-list .monaco-list-row');
    await links.filter({ hasText: 'add.u32 %r3, %r3, %r1;' }).first().waitFor();
    await shot('6-why');
    await bench.page.keyboard.press('Enter');
    await stopsAt('add.u32 %r3');
  });

  test('the panel shows where the warps are, and moves the debugger', async () => {
    await bench.command('Warplens: Show Lanes Panel');
    await panel.tab('warps');
    await (await panel.find('#warp-1')).filter({ hasText: /▶ 17 \d+\/32/ }).waitFor();
    await (await panel.find('#warp-0')).filter({ hasText: '✓' }).waitFor();
    await shot('7-warps');
    await panel.click('#warp-0');
    await stopsAt('ret;');
    await panel.click('#warp-1');
    await stopsAt('add.u32 %r3');
    await panel.tab('timeline');
    await panel.click('#next');
    await stopsAt('sub.u32 %r2');
    await shot('8-timeline');
  });

  test('the end of the session shows every line at its last visit again', async () => {
    await tool('Stop').click();
    await bench.page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
    await until(
      'no visit is chosen',
      async () => !/visit \d/.test(await bench.page.locator('.statusbar-item', { hasText: 'sums<<<' }).innerText()),
    );
  });

  test('the panel says why a lane holds a value when nothing is being debugged', async () => {
    await panel.tab('registers');
    await (await panel.find('#why')).first().selectOption({ index: 1 });
    await bench.page.locator('.quick-input-widget', { hasText: /Why does lane \d+ hold %\w+\?/ }).waitFor();
    await bench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'line' }).first().waitFor();
    await shot('9-panel-why');
    await bench.page.keyboard.press('Enter');
    await bench.hover('st.shared.u32', '%r3', /Why does a lane hold %r3\?/);
  });
});
