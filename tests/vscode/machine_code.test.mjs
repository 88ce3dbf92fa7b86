// The machine code of PTX beside it, and comparisons, with scripts that stand for an assembler and a disassembler.
// Screenshots of each step are written to target/vscode-screenshots.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { reportFailure, SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { PTX, SASS, writeTools } from './tools.mjs';
import { until } from './workbench.mjs';

describe('machine code in VS Code', { skip, timeout: 600_000 }, () => {
  let bench;
  const shot = (name) => bench.screenshot(join(SCREENSHOTS, `${name}.png`));
  const editorOf = (name) => bench.page.locator(`.monaco-editor[data-uri$="/${name}"], .monaco-editor[data-uri*="/${name}?"]`).first();
  const ptx = () => editorOf('split.ptx');
  const sass = () => editorOf('split.ptx.sass');

  before(async () => {
    bench = await startWorkbench();
    await bench.page.setViewportSize({ width: 1800, height: 1000 });
    bench.write('code/split.ptx', PTX);
    writeTools(bench);
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  /** The lines of an editor that are on the page and highlighted, as text. */
  async function lit(editor) {
    return editor.evaluate((element) => {
      const shown = (line) => ({ top: line.getBoundingClientRect().top, text: (line.textContent ?? '').replaceAll('\u00a0', ' ').trim() });
      const lines = [...element.querySelectorAll('.view-lines > .view-line')].map(shown);
      const marks = [...element.querySelectorAll('.view-overlays .cdr')].filter((mark) => {
        const background = getComputedStyle(mark).backgroundColor;
        return /ced-/.test(mark.className) && background !== 'rgba(0, 0, 0, 0)' && mark.getBoundingClientRect().width > 100;
      });
      const tops = marks.map((mark) => mark.getBoundingClientRect().top);
      return lines.filter(({ top }) => tops.some((other) => Math.abs(other - top) < 2)).map(({ text }) => text);
    });
  }

  /** The lines of an editor that are on the page, with the hints at their ends. */
  async function lineOf(editor, part) {
    const lines = await editor
      .locator('.view-lines > .view-line')
      .evaluateAll((elements) => elements.map((line) => line.textContent ?? ''));
    return lines.map((line) => line.replaceAll('\u00a0', ' ')).find((line) => line.includes(part));
  }

  /** Clicks into a line until the other editor highlights lines with these texts. */
  async function moving(editor, part, word, other, expected) {
    await until(`the cursor at ${part} highlights ${expected.join(' and ')}`, async () => {
      await editor.locator('.view-line', { hasText: part }).first().locator('span span', { hasText: word }).last().click({ timeout: 5000 });
      return until(
        'they are highlighted',
        async () => {
          const found = await lit(other);
          if (found.length > 0 && expected.every((text) => found.some((line) => line.includes(text)))) return true;
          throw new Error(`highlighted: ${found.join(' | ')}`);
        },
        3,
      );
    });
  }

  async function message(pattern) {
    return bench.page.locator('.notification-list-item', { hasText: pattern }).first();
  }

  async function closeMessages() {
    await bench.command('Notifications: Clear All Notifications');
  }

  test('without tools, a message names the settings and opens them', async () => {
    await bench.open('code/split.ptx');
    await bench.lens('Run').first().waitFor();
    assert.equal(await bench.lens('SASS').count(), 0);
    const toast = await message(/warplens\.ptxas\.path/);
    await until('the message is shown', async () => {
      await bench.command('Warplens: Open SASS Beside');
      await toast.waitFor({ timeout: 5000 });
      return true;
    });
    await toast.hover(); // it fades in
    await bench.page.waitForTimeout(500);
    await shot('code-1-no-tools');
    await toast.locator('a, .monaco-button', { hasText: 'Open Settings' }).click();
    await bench.page.locator('.settings-editor', { hasText: 'Ptxas' }).waitFor();
    await closeMessages();
  });

  test('the lens opens the machine code beside its kernel', async () => {
    bench.configure({ 'warplens.ptxas.path': join(bench.workspace, 'tools/ptxas') });
    await bench.open('code/split.ptx');
    await bench.lens('SASS').first().waitFor();
    await until('the machine code is shown', async () => {
      await bench.lens('SASS').first().click({ timeout: 5000 });
      await sass().locator('.view-line', { hasText: 'ISETP.GE.U32' }).first().waitFor({ timeout: 5000 });
      return true;
    });
    await shot('code-2-beside');
  });

  test('each side follows the cursor of the other', async () => {
    await moving(ptx(), 'setp.lt.u32', 'setp', sass(), ['ISETP.GE.U32']);
    await shot('code-3-ptx');
    assert.deepEqual(
      (await lit(ptx())).filter((line) => !line.includes('setp')),
      [],
    );
    await moving(sass(), 'IMAD.WIDE', 'IMAD', ptx(), ['add.u64']);
    await shot('code-4-sass');
  });

  test('one launch is shown in both, for the same warp', async () => {
    const executed = (editor, part, lanes) =>
      until(`${part} is executed by ${lanes}`, async () => {
        const line = await lineOf(editor, part);
        if (line?.includes(lanes)) return true;
        throw new Error(line);
      });
    await ptx().locator('.view-line', { hasText: 'mov.u32' }).first().click();
    bench.editor = ptx();
    await bench.showLanes('Run two warps');
    await executed(ptx(), 'mul.lo', '12/32');
    await executed(sass(), '@P0 IMAD', '12 of 32');
    await shot('code-5-lanes');
    bench.editor = sass();
    await bench.hover('@P0 IMAD', 'R5', /R5 is probably %r2 of the source/);
    await shot('code-5-register');
    await bench.closeHover();
    await ptx().locator('.view-line', { hasText: 'mov.u32' }).first().click();
    await bench.command('Warplens: Show Next Warp');
    await executed(sass(), '@!P0 IADD3', '0 of 32');
    await until('the first warp is no longer shown', async () => !(await lineOf(ptx(), 'mul.lo')).includes('12/32'));
    await sass().locator('.view-line', { hasText: 'STG.E' }).first().click();
    await bench.command('Warplens: Show Previous Warp');
    await executed(ptx(), 'mul.lo', '12/32');
    await executed(sass(), '@P0 IMAD', '12 of 32');
  });

  test('results that agree are counted', async () => {
    await ptx().locator('.view-line', { hasText: 'mov.u32' }).first().click();
    await bench.command('Warplens: Compare with ptxas');
    await (await message(/split\.ptx and its machine code for sm_80 agree: 101 launches, 101 buffers/)).waitFor();
    await shot('code-6-agree');
    await closeMessages();
  });

  test('the machine code follows saves', async () => {
    await until('the text is edited', async () => {
      await ptx().locator('.view-line', { hasText: 'ret;' }).first().click({ timeout: 5000 });
      await bench.page.keyboard.press('End');
      await bench.page.keyboard.type(' // seed');
      return lineOf(ptx(), 'ret; // seed');
    });
    assert.ok(await lineOf(sass(), '0x7, RZ'), 'nothing is saved yet');
    await bench.page.keyboard.press('Control+s');
    await until('the listing is that of the saved file', () => lineOf(sass(), '0x8, RZ'));
  });

  test('a difference is found in both files, and can be jumped to', async () => {
    await bench.command('Warplens: Compare with ptxas');
    const toast = await message(/out\[0\] is 7 in split\.ptx and 8 in split\.ptx\.sass/);
    await toast.waitFor();
    const underlined = (editor) => until('the line is underlined', async () => (await editor.locator('.squiggly-error').count()) > 0);
    await underlined(ptx());
    await underlined(sass());
    await shot('code-7-difference');
    await toast.locator('a, .monaco-button', { hasText: 'Go to split.ptx.sass' }).click();
    const cursorIsAt = (line) => bench.page.locator('.statusbar-item', { hasText: `Ln ${line},` }).waitFor();
    await cursorIsAt(SASS.split('\n').findIndex((line) => line.includes('STG.E')) + 1);
    await bench.command('Go to Next Problem (Error, Warning, Info)');
    await bench.page.locator('.marker-widget', { hasText: /stored by lane 0 of warp 0/ }).waitFor();
    await shot('code-8-jumped');
    await bench.page.keyboard.press('Escape');
  });

  test('a target is picked', async () => {
    await ptx().locator('.view-line', { hasText: 'mov.u32' }).first().click();
    await bench.command('Warplens: Open SASS Beside');
    const rows = bench.page.locator('.quick-input-list .monaco-list-row');
    await rows.filter({ hasText: 'sm_80' }).filter({ hasText: 'the target of this file' }).waitFor();
    await shot('code-9-targets');
    await rows.filter({ hasText: 'sm_90' }).click();
    await editorOf('split.ptx.sm_90.sass').locator('.view-line', { hasText: 'sm_90' }).first().waitFor();
  });

  test('another file is picked and compared', async () => {
    bench.write('code/other.ptx', PTX.replace('%r1, 7;', '%r1, 9;'));
    await ptx().locator('.view-line', { hasText: 'mov.u32' }).first().click();
    await bench.command('Warplens: Compare with…');
    const row = bench.page.locator('.quick-input-list .monaco-list-row', { hasText: 'code/other.ptx' });
    await row.waitFor();
    await shot('code-10-pick');
    await row.click();
    await (await message(/out\[0\] is 7 in split\.ptx and 9 in other\.ptx/)).waitFor();
    await until('both are underlined', async () => (await bench.page.locator('.squiggly-error').count()) >= 2);
    await shot('code-11-other');
  });
});
