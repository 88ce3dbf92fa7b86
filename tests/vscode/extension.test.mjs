// Tests of the packed extension with its server in a real VS Code, on a copy of the examples.
// Screenshots of each step are written to target/vscode-screenshots.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { sassTests } from './sass.mjs';
import { reportFailure, SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { simulationTests } from './simulation.mjs';
import { waveTests } from './wave.mjs';
import { until } from './workbench.mjs';

/** A kernel with a mistake in most lines. */
const SLOPPY = `.version 8.0
.target sm_80
.address_size 64

.visible .entry sloppy()
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  .reg .f32 %f<2>;

  mov.u32 %r1, %laneid;
  mull.lo.u32 %r2, %r1, 3;
  cvt.u32.f32 %r3, %f1;
  setp.u32.lt %p1, %r2, 12;
  ret;
}
`;

describe('the extension in VS Code', { skip, timeout: 600_000 }, () => {
  let bench;

  before(async () => {
    bench = await startWorkbench();
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  const shot = (name) => bench.screenshot(join(SCREENSHOTS, `${name}.png`));

  describe('divergence.ptx', () => {
    before(() => bench.open('divergence.ptx'));

    test('has the language PTX and a code lens above its kernel', async () => {
      await bench.page.locator('[id="status.editor.mode"]', { hasText: 'PTX' }).waitFor();
      await bench.lens('Run one warp').first().waitFor();
      await shot('ptx-1-lens');
    });

    test('hovers describe an instruction and a special register', async () => {
      await bench.hover('@%p1 bra', 'bra', /[Bb]ranch/);
      await bench.hover('%tid.x', 'tid', /CTA|block/);
      await shot('ptx-2-hover');
    });

    test('the code lens shows the lanes at the end of each line', async () => {
      const before = await bench.lineWith('@%p1 bra');
      await bench.showLanes('Run one warp');
      const after = await bench.lineWith('@%p1 bra');
      assert.ok(after.startsWith(before.trimEnd()), 'the code itself is unchanged');
      await bench.page.locator('.statusbar-item', { hasText: 'stack' }).waitFor();
      await shot('ptx-3-lanes');
    });

    test('the status bar selects another divergence model', async () => {
      await bench.page.locator('.statusbar-item', { hasText: 'stack' }).click();
      const rows = bench.page.locator('.quick-input-widget .monaco-list-row');
      await rows.filter({ hasText: 'independent thread scheduling' }).click();
      await bench.page.locator('.statusbar-item', { hasText: /\bits\b/ }).waitFor();
      await shot('ptx-3-model');
    });

    test('the lanes change as one types, and a mistake is underlined', async () => {
      const hinted = (await bench.lines()).join('\n');
      await typeInto('@%p1 bra', 'bra', 'q');
      await bench.page.locator('.squiggly-error').first().waitFor();
      await shot('ptx-4-error');
      await bench.page.keyboard.press('Control+z');
      await until('no error is shown', async () => (await bench.page.locator('.squiggly-error').count()) === 0);
      await until('the lanes are shown again', async () => (await bench.lines()).join('\n') === hinted);
    });

    test('completion offers the modifiers of an opcode', async () => {
      await typeInto('@%p1 bra', 'EVEN', '\n\tsetp.', 'End');
      const rows = bench.page.locator('.suggest-widget.visible .monaco-list-row');
      await rows.first().waitFor();
      await shot('ptx-5-completion');
      assert.match((await rows.allInnerTexts()).join('\n'), /lt|eq/);
      await bench.page.keyboard.press('Escape');
    });

    test('the lanes can be switched off', async () => {
      await bench.command('Warplens: Stop Showing Lanes');
      await until('no lanes are shown', async () => !(await bench.lanesAreShown()));
    });
  });

  describe('sloppy.ptx', () => {
    const underlined = (severity) => bench.page.locator(`.squiggly-${severity}`);

    before(async () => {
      bench.write('sloppy.ptx', SLOPPY);
      await bench.open('sloppy.ptx');
    });

    test('each mistake is underlined, and unusual code gets a hint', async () => {
      await until('both errors are underlined', async () => (await underlined('error').count()) === 2);
      await until('the order of the modifiers has a hint', async () => (await underlined('hint').count()) === 1);
      await shot('fix-1-mistakes');
    });

    test('a quick fix corrects a misspelled opcode', async () => {
      await bench.hover('mull.lo', 'mull', /did you mean `?mul`?/);
      await shot('fix-2-hover');
      await applyFix('mull.lo', 'mull', /mul/, 'fix-3-opcode');
      await until('the opcode is corrected', async () => await bench.lineWith('mul.lo.u32 %r2, %r1, 3;'));
    });

    test('a quick fix adds the rounding that a conversion needs', async () => {
      await applyFix('cvt.u32', 'cvt', /cvt\.rni\.u32\.f32/, 'fix-4-rounding');
      await until('the rounding modifier is added', async () => await bench.lineWith('cvt.rni.u32.f32'));
      await until('no error is shown', async () => (await underlined('error').count()) === 0);
    });

    test('the hover of an opcode describes the form of the instruction', async () => {
      await bench.hover('mul.lo', 'mul', /low half/, /\.lo/);
      await shot('fix-5-page');
    });

    test('signature help shows the form while operands are typed', async () => {
      await typeInto('mul.lo', 'mul', '\n  add.u32 %r1, ', 'End');
      const signature = bench.page.locator('.parameter-hints-widget.visible');
      await signature.waitFor();
      await shot('fix-6-signature');
      assert.match(await signature.innerText(), /add[\s\S]*d, a, b/);
      await bench.page.keyboard.type('%r2, 1;');
      await until('the statement is complete', async () => await bench.lineWith('%r1, %r2, 1;'));
    });

    test('the document is formatted in the columns of a compiler', async () => {
      await bench.command('Format Document');
      await until('the operands are in their column', async () => /^ +setp\.u32\.lt {2,}%p1/.test(await bench.lineWith('setp')));
      await shot('fix-7-formatted');
    });

    test('a setting switches a hint off', async () => {
      // Another file: VS Code may keep the text of an editor that was changed.
      bench.write('sloppy-again.ptx', SLOPPY);
      bench.configureWorkspace({ 'warplens.diagnostics.severity': { 'modifier-order': 'off' } });
      await bench.open('sloppy-again.ptx');
      await until('both errors are underlined', async () => (await underlined('error').count()) === 2);
      await until('no hint is shown', async () => (await underlined('hint').count()) === 0);
      bench.configureWorkspace({});
    });

    /** Applies the first quick fix at `word`, whose title must match `title`. */
    async function applyFix(part, word, title, name) {
      await bench.closeHover();
      const first = bench.page.locator('.action-widget .monaco-list-row.action').first();
      // The editor opens no menu if it has not received the diagnostic's actions yet.
      await until('the menu of quick fixes is open', async () => {
        await bench.word(part, word).click();
        await bench.page.keyboard.press('Control+.');
        return first.waitFor({ timeout: 5000 }).then(
          () => true,
          () => false,
        );
      });
      await shot(name);
      assert.match(await first.innerText(), title);
      await bench.page.keyboard.press('Enter');
    }
  });

  describe('divergence.wave', () => {
    before(() => bench.open('divergence.wave'));

    test('becomes a WAVE document because of its kernel', async () => {
      await bench.page.locator('[id="status.editor.mode"]', { hasText: 'WAVE' }).waitFor();
    });

    test('hovers describe constructs and their lanes', async () => {
      await bench.showLanes('Run one wave');
      await bench.hover('break p2', 'break', /4 visits by 8 of 32 lanes each[\s\S]*loop/);
      await shot('wave-1-lanes');
    });
  });

  waveTests(() => ({ bench, shot }));

  sassTests(() => ({ bench, shot }));

  simulationTests(() => ({ bench, shot }));

  /** Clicks `word` in the first line that contains `part`, moves the cursor by `keys`, and types. */
  async function typeInto(part, word, text, ...keys) {
    await bench.word(part, word).click();
    for (const key of keys) await bench.page.keyboard.press(key);
    await bench.page.keyboard.type(text, { delay: 30 });
  }
});
