// Writing and reading WAVE: constructs that belong together, whose `.wave` file it is, mends for a chosen toolchain.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { until } from './workbench.mjs';

/** Each construct once, and no word of one elsewhere. */
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

/** A branch whose sides do one cheap thing each. */
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

/** A kernel to write into. */
const DRAFT = `.kernel draft
.registers 8
    mov_sr r1, sr_lane_id
    icmp.lt p1, r1, 16

    halt
.end
`;

/** What toolchain 0.1.2 does not take: a number beside an addition, a name with a dot. */
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

/** The tests; `given()` is what they share with the others: the workbench, and how a screenshot is kept. */
export function waveTests(given) {
  const shot = (name) => given().shot(name);
  const press = (...keys) => keys.reduce((done, key) => done.then(() => given().bench.page.keyboard.press(key)), Promise.resolve());
  const type = (text) => given().bench.page.keyboard.type(text, { delay: 40 });
  const language = (name) => given().bench.page.locator('[id="status.editor.mode"]', { hasText: name }).waitFor();

  /** Puts the cursor into a word. */
  async function goTo(part, word) {
    const { bench } = given();
    await bench.closeHover();
    await bench.word(part, word).click();
  }

  /** Puts the cursor on a line, counted from 1. */
  async function goToLine(line) {
    const { bench } = given();
    await bench.command('Go to Line/Column');
    await type(`${line}`);
    await press('Enter');
  }

  const cursorIsAt = (place) => given().bench.page.locator('.statusbar-item', { hasText: place }).waitFor();

  describe('the words of a construct', () => {
    before(async () => {
      const { bench } = given();
      bench.write('constructs.wave', CONSTRUCTS);
      await bench.open('constructs.wave');
      await language('WAVE');
    });

    test('light up together', async () => {
      const { bench } = given();
      const lit = async () => (await bench.editor.locator('.wordHighlightText').count()) === 4;
      // VS Code asks once for each place of the cursor; a click before the server has started lights up equal words only.
      await until('the loop, its break, its continue and its end are lit', async () => {
        await goTo('endif', 'endif');
        await goTo('endloop', 'endloop');
        return until('four words are lit', lit, 3);
      });
      await shot('wave-2-highlight');
    });

    test('lead to what opens them, and from there to the end', async () => {
      await press('F12');
      await cursorIsAt('Ln 5, Col 5');
      await shot('wave-3-opener');
      await press('F12');
      await cursorIsAt('Ln 12, Col 5');
      await goTo('endif', 'endif');
      await press('F12');
      await cursorIsAt('Ln 6, Col 9');
    });

    test('say in their hovers where the others are', async () => {
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

  describe('a kernel that is being written', () => {
    before(async () => {
      const { bench } = given();
      bench.write('draft.wave', DRAFT);
      await bench.open('draft.wave');
      await language('WAVE');
    });

    test('gets its constructs by completion, with what closes them', async () => {
      const { bench } = given();
      await goToLine(5);
      await type('    i');
      await type('f');
      const rows = bench.page.locator('.suggest-widget.visible .monaco-list-row');
      await rows.filter({ hasText: 'endif' }).first().waitFor();
      await shot('wave-6-completion');
      await press('Enter');
      await until('the construct stands', async () => /^ {4}if p1 {0,}$/m.test((await bench.lines()).join('\n')));
      await until('its end stands below', async () => /^ {4}endif$/m.test((await bench.lines()).join('\n')));
      await shot('wave-7-construct');
      await press('Tab');
      await type('iadd r2, r1, 1');
      await press('Escape', 'Escape');
      await until('what is typed is inside', async () => (await bench.lineWith('iadd r2')).startsWith('        iadd'));
    });

    test('is indented as it is typed', async () => {
      const { bench } = given();
      await press('End', 'Enter');
      await type('if p2');
      await press('Escape', 'Enter');
      await type('nop');
      await press('Escape', 'Enter');
      await type('else');
      await press('Escape', 'Enter');
      await type('wait');
      await press('Escape', 'Enter');
      await type('endif');
      await press('Escape');
      const expected = ['        if p2', '            nop', '        else', '            wait', '        endif', '    endif'];
      await until('the lines stand where they belong', async () => (await bench.lines()).join('\n').includes(expected.join('\n')));
      await shot('wave-8-typed');
    });

    test('offers predicates, and what wrote them, where a condition is typed', async () => {
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
      bench.write('guide.wave', GUIDE);
      bench.configure({ 'warplens.wave.accepts': 'toolchain-0.1.2' });
      await bench.open('guide.wave');
      await language('WAVE');
    });

    test('underlines what it does not take, with a mend', async () => {
      const { bench } = given();
      await bench.page.locator('.squiggly-error, .squiggly-warning').first().waitFor();
      await goTo('icmp.lt', 'icmp');
      await press('Control+.');
      const fix = bench.page.locator('.action-widget .monaco-list-row.action').first();
      await fix.waitFor();
      await shot('wave-11-accepts');
      assert.match(await fix.innerText(), /Write it for toolchain 0\.1\.2/);
      await press('Enter');
      await until('the name is the toolchain\'s', async () => await bench.lineWith('icmp_lt p1'));
    });
  });

  describe('a branch that costs more than it does', () => {
    before(async () => {
      const { bench } = given();
      bench.configure({});
      bench.write('cheap.wave', CHEAP);
      await bench.open('cheap.wave');
      await language('WAVE');
    });

    test('is hinted at, and written without one', async () => {
      const { bench } = given();
      await bench.page.locator('.squiggly-hint, .squiggly-info').first().waitFor();
      await bench.hover('if p1', 'if', /select r4, p1, r1, 7/);
      await shot('wave-13-lint');
      await goTo('if p1', 'if');
      await press('Control+.');
      const fix = bench.page.locator('.action-widget .monaco-list-row.action', { hasText: 'select' }).first();
      await fix.waitFor();
      await shot('wave-14-rewrite');
      await press('Enter'); // it stands first
      await until('the branch is gone', async () => await bench.lineWith('    select r4, p1, r1, 7'));
      await shot('wave-15-selected');
    });
  });

  describe('a run of WAVE', () => {
    const status = (text) => given().bench.page.locator('.statusbar-item', { hasText: text });
    const told = (text) => given().bench.page.locator('.codelens-decoration', { hasText: text });

    before(async () => {
      const { bench } = given();
      bench.write('sides.wave', CHEAP);
      await bench.open('sides.wave');
      await language('WAVE');
      // A lens that is drawn anew under the mouse swallows the click.
      await until('lanes are shown', async () => {
        if ((await status('warp 0/').count()) > 0) return true;
        await bench.lens('Run inferred').first().click({ timeout: 2000 });
        return false;
      });
    });

    test('shows the divergence stack at the words of a construct', async () => {
      const { bench } = given();
      await bench.hover('else', 'else', /Divergence stack[\s\S]*1 of 32/);
      await shot('wave-16-stack');
      await bench.closeHover();
    });

    test('is run as the reference emulator does it', async () => {
      const { bench } = given();
      await status('structured').click();
      const rows = bench.page.locator('.quick-input-widget .monaco-list-row');
      await rows.filter({ hasText: 'wave-emu' }).waitFor();
      await shot('wave-17-models');
      await rows.filter({ hasText: 'wave-emu' }).click();
      await status('wave-emu').waitFor();
      await told('inferred, wave-emu: nothing was run').waitFor(); // it is drawn later than the rest
      await shot('wave-18-emulator');
    });

    test('is written for the emulator where that does not take it', async () => {
      const { bench } = given();
      await press('Escape'); // the tip of the status bar
      await bench.hover('halt', 'halt', /Nothing was run because of line 4/);
      await bench.closeHover();
      await goTo('icmp.lt', 'icmp');
      await press('Control+.');
      const fix = bench.page.locator('.action-widget .monaco-list-row.action').first();
      await fix.waitFor();
      await shot('wave-19-rewrite');
      assert.match(await fix.innerText(), /Rewrite file in the toolchain's spelling/);
      await press('Enter');
      await told(/inferred, wave-emu: \d+ warp instructions/).waitFor();
      await shot('wave-20-rewritten');
    });

    test('follows the settings', async () => {
      const { bench } = given();
      await bench.lens('Stop').first().click();
      await bench.lens('Run inferred').first().click();
      await status('structured').waitFor();
      bench.write('.vscode/settings.json', '{ "warplens.simulation.model": "wave-emu" }');
      await status('wave-emu').waitFor();
      bench.write('.vscode/settings.json', '{}');
      await status('structured').waitFor();
      await bench.command('Warplens: Stop Showing Lanes');
      await until('the status bar is empty', async () => (await status('structured').count()) === 0);
    });
  });

  describe('a .wave file', () => {
    test('of another language stays what it is until it gets a kernel', async () => {
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
      await shot('wave-12-adopted');
    });

    test('is what its user says, whatever is in it', async () => {
      const { bench } = given();
      bench.write('said.wave', '    halt\n');
      bench.write('other.wave', DRAFT);
      bench.configure({ 'files.associations': { 'said.wave': 'wave-asm', 'other.wave': 'plaintext' } });
      await bench.open('said.wave');
      await language('WAVE');
      await bench.open('other.wave');
      await language('Plain Text');
      await bench.page.waitForTimeout(1000); // nothing is to happen
      await language('Plain Text');
      bench.configure({});
    });
  });
}
