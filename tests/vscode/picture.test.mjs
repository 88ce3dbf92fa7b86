// The walkthrough, followed by clicking only, and the pictures of the README at its end, in a dark and a light theme: the new kernel with
// its lanes, the lanes panel, and machine code beside its PTX. They are written to target/vscode-screenshots, and with `--write` (`npm run picture`) to docs/pictures.
import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { PanelPage } from './panel_page.mjs';
import { ROOT, reportFailure, SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { PTX, writeTools } from './tools.mjs';
import { until } from './workbench.mjs';

const FOLDER = process.argv.includes('--write') ? join(ROOT, 'docs', 'pictures') : SCREENSHOTS;
/** The pictures of the walkthrough are in the package of the extension. */
const STEPS = process.argv.includes('--write') ? join(ROOT, 'editors', 'vscode', 'images') : SCREENSHOTS;
/** By the ending of the pictures' names, each with the class that VS Code gives to the workbench. */
const THEMES = { '': ['Default Dark Modern', 'vs-dark'], '-light': ['Default Light Modern', 'vs'] };
// biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code replaces it
const SETTINGS = { 'warplens.lanes.display': 'strip', 'breadcrumbs.enabled': false, 'window.title': '${activeEditorShort}' };
const MAX_BYTES = 200_000;
/** The height of a horizontal scroll bar. */
const SCROLLBAR = 14;

/** Two warps, of which the second one diverges; a barrier is missing between the store and the load. */
const TWO_WARPS = `.version 8.0
.target sm_80
.address_size 64

// @launch { name = "two warps", block = [64], args = [{ name = "out", buffer = "u32", len = 64 }] }
.visible .entry reverse(.param .u64 .ptr .global .align 4 out)
{
	.shared .align 4 .u32 tile[64];
	.reg .pred	%p<2>;
	.reg .b32	%r<8>;
	.reg .b64	%rd<4>;

	mov.u32		%r1, %tid.x;
	mov.u32		%r2, tile;
	shl.b32		%r3, %r1, 2;
	add.u32		%r4, %r2, %r3;
	setp.lt.u32	%p1, %r1, 44;
	@%p1 bra	LOW;
	shr.u32		%r5, %r1, 1;
	bra		STORE;
LOW:
	shl.b32		%r5, %r1, 1;
STORE:
	st.shared.u32	[%r4], %r5;
	xor.b32		%r6, %r4, 252;
	ld.shared.u32	%r7, [%r6];
	ld.param.u64	%rd1, [out];
	mul.wide.u32	%rd2, %r1, 4;
	add.u64		%rd3, %rd1, %rd2;
	st.global.u32	[%rd3], %r7;
	ret;
}
`;

/** Switches to a theme. */
async function useTheme(bench, [theme, kind]) {
  bench.configureWorkspace({ 'workbench.colorTheme': theme });
  await until('the theme applies', async () => (await bench.page.locator(`.monaco-workbench.${kind}`).count()) > 0);
}

async function picture(bench, name, { folder = FOLDER, clip } = {}) {
  await bench.page.waitForTimeout(500); // notifications and tips fade out
  const path = join(folder, `${name}.png`);
  await bench.page.screenshot({ path, clip });
  assert.ok(statSync(path).size < MAX_BYTES, `${name} has ${statSync(path).size} bytes`);
}

describe('the walkthrough', { skip, timeout: 600_000 }, () => {
  let bench;

  before(async () => {
    mkdirSync(FOLDER, { recursive: true });
    bench = await startWorkbench();
    bench.configure(SETTINGS);
    await bench.page.goto(`http://127.0.0.1:${bench.port}/?folder=${bench.workspace}`);
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  const shot = (name) => bench.screenshot(join(SCREENSHOTS, `${name}.png`));

  /** Clicks an element until something is shown: what is drawn again loses a click. A second click too early would repeat a command. */
  async function click(element, what, isShown) {
    await until(
      what,
      async () => {
        if (await isShown()) return true;
        await element.click({ timeout: 3000 });
        return until(what, isShown, 15);
      },
      60,
    );
  }

  const isVisible = (locator) => async () => (await locator.count()) > 0 && locator.first().isVisible();

  const button = (step, name) =>
    bench.page.locator('.getting-started-step.expanded', { hasText: step }).locator('.monaco-button', { hasText: name });

  /** Opens a step of the walkthrough. */
  async function open(step, name) {
    const title = bench.page.locator('.getting-started-step .step-title', { hasText: step });
    await click(title, `the step “${step}” is open`, isVisible(button(step, name)));
  }

  test('is found in the menu', async () => {
    const menu = bench.page.locator('.menubar .menubar-menu-button').first();
    const item = (name) => bench.page.locator('.monaco-menu .action-item .action-label', { hasText: name }).first();
    await click(menu, 'the menu is open', isVisible(item(/^Help$/)));
    await click(item(/^Help$/), 'the menu of help is open', isVisible(item(/^Open Walkthrough/)));
    const entry = bench.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'See the warp' }).first();
    await click(item(/^Open Walkthrough/), 'the walkthroughs are listed', isVisible(entry));
    await click(entry, 'the walkthrough is open', isVisible(bench.page.locator('.getting-started-step', { hasText: 'Open a kernel' })));
  });

  test('followed by clicking, shows the lanes of a new kernel', async () => {
    await open('Open a kernel', 'New Kernel');
    const kernel = bench.page.locator('.monaco-editor[data-uri^="untitled:"]');
    await click(button('Open a kernel', 'New Kernel'), 'a kernel is open', isVisible(kernel.locator('.view-line', { hasText: '.entry' })));
    bench.editor = kernel.first();
    await bench.lens('Run').first().waitFor();
    await open('Run it', 'Run');
    await click(button('Run it', 'Run'), 'lanes are shown', async () => (await bench.strips()).length > 0);
    await shot('walkthrough-1-run');
    await open('Read the lanes', 'next divergence');
    const branch = bench.editor.locator('.line-numbers.active-line-number', { hasText: '15' });
    await click(button('Read the lanes', 'next divergence'), 'the cursor is at the branch', isVisible(branch));
    await open('Look at another warp', 'Pick Warp');
    const warps = bench.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'warp 0' });
    await click(button('Look at another warp', 'Pick Warp'), 'the warps are listed', isVisible(warps));
    await shot('walkthrough-2-warps');
    await click(warps.first(), 'the list is closed', async () => !(await isVisible(warps)()));
    await open('Write a launch', 'Edit Launch');
    const place = bench.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Comment above the kernel' });
    const isWritten = isVisible(bench.editor.locator('.view-line', { hasText: '@launch' }));
    // A list that loses the focus is closed without a choice.
    await until(
      'the launch is written',
      async () => {
        if (await isWritten()) return true;
        if (!(await isVisible(place)())) await button('Write a launch', 'Edit Launch').click({ timeout: 3000 });
        await place.click({ timeout: 5000 });
        return until('the choice writes it', isWritten, 5);
      },
      60,
    );
    await shot('walkthrough-3-launch');
    await open('Follow a finding', 'next finding');
    const answer = bench.page.locator('.statusbar-item', { hasText: 'the run has no findings' });
    await click(button('Follow a finding', 'next finding'), 'the run has no findings', isVisible(answer));
    assert.equal((await bench.stripOf('@%p1')).label, 'split 12|20');
    await shot('walkthrough-4-lanes');
  });

  for (const [ending, theme] of Object.entries(THEMES)) {
    test(`the new kernel, ${theme[0]}`, async () => {
      await useTheme(bench, theme);
      await bench.page.setViewportSize({ width: 960, height: 720 });
      const welcome = bench.page.locator('.tab', { hasText: 'Walkthrough' });
      if (await welcome.count())
        await click(welcome.locator('.codicon-close'), 'the walkthrough is closed', async () => (await welcome.count()) === 0);
      const bar = bench.page.locator('.part.sidebar:visible');
      const toggle = bench.page.locator('[aria-label^="Toggle Primary Side Bar"]').first();
      if (await bar.count()) await click(toggle, 'the side bar is closed', async () => (await bar.count()) === 0);
      await click(bench.lens('Run').or(bench.lens('instr')).first(), 'the launch has run', isVisible(bench.endedRun()));
      await bench.word('shr.u32', 'shr').click();
      await bench.closeHover();
      await until('the strips are drawn', async () => (await bench.strips()).length > 10);
      await picture(bench, `editor${ending}`);
      bench.configureWorkspace({ 'workbench.colorTheme': theme[0], 'warplens.lanes.position': 'right' });
      const left = await bench.stripOf('shr.u32');
      await until('the strips are on the right', async () => (await bench.stripOf('shr.u32')).x > left.x + 100);
      await picture(bench, `right${ending}`);
    });
  }
});

