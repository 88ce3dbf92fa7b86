// What belongs together is shown together: a finding with its warp and the other side; code with its source.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { RACE } from './simulation.mjs';
import { agrees, until } from './workbench.mjs';

/** The second warp stores out of bounds in its last iteration. */
const BOUNDS = `.version 8.0
.target sm_80
.address_size 64

.visible .entry bounds(.param .u64 out)
{
	.reg .pred	%p<2>;
	.reg .b32	%r<3>;
	.reg .b64	%rd<4>;

	mov.u32		%r1, %tid.x;
	mov.u32		%r2, 0;
	ld.param.u64	%rd1, [out];
	mul.wide.u32	%rd2, %r1, 4;
	add.u64		%rd3, %rd1, %rd2;
LOOP:
	st.global.u32	[%rd3], %r2;
	add.u64		%rd3, %rd3, 256;
	add.u32		%r2, %r2, 1;
	setp.lt.u32	%p1, %r2, 4;
	@%p1 bra	LOOP;
	ret;
}
`;

/** The divisor of the third iteration is 0. */
const ZERO = BOUNDS.replaceAll('bounds', 'zero')
  .replace('%r<3>', '%r<5>')
  .replace('LOOP:', 'LOOP:\n\tsub.u32\t\t%r3, %r2, 2;\n\tdiv.u32\t\t%r4, %r1, %r3;')
  .replace('], %r2;', '], %r4;');

/** One lane stores nothing, so the label of the store is longer than the room before its indentation. */
const GUARDED = BOUNDS.replaceAll('bounds', 'guarded')
  .replace('LOOP:', '\tsetp.ne.u32\t%p0, %r1, 40;\nLOOP:')
  .replace('\tst.global', '\t@%p0 st.global');

const SOURCE = `// a kernel
__global__ void k(int *out) {
  int i = threadIdx.x;
  if (i < 12)
    i *= 2;
  out[threadIdx.x] = i;
}
`;

const COMPILED = `.version 8.0
.target sm_80
.address_size 64

.visible .entry k(.param .u64 out)
{
	.reg .pred	%p<2>;
	.reg .b32	%r<4>;
	.reg .b64	%rd<4>;

	.loc	1 3 3
	mov.u32		%r1, %tid.x;
	.loc	1 4 3
	setp.lt.u32	%p1, %r1, 12;
	.loc	1 5 5
	@%p1 shl.b32	%r1, %r1, 1;
	.loc	1 6 3
	ld.param.u64	%rd1, [out];
	mul.wide.u32	%rd2, %r1, 4;
	ret;
}
.file	1 "/build/k.cu"
`;

const LAUNCHES = `
[[launch]]
name  = "two warps race"
file  = "race.ptx"
grid  = [2]
block = [64]
args  = [{ name = "out", buffer = "u32", len = 64 }]

[[launch]]
name  = "out of bounds"
file  = "bounds.ptx"
block = [64]
args  = [{ name = "out", buffer = "u32", len = 224, fill = "zero" }]

[[launch]]
name  = "31 lanes"
file  = "guarded.ptx"
block = [64]
args  = [{ name = "out", buffer = "u32", len = 224, fill = "zero" }]

[[launch]]
name  = "divisors"
file  = "zero.ptx"
args  = [{ name = "out", buffer = "u32", len = 256, fill = "zero" }]
`;

