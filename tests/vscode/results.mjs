// Launches that are written in the editor, the results that they expect, and what strips say about a chosen visit.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { PanelPage } from './panel_page.mjs';
import { until } from './workbench.mjs';

const kernel = (name, launch, body) => `.version 8.0
.target sm_80
.address_size 64
${launch}
.visible .entry ${name}(.param .u64 out)
{
	.reg .pred	%p<3>;
	.reg .b32	%r<6>;
	.reg .b64	%rd<4>;

	ld.param.u64	%rd1, [out];
	mov.u32		%r1, %tid.x;
${body}	ret;
}
`;

const STORE = `	mul.wide.u32	%rd2, %r1, 4;
	add.u64		%rd3, %rd1, %rd2;
	st.global.u32	[%rd3], %r1;
`;

/** Thread 40 is expected to store 7, and thread 3 to store 9. */
const VALUES = Array.from({ length: 64 }, (_, index) => ({ 3: 3, 40: 7 })[index] ?? index).join(', ');
const EXPECTED = `// @launch { name = "all", block = [64], args = [{ name = "out", buffer = "u32", len = 64 }], expect = [{ name = "out", values = [${VALUES}] }] }`;

/** A loop that fewer lanes repeat each time, after a load of a column. */
const LOOP = `	mul.wide.u32	%rd2, %r1, 64;
	add.u64		%rd3, %rd1, %rd2;
	ld.global.u32	%r2, [%rd3];
AGAIN:
	and.b32		%r3, %r1, 1;
	setp.eq.u32	%p1, %r3, 1;
	shr.u32		%r1, %r1, 1;
	@%p1 bra	AGAIN;
`;
const LOOP_LAUNCH = '// @launch { name = "loop", block = [32], args = [{ name = "out", buffer = "u32", len = 512 }] }';

/** Each launch reads shared memory that no thread has written. */
const LOST = `	.shared .align 4 .b32 slot;
	ld.shared.u32	%r1, [slot];
	st.global.u32	[%rd1], %r1;
`;

const STYLES = `// colors
$primary: #0b5cad

=rounded($radius)
  border-radius: $radius

.button
  color: $primary
  +rounded(4px)
`;

const LISTING = `
	code for sm_80
		Function : k
        /*0000*/                   MOV R1, c[0x0][0x28] ;
        /*0010*/                   EXIT ;
`;