describe('the panel and machine code', { skip, timeout: 600_000 }, () => {
  let bench;

  before(async () => {
    bench = await startWorkbench();
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  async function closeSideBar() {
    const bar = bench.page.locator('.part.sidebar:visible');
    await until('the side bar is closed', async () => {
      if ((await bar.count()) === 0) return true;
      await bench.command('View: Toggle Primary Side Bar Visibility');
      return false;
    });
  }

  test('the machine code of a kernel, beside it', async () => {
    await bench.page.setViewportSize({ width: 1720, height: 500 });
    bench.write('split.ptx', PTX);
    writeTools(bench);
    const tool = { 'warplens.ptxas.path': join(bench.workspace, 'tools/ptxas') };
    bench.configure({ ...SETTINGS, ...tool, 'editor.fontSize': 11, 'workbench.activityBar.location': 'hidden' });
    await bench.open('split.ptx');
    await closeSideBar();
    await bench.showLanes('Run');
    const sass = bench.page.locator('.monaco-editor[data-uri*="/split.ptx.sass?"]').first();
    await until('the machine code is shown', async () => {
      await bench.lens('SASS').first().click({ timeout: 5000 });
      await sass.locator('.view-line', { hasText: 'ISETP.GE.U32' }).first().waitFor({ timeout: 5000 });
      return true;
    });
    for (const [ending, theme] of Object.entries(THEMES)) {
      await useTheme(bench, theme);
      await bench.word('setp.lt.u32', 'setp').click();
      await bench.closeHover();
      await picture(bench, `sass${ending}`);
    }
  });

  test('the lanes panel below a kernel', async () => {
    await bench.page.setViewportSize({ width: 1024, height: 820 });
    bench.configure(SETTINGS);
    await bench.open('divergence.ptx');
    await bench.command('View: Close Editors in Other Groups');
    await bench.command('View: Close Other Editors in Group');
    const panel = new PanelPage(bench);
    await panel.run('Run one warp');
    await closeSideBar();
    await panel.resize(440);
    await bench.command('Warplens: Go to Next Divergence');
    await panel.shows('#sentence', /line 22/);
    await bench.page.mouse.move(10, 450); // not over the edge of the panel, which it would highlight
    for (const [ending, theme] of Object.entries(THEMES)) {
      await useTheme(bench, theme);
      await picture(bench, `panel${ending}`);
    }
  });

  test('two warps and a finding, for the walkthrough', async () => {
    await bench.page.setViewportSize({ width: 760, height: 900 });
    bench.configure({ ...SETTINGS, 'workbench.activityBar.location': 'hidden' });
    bench.write('reverse.ptx', TWO_WARPS);
    await bench.open('reverse.ptx');
    await bench.command('View: Close Other Editors in Group');
    await closeSideBar();
    const panel = new PanelPage(bench);
    await panel.run('Run two warps');
    await panel.resize(250);
    await bench.page.locator('.squiggly-error').first().waitFor();
    for (const [ending, theme] of Object.entries(THEMES)) {
      await useTheme(bench, theme);
      await bench.word('ld.shared', 'ld').click();
      await until('the second warp is shown', async () => (await bench.stripOf('@%p1'))?.label === 'split 12|20');
      const text = await bench.editor.locator('.overflow-guard').boundingBox();
      const clip = { x: text.x, y: text.y, width: Math.min(text.width, 700), height: text.height - SCROLLBAR };
      await picture(bench, `walkthrough-lanes${ending}`, { folder: STEPS, clip });
      await panel.tab('warps');
      await picture(bench, `walkthrough-finding${ending}`, { folder: STEPS });
    }
  });
});
