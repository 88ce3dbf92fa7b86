// Editing WAVE: matching constructs, detection of `.wave` files, fixes for a chosen toolchain.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { until } from './workbench.mjs';

/** Each construct once; its keywords do not occur elsewhere. */
const CONSTRUCTS = `.kernel constructs
.registers 8
    mov_sr r1, sr_lane_id
    icmp.lt p1, r1, 16
    loop
        if p1
            break p1
        else
            continue p2
        endif
        icmp.gt p2, r1, 8
    endloop
    halt
.end
`;

/** A branch with one cheap instruction on each path. */
const CHEAP = `.kernel cheap
.registers 8
    mov_sr r1, sr_lane_id
    icmp.lt p1, r1, 16
    if p1
        mov r4, r1
    else
        mov_imm r4, 7
    endif
    device_store.u32 r4, r1
    halt
.end
`;

/** A kernel to type in. */
const DRAFT = `.kernel draft
.registers 8
    mov_sr r1, sr_lane_id
    icmp.lt p1, r1, 16

    halt
.end
`;

/** Code that toolchain 0.1.2 rejects: an immediate operand of an addition, a name with a dot. */
const GUIDE = `.kernel guide
.registers 8
    mov_sr r1, sr_lane_id
    iadd r2, r1, 5
    icmp.lt p1, r2, r1
    if p1
        iadd r2, r2, r1
    endif
    device_store.u32 r2, r1
    halt
.end
`;

const FOREIGN = `fun main() {
    println("another language");
}
`;