/** The tests; `given()` returns the workbench, with strips, and the function that writes screenshots. */
export function resultTests(given) {
  const shot = (name) => given().shot(name);
  const page = () => given().bench.page;
  const status = (text) => page().locator('.statusbar-item', { hasText: text });
  const rows = () => page().locator('.quick-input-widget .monaco-list-row');
  const set = (settings) => given().bench.configureWorkspace(settings);

  before(() => {
    const { bench } = given();
    bench.write('results/comment.ptx', kernel('comment', '', STORE));
    bench.write('results/filed.ptx', kernel('filed', '', STORE));
    bench.write('results/expected.ptx', kernel('expected', EXPECTED, STORE));
    bench.write('results/loop.ptx', kernel('loop', LOOP_LAUNCH, LOOP));
    bench.write('results/theme.sass', STYLES);
    bench.write('results/listing.sass', LISTING);
    bench.write('results/lost.ptx', kernel('lost', '', LOST));
    bench.write('results/again.ptx', kernel('lost', '', LOST));
  });

  describe('a launch that is written', () => {
    /** Runs the inferred launch of a file, and writes it. */
    async function writeLaunch(file, place) {
      const { bench } = given();
      await bench.openAlone(`results/${file}`);
      await bench.showLanes('Run inferred');
      await bench.lens('inferred').first().waitFor();
      await bench.command('Warplens: Edit Launch');
      await rows().filter({ hasText: place }).click();
    }

    test('in a comment is selected, and followed while its name is typed', async () => {
      const { bench } = given();
      await writeLaunch('comment.ptx', 'Comment above');
      await bench.lens('1 x 32 ▾').first().waitFor();
      assert.match(await bench.lineWith('@launch'), /buffer = "u32", len = 32/);
      await page().keyboard.type('mine', { delay: 30 });
      await bench.lens('mine ▾').first().waitFor();
      await shot('result-1-comment');
    });

    test('in a file is selected, and followed when the file is saved', async () => {
      const { bench } = given();
      await writeLaunch('filed.ptx', 'warplens.toml');
      const launches = page().locator('.monaco-editor[data-uri$="/warplens.toml"]');
      await launches.locator('.view-line', { hasText: 'results/filed.ptx' }).waitFor();
      await page().locator('[id="status.editor.mode"]', { hasText: 'Warplens launches' }).waitFor();
      await bench.editor.locator('.view-line', { hasText: 'st.global' }).waitFor();
      await until('its text has colors', async () => (await launches.locator('.view-line span[class*="mtk"]:not(.mtk1)').count()) > 3);
      await until('its name is selected', async () => (await launches.locator('.selected-text').count()) > 0);
      await page().keyboard.type('saved', { delay: 30 });
      await page().keyboard.press('Control+s');
      await bench.lens('saved ▾').first().waitFor();
      await shot('result-2-file');
      await bench.command('View: Join All Editor Groups');
    });
  });

  describe('an element that is not as expected', () => {
    test('leads from the lens to the store, its lane, and the expected number', async () => {
      const { bench } = given();
      await bench.openAlone('results/expected.ptx');
      await bench.showLanes('Run all');
      const check = bench.lens('✗ out[40] is 40, expected 7').first();
      await check.waitFor();
      const panel = new PanelPage(bench);
      await panel.open();
      await panel.tab('buffers');
      await panel.click('#element-3');
      await panel.shows('#writer', /^0, 3$/);
      await check.click();
      await status('Ln 15,').waitFor();
      await status(/warp 1\/2/).waitFor();
      await panel.shows('.detail', /out\[40\][\s\S]*expected\s*7/);
      await panel.shows('#writer', /^1, 8$/);
      await bench.hover('st.global', 'global', /stored by thread \(40,0,0\)[\s\S]*is expected here/);
      await shot('result-3-expected');
      await bench.closeHover();
    });

    test('one click in the panel shows the lane and the statement that stored an element', async () => {
      const { bench } = given();
      const panel = new PanelPage(bench);
      await bench.word('mul.wide', 'mul').click();
      await panel.click('#element-3');
      await status('Ln 15,').waitFor();
      await status(/warp 0\/2/).waitFor();
      await panel.shows('#writer', /^0, 3$/);
      await shot('result-4-click');
    });

    test('one click in the panel makes the launch expect what the buffer holds', async () => {
      const { bench } = given();
      const panel = new PanelPage(bench);
      await panel.click('#expect');
      await bench.lens('✓ expected').first().waitFor();
      await panel.shows('.list', /as expected/);
      assert.match(await bench.lineWith('@launch'), /values = \[0, 1, 2, 3, 4,.* 39, 40, 41,/);
      await shot('result-4-expect');
      await bench.command('View: Toggle Panel Visibility');
    });
  });

  describe('strips', () => {
    test('say the cost and the values, and show the chosen visit', async () => {
      const { bench } = given();
      await bench.openAlone('results/loop.ptx');
      await bench.showLanes('Run loop');
      const all = await bench.stripOf('and.b32');
      set({ 'warplens.simulation.counters': true, 'warplens.lanes.values': true });
      const label = async (part) => (await bench.stripOf(part))?.labels.join('  ') ?? '';
      await until('the cost is shown', async () => /32 sectors, ideal 4/.test(await label('ld.global')));
      await until('a value is shown', async () => /%r3 = /.test(await label('and.b32')));
      await bench.word('and.b32', 'and').click();
      for (let visit = 0; visit < 2; visit++) {
        await bench.command('Warplens: Show Next Visit');
        await status(`visit ${visit + 1}`).waitFor();
      }
      await until('the visit is shown', async () => /visit 2\/6 16 odd/.test(await label('and.b32')));
      const chosen = await bench.stripOf('and.b32');
      assert.notEqual(chosen.image, all.image);
      await bench.hover('and.b32', 'and', /Visit 2 of 6 is shown: 16 of 32 lanes executed/);
      await shot('result-5-visit');
      await bench.closeHover();
      set({});
    });
  });

  describe('.sass files', () => {
    const mode = (name) => page().locator('[id="status.editor.mode"]', { hasText: name });

    test('are machine code only with a line of a listing', async () => {
      const { bench } = given();
      await bench.openAlone('results/theme.sass');
      await until('the style sheet is no machine code', async () => (await mode(/^SASS$/).count()) === 0);
      assert.equal(await bench.lens('Run').count(), 0);
      await shot('result-6-styles');
      await bench.open('results/listing.sass');
      await mode(/^SASS$/).waitFor();
      await bench.showLanes('Run');
      await bench.command('Warplens: Pick Divergence Model');
      await rows().first().waitFor();
      assert.deepEqual(
        (await rows().allInnerTexts()).map((text) => /barriers|tokens/.exec(text)?.[0]),
        ['barriers', 'tokens'],
      );
      await shot('result-7-models');
      await page().keyboard.press('Escape');
    });
  });

  describe('a comparison', () => {
    test('in which no drawn launch counted says so', async () => {
      const { bench } = given();
      await bench.openAlone('results/lost.ptx');
      await bench.lens('Run').first().waitFor();
      await bench.command('Warplens: Compare with…');
      await page().locator('.quick-input-widget input').fill('results/again.ptx');
      await rows().filter({ hasText: 'results/again.ptx' }).first().click();
      const warning = page().locator('.notification-list-item', { hasText: /none of the \d+ drawn launches counted.*Uninitialized/ });
      await warning.waitFor();
      await shot('result-8-compared');
    });
  });
}