/** The tests; `given()` returns the workbench, with strips, and the function that writes screenshots. */
export function sideTests(given) {
  const shot = (name) => given().shot(name);
  const page = () => given().bench.page;
  const status = (text) => page().locator('.statusbar-item', { hasText: text });
  const rows = () => page().locator('.quick-input-widget .monaco-list-row');

  before(() => {
    const { bench } = given();
    for (const [file, text] of Object.entries({
      'race.ptx': RACE,
      'bounds.ptx': BOUNDS,
      'zero.ptx': ZERO,
      'guarded.ptx': GUARDED,
      'k.cu': SOURCE,
      'compiled.ptx': COMPILED,
    }))
      bench.write(file, text);
    bench.write('warplens.toml', bench.read('warplens.toml') + LAUNCHES);
  });

  /** The lines of an editor that are highlighted, from 1. */
  async function lit(editor) {
    const tops = await editor.locator('.view-overlays > div').evaluateAll((elements) => {
      const isLit = (overlay) => getComputedStyle(overlay).backgroundColor.startsWith('rgba(108, 182, 255');
      return elements
        .filter((element) => [...element.querySelectorAll('.cdr')].some(isLit))
        .map((element) => parseFloat(element.style.top));
    });
    const lines = await editor
      .locator('.view-lines > .view-line')
      .evaluateAll((elements) =>
        elements.map((element) => [parseFloat(element.style.top), (element.textContent ?? '').replaceAll('\u00a0', ' ').trim()]),
      );
    return lines.filter(([top]) => tops.includes(top)).map(([, text]) => text);
  }

  /** Runs the finding's key on the first entry of the Problems panel, by keyboard alone. */
  async function showFromProblems(part) {
    const panel = page().locator('.markers-panel');
    await until(`the first problem has ${part}`, async () => {
      // The panel shows its entries before it has the focus, to which keys go.
      if ((await panel.locator(':focus').count()) === 0) await given().bench.command('Problems: Focus on Problems View');
      await panel.locator(':focus').waitFor({ timeout: 3000 });
      for (const key of ['Home', 'ArrowDown']) await page().keyboard.press(key);
      return (await panel.locator('.monaco-list-row.focused', { hasText: part }).count()) > 0;
    });
    await page().keyboard.press('Control+Alt+Enter');
  }

  async function closePanel() {
    await given().bench.command('View: Toggle Panel Visibility');
    await until('the panel is closed', async () => (await page().locator('.markers-panel:visible').count()) === 0);
  }

  /** Whether strips are drawn after the code. */
  async function isOnTheRight() {
    const [line] = (await given().bench.drawn()).filter(({ cells }) => cells);
    return line.words.every((word) => word.right < line.cells.left);
  }

  describe('a race', () => {
    before(async () => {
      const { bench } = given();
      await bench.openAlone('race.ptx');
      await bench.showLanes('Run two warps race');
      await page().locator('.squiggly-error').first().waitFor();
    });

    test('underlines and the cursor end at the code, before the strips on the right', async () => {
      const { bench } = given();
      bench.configureWorkspace({ 'warplens.lanes.position': 'right' });
      await until('the strips are on the right', isOnTheRight);
      await bench.word('ld.shared', 'shared').click();
      await page().keyboard.press('End');
      const { x } = await bench.stripOf('ld.shared');
      const ends = await bench.editor
        .locator('.squiggly-error')
        .evaluateAll((marks) => marks.map((mark) => mark.getBoundingClientRect().right));
      assert.ok(ends.length > 0 && ends.every((end) => end < x - 8), `underlines end at ${ends}, strips begin at ${x}`);
      const cursor = await bench.editor.locator('.cursors-layer .cursor').first().boundingBox();
      assert.ok(cursor.x < x - 8, `the cursor is at ${cursor.x}, strips begin at ${x}`);
      await shot('side-1-underline');
      bench.configureWorkspace({});
      await until('the strips are on the left', async () => !(await isOnTheRight()));
    });

    test('the list of warps has their figures, filters and a preview', async () => {
      const { bench } = given();
      await bench.command('Warplens: Pick Warp');
      await rows()
        .filter({ hasText: /100 % active · \d findings · shown now/ })
        .waitFor();
      assert.equal(await rows().count(), 4);
      await page().keyboard.press('ArrowDown');
      await status(/warp 0\/2/).waitFor();
      await shot('side-2-warps');
      await page().locator('.quick-input-widget [aria-label="Has findings"]').click();
      await until('one warp is listed', async () => (await rows().count()) === 1);
      await page().locator('.quick-input-widget [aria-label="Diverged"]').click();
      await until('no warp is listed', async () => (await rows().filter({ hasText: 'Block' }).count()) === 0);
      await page().keyboard.press('Escape');
      await status(/warp 1\/2/).waitFor();
    });

    test('the list of launches marks the shown one and has a preview', async () => {
      const { bench } = given();
      await bench.command('Warplens: Pick Launch');
      await rows()
        .filter({ hasText: /two warps race.*shown now[\s\S]*100 % active · \d findings/ })
        .waitFor();
      await page().keyboard.press('ArrowDown');
      await rows()
        .filter({ hasText: /inferred from the kernel · \d+ % active/ })
        .waitFor();
      await shot('side-3-launches');
      await page().keyboard.press('Escape');
      await status(/<<<2, 64>>> warp 1\/2/).waitFor();
    });

    test('one key shows the other side from the Problems panel', async () => {
      const { bench } = given();
      await bench.command('Warplens: Show Previous Warp');
      await status(/warp 0\/2/).waitFor();
      await showFromProblems('Shared-memory race');
      await status(/warp 1\/2/).waitFor();
      await until('the other access is highlighted', async () => (await lit(bench.editor)).length > 0);
      await bench.lens('warp 1 of 2').first().waitFor();
      await shot('side-4-problem');
      await closePanel();
    });
  });

  describe('a finding in a loop', () => {
    before(async () => {
      const { bench } = given();
      await bench.openAlone('bounds.ptx');
      await bench.showLanes('Run out of bounds');
    });

    test('is shown with its warp and its visit', async () => {
      const { bench } = given();
      await status(/warp 1\/2/).waitFor();
      await bench.command('Warplens: Show Previous Warp');
      await status(/warp 0\/2/).waitFor();
      await showFromProblems('Out of bounds');
      await status(/warp 1\/2 visit 4/).waitFor();
      await bench.lens('warp 1 of 2').first().waitFor();
      await shot('side-5-warp');
      await closePanel();
    });

    test('five items at most are above the kernel, and the results are in view in a narrow window', async () => {
      const { bench } = given();
      for (const width of [1023, 1024]) await page().setViewportSize({ width, height: 700 });
      const items = bench.editor.locator('.codelens-decoration').first().locator('a, span:not(:empty)');
      await until('the result and the finding are in view', async () => {
        const texts = (await items.allInnerTexts()).filter((text) => text.trim() !== '|');
        assert.ok(texts.length > 3 && texts.length <= 5, texts.join(' | '));
        const { right } = await bench.editor.evaluate((editor) => editor.getBoundingClientRect().toJSON());
        const finding = await items.filter({ hasText: '1 finding' }).last().boundingBox();
        assert.ok(finding.x + finding.width <= right, `the finding ends at ${finding.x + finding.width}, the editor at ${right}`);
        return true;
      });
      await shot('side-5-lenses');
      for (const height of [1399, 1400]) await page().setViewportSize({ width: 1280, height });
    });

    test('the light bulb covers no label', async () => {
      const { bench } = given();
      await bench.openAlone('guarded.ptx');
      await bench.showLanes('Run 31 lanes');
      await page().locator('.squiggly-error').first().waitFor();
      await bench.word('st.global', 'st').click();
      const bulb = page().locator('.contentWidgets .codicon-light-bulb, .contentWidgets [class*="codicon-gutter-lightbulb"]');
      await bulb.first().waitFor();
      await until('the label of the line is after the code', async () => {
        const { x, y, width, height } = await bulb.first().boundingBox();
        const line = (await bench.drawn()).find((line) => Math.abs(line.y - y) < height);
        assert.match(line.text, /st\.global/);
        assert.ok(line.labels.some(({ text }) => text !== ''));
        for (const { text, left, right } of line.labels) assert.ok(right <= x || x + width <= left, text);
        return true;
      });
      await shot('side-0-bulb');
    });

    test('in the middle of a loop is shown with its visit', async () => {
      const { bench } = given();
      await bench.openAlone('zero.ptx');
      await bench.showLanes('Run divisors');
      await showFromProblems('Division by zero');
      await status(/visit 3/).waitFor();
      await shot('side-5-visit');
      await closePanel();
    });
  });

  describe('compiled code', () => {
    test('has its source beside it, with the same lines highlighted', async () => {
      const { bench } = given();
      await bench.openAlone('compiled.ptx');
      await bench.lens('Run').first().waitFor();
      await bench.word('setp.lt', 'setp').click();
      await bench.command('Warplens: Open Source Beside');
      const source = page().locator('.monaco-editor[data-uri$="/k.cu"]');
      await until('the line of the source is highlighted', async () => (await lit(source)).join() === 'if (i < 12)');
      await until('the code of the line is highlighted', async () => (await lit(bench.editor)).length === 2);
      await source.locator('.view-line', { hasText: 'out[threadIdx.x]' }).click();
      await until('the code of the line is highlighted', async () => (await lit(bench.editor)).length === 4);
      await shot('side-6-source');
    });

    test('has lanes in its source too, which follow the shown launch', async () => {
      const { bench } = given();
      await bench.showLanes('Run');
      const source = page().locator('.monaco-editor[data-uri$="/k.cu"]');
      const labels = async () => {
        const drawn = (await bench.drawn(source)).filter(({ cells }) => cells);
        return drawn.map(({ text, labels }) => `${text.trim()} ${labels.map((label) => label.text).join(' ')}`);
      };
      const all = ['int i = threadIdx.x; 32', 'if (i < 12) 32', 'i *= 2; 12 of 32', 'out[threadIdx.x] = i; 32'];
      await until('each line has its lanes', () => agrees(labels, all));
      await shot('side-6-source-lanes');
      await source.locator('.view-line', { hasText: '// a kernel' }).click();
      await page().keyboard.press('Home');
      await page().keyboard.type('\n');
      await until('they move with edits', () => agrees(labels, all));
      await bench.editor.locator('.view-line', { hasText: 'setp.lt' }).first().click();
      await bench.command('Warplens: Stop Showing Lanes');
      await until('no lanes are shown', async () => (await labels()).length === 0);
      await bench.command('View: Close Editors in Other Groups');
    });
  });
}