/** The tests; `given()` returns the shared workbench and the function that writes screenshots. */
export function waveTests(given) {
  const shot = (name) => given().shot(name);
  const press = (...keys) => keys.reduce((done, key) => done.then(() => given().bench.page.keyboard.press(key)), Promise.resolve());
  const type = (text) => given().bench.page.keyboard.type(text, { delay: 40 });
  const lines = async () => (await given().bench.lines()).map((line) => line.trimEnd());
  const language = (name) => given().bench.page.locator('[id="status.editor.mode"]', { hasText: name }).waitFor();

  /** Opens a file with a kernel. A code lens above the kernel shows that the server has read it. */
  async function openKernel(file, text) {
    const { bench } = given();
    bench.write(file, text);
    await bench.open(file);
    await language('WAVE');
    await bench.lens('Run').first().waitFor();
  }

  /**
   * Types a line and begins the next one. The list of suggestions may open after Escape, and then Enter accepts a
   * suggestion: Enter is pressed until there is a new line. Then waits for the indentation of the line.
   */
  async function typeLine(text, indented) {
    await type(text);
    const before = (await lines()).length;
    await until(`a line after \`${text}\``, async () => {
      await press('Escape', 'Enter');
      const added = async () => (await lines()).length > before;
      return until('a new line', added, 2).catch(() => false);
    });
    await showsLines([indented]);
  }

  /** Waits until the editor shows these lines, one after another. */
  async function showsLines(expected) {
    await until('the lines are indented', async () => {
      const text = (await lines()).join('\n');
      if (!text.includes(expected.join('\n'))) throw new Error(`the editor shows\n${text}`);
      return true;
    });
  }

  /** Moves the cursor to a word. */
  async function goTo(part, word) {
    const { bench } = given();
    await bench.closeHover();
    await bench.word(part, word).click();
  }

  /** Moves the cursor to a line, counted from 1. */
  async function goToLine(line) {
    const { bench } = given();
    await bench.command('Go to Line/Column');
    await type(`${line}`);
    await press('Enter');
  }

  const cursorIsAt = (position) => given().bench.page.locator('.statusbar-item', { hasText: position }).waitFor();

  describe('the keywords of a construct', () => {
    before(() => openKernel('constructs.wave', CONSTRUCTS));

    test('are highlighted together', async () => {
      const { bench } = given();
      const highlighted = async () => (await bench.editor.locator('.wordHighlightText').count()) === 4;
      // VS Code requests highlights once for each cursor position; a click before the server has started highlights equal words only.
      await until('the loop, its break, its continue and its end are highlighted', async () => {
        await goTo('endif', 'endif');
        await goTo('endloop', 'endloop');
        return until('four keywords are highlighted', highlighted, 3);
      });
      await shot('wave-2-highlight');
    });

    test('lead to the start of the construct, and from there to its end', async () => {
      await press('F12');
      await cursorIsAt('Ln 5, Col 5');
      await shot('wave-3-opener');
      await press('F12');
      await cursorIsAt('Ln 12, Col 5');
      await goTo('endif', 'endif');
      await press('F12');
      await cursorIsAt('Ln 6, Col 9');
    });

    test('show the matching keywords in their hovers', async () => {
      const { bench } = given();
      await bench.hover('endloop', 'endloop', /closes loop in line 5/);
      await shot('wave-4-hover');
      await bench.closeHover();
    });

    test('nest in the outline', async () => {
      const { bench } = given();
      await bench.command('Explorer: Focus on Outline View');
      const rows = bench.page.locator('.outline-pane .monaco-list-row, .outline-tree .monaco-list-row');
      await rows.filter({ hasText: 'constructs' }).first().waitFor();
      await rows.first().click();
      await press('*');
      for (const name of ['loop', 'if p1', 'else']) await rows.filter({ hasText: name }).first().waitFor();
      await shot('wave-5-outline');
      await bench.command('View: Toggle Primary Side Bar Visibility');
    });
  });

  describe('a kernel during typing', () => {
    before(() => openKernel('draft.wave', DRAFT));

    test('gets constructs with their ends by completion', async () => {
      const { bench } = given();
      await goToLine(5);
      await type('    i');
      await type('f');
      const rows = bench.page.locator('.suggest-widget.visible .monaco-list-row');
      const construct = rows.filter({ hasText: 'endif' }).first();
      await until('the construct is offered', async () => {
        const offered = await construct.waitFor({ timeout: 5000 }).then(
          () => true,
          () => false,
        );
        if (!offered) await press('Escape', 'Control+Space');
        return offered;
      });
      await shot('wave-6-completion');
      await press('Enter');
      await until('the construct is inserted', async () => /^ {4}if p1 {0,}$/m.test((await bench.lines()).join('\n')));
      await until('its end is inserted below', async () => /^ {4}endif$/m.test((await bench.lines()).join('\n')));
      await shot('wave-7-construct');
      await press('Tab');
      await type('iadd r2, r1, 1');
      await press('Escape', 'Escape');
      await until('the typed statement is inside', async () => (await bench.lineWith('iadd r2')).startsWith('        iadd'));
    });

    test('is indented as it is typed', async () => {
      await press('End', 'Enter');
      const expected = ['        if p2', '            nop', '        else', '            wait', '        endif', '    endif'];
      await typeLine('if p2', expected[0]);
      await typeLine('nop', expected[1]);
      await typeLine('else', expected[2]);
      await typeLine('wait', expected[3]);
      await type('endif');
      await press('Escape');
      await showsLines(expected);
      await shot('wave-8-typed');
    });

    test('offers predicates and their definitions for a guard', async () => {
      const { bench } = given();
      await goToLine(4);
      await press('End', 'Enter');
      await type('@');
      const rows = bench.page.locator('.suggest-widget.visible .monaco-list-row');
      await rows.filter({ hasText: 'p1' }).first().waitFor();
      await shot('wave-9-guard');
      await press('Escape', 'Backspace', 'Backspace');
      await type('\n');
      await type('select r3, ');
      const signature = bench.page.locator('.parameter-hints-widget.visible');
      await signature.waitFor();
      assert.match(await signature.innerText(), /select rd, ps, rs1, rs2/);
      await shot('wave-10-signature');
      await press('Escape');
    });
  });

  describe('a chosen toolchain', () => {
    before(async () => {
      const { bench } = given();
      bench.configureWorkspace({ 'warplens.wave.accepts': 'toolchain-0.1.2' });
      await openKernel('guide.wave', GUIDE);
    });

    test('underlines code that it rejects, with a fix', async () => {
      const { bench } = given();
      await bench.page.locator('.squiggly-error, .squiggly-warning').first().waitFor();
      await goTo('icmp.lt', 'icmp');
      await press('Control+.');
      const fix = bench.page.locator('.action-widget .monaco-list-row.action').first();
      await fix.waitFor();
      await shot('wave-11-accepts');
      assert.match(await fix.innerText(), /Rewrite for toolchain 0\.1\.2/);
      await press('Enter');
      await until("the name is the toolchain's", async () => await bench.lineWith('icmp_lt p1'));
    });
  });

  describe('an expensive branch', () => {
    before(async () => {
      const { bench } = given();
      bench.configureWorkspace({});
      await openKernel('cheap.wave', CHEAP);
    });

    test('gets a hint and is replaced by a select', async () => {
      const { bench } = given();
      await bench.page.locator('.squiggly-hint, .squiggly-info').first().waitFor();
      await bench.hover('if p1', 'if', /select r4, p1, r1, 7/);
      await shot('wave-13-lint');
      await goTo('if p1', 'if');
      await press('Control+.');
      const fix = bench.page.locator('.action-widget .monaco-list-row.action', { hasText: 'select' }).first();
      await fix.waitFor();
      await shot('wave-14-rewrite');
      await press('Enter'); // it is the first action
      await until('the branch is replaced', async () => await bench.lineWith('    select r4, p1, r1, 7'));
      await shot('wave-15-selected');
    });
  });

  describe('a run of WAVE', () => {
    const status = (text) => given().bench.page.locator('.statusbar-item', { hasText: text });
    const lensText = (text) => given().bench.page.locator('.codelens-decoration', { hasText: text });

    before(async () => {
      const { bench } = given();
      await openKernel('paths.wave', CHEAP);
      // A lens that is redrawn loses the click.
      await until('lanes are shown', async () => {
        if ((await status('warp 0/').count()) > 0) return true;
        await bench.lens('Run inferred').first().click({ timeout: 2000 });
        return false;
      });
    });

    test('shows the divergence stack in the hovers of a construct', async () => {
      const { bench } = given();
      await bench.hover('else', 'else', /Divergence stack[\s\S]*1 of 32/);
      await shot('wave-16-stack');
      await bench.closeHover();
    });

    test('runs under the model of the reference emulator', async () => {
      const { bench } = given();
      await status('structured').click();
      const rows = bench.page.locator('.quick-input-widget .monaco-list-row');
      await rows.filter({ hasText: 'wave-emu' }).waitFor();
      await shot('wave-17-models');
      await rows.filter({ hasText: 'wave-emu' }).click();
      await status('wave-emu').waitFor();
      await lensText('nothing was run').waitFor(); // the code lens is drawn last
      await until('only the error is shown', async () => (await bench.lines()).every((line) => !line.includes('not run')));
      await shot('wave-18-emulator');
    });

    test('is rewritten for the emulator if its assembler rejects it', async () => {
      const { bench } = given();
      await press('Escape'); // the tip of the status bar
      await bench.hover('halt', 'halt', /Nothing was run because of line 4/);
      await bench.closeHover();
      await goTo('icmp.lt', 'icmp');
      await press('Control+.');
      const fix = bench.page.locator('.action-widget .monaco-list-row.action').first();
      await fix.waitFor();
      await shot('wave-19-rewrite');
      assert.match(await fix.innerText(), /Rewrite file in the toolchain's dialect/);
      await press('Enter');
      await lensText(/\d+ instr/).waitFor();
      await shot('wave-20-rewritten');
    });

    test('follows the settings', async () => {
      const { bench } = given();
      // Another model has a lens, which leaves no room for the one that stops.
      await bench.command('Warplens: Pick Launch');
      await bench.page.locator('.quick-input-widget .monaco-list-row', { hasText: 'Stop Showing Lanes' }).click();
      await bench.lens('Run inferred').first().click();
      await status('structured').waitFor();
      bench.configureWorkspace({ 'warplens.simulation.model': 'wave-emu' });
      await status('wave-emu').waitFor();
      bench.configureWorkspace({});
      await status('structured').waitFor();
      await bench.command('Warplens: Stop Showing Lanes');
      await until('the status bar is empty', async () => (await status('structured').count()) === 0);
    });
  });

  describe('a .wave file', () => {
    test('of another language is ignored until a kernel is typed', async () => {
      const { bench } = given();
      bench.write('foreign.wave', FOREIGN);
      await bench.open('foreign.wave');
      await language('Plain Text');
      assert.equal(await bench.page.locator('.squiggly-error').count(), 0);
      await press('Control+Home');
      await type('\n');
      await press('ArrowUp');
      await type('.kernel k');
      await language('WAVE');
      await bench.page.locator('.squiggly-error').first().waitFor();
      await shot('wave-12-detected');
    });

    test('has the language that the user selects', async () => {
      const { bench } = given();
      bench.write('selected.wave', '    halt\n');
      bench.write('other.wave', DRAFT);
      bench.configureWorkspace({ 'files.associations': { 'selected.wave': 'wave-asm', 'other.wave': 'plaintext' } });
      await bench.open('selected.wave');
      await language('WAVE');
      await bench.open('other.wave');
      await language('Plain Text');
      await bench.page.waitForTimeout(1000); // the language must not change
      await language('Plain Text');
      bench.configureWorkspace({});
    });
  });
}
