// Lanes as strips, and what only an editor shows: typing, restarts, launches as documents.
// Screenshots of each step are written to target/vscode-screenshots.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { completionTests } from './completion.mjs';
import { resultTests } from './results.mjs';
import { reportFailure, SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { sideTests } from './sides.mjs';
import { until } from './workbench.mjs';

/** Every statement but the first is in a loop of one lane more or less. */
const STRIP = { 'warplens.lanes.display': 'strip' };

describe('lanes as strips', { skip, timeout: 900_000 }, () => {
  let bench;

  before(async () => {
    bench = await startWorkbench();
    bench.configure(STRIP);
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  const shot = (name) => bench.screenshot(join(SCREENSHOTS, `${name}.png`));
  const status = (text) => bench.page.locator('.statusbar-item', { hasText: text });

  describe('divergence.ptx', () => {
    before(() => bench.open('divergence.ptx'));

    test('the first editor has tabs of eight columns', async () => {
      await bench.lens('Run one warp').first().waitFor();
      await status('Tab Size: 8').waitFor();
    });

    test('strips begin at the same column, and show which lanes executed a line', async () => {
      await bench.showLanes('Run one warp');
      const [odd, even] = [await bench.stripOf('mul.lo'), await bench.stripOf('%r1, 100;')];
      assert.equal(odd.x, even.x);
      assert.notEqual(odd.image, even.image);
      const xs = new Set((await bench.strips()).map((strip) => strip.x));
      assert.equal(xs.size, 1, `the strips begin at ${[...xs].join(', ')}`);
      assert.equal(odd.label, '16 odd');
      assert.deepEqual((await bench.stripOf('@%p1')).labels, ['split 16|16', '(tid.x & 1) == 0']);
      assert.equal((await bench.stripOf('shr.u32')).label, 'join 32');
      assert.equal((await bench.stripOf('%r4, %r4, 1;')).label, 'x4 32>24>16>8');
      await shot('strip-1-lanes');
    });

    test('no hints are drawn beside the strips', async () => {
      assert.ok((await bench.lines()).every((line) => !/split \d+ \| \d+/.test(line)));
    });

    test('the code lens leads to a line at which lanes diverge', async () => {
      await bench.lens('instr').first().click();
      await status('Ln 22').waitFor();
    });

    test('typing keeps the strips of other lines', async () => {
      const before = await bench.stripOf('add.u64');
      await bench.word('mul.lo', 'mul').click();
      await bench.page.keyboard.press('End');
      for (let typed = 0; typed < 12; typed++) {
        await bench.page.keyboard.type(typed === 0 ? ' ' : '/');
        // The page may be read between the removal of a decoration and the next frame.
        const now = (await bench.stripOf('add.u64')) ?? (await bench.stripOf('add.u64'));
        assert.ok(now, `the strip was removed after ${typed + 1} characters`);
        assert.equal(now.image, before.image);
      }
      await shot('strip-2-typed');
      for (let typed = 0; typed < 12; typed++) await bench.page.keyboard.press('Backspace');
      await until('the strips are aligned again', async () => new Set((await bench.strips()).map((strip) => strip.x)).size === 1);
    });

    test('a changed constant fails the expectation of the launch', async () => {
      await bench.word('%r1, 100;', '100').dblclick();
      await bench.page.keyboard.type('101');
      await bench.lens('✗ out[0] is 102, expected 101').first().waitFor();
      await bench.page.locator('.squiggly-error').first().waitFor();
      await shot('strip-3-expectation');
      await bench.page.keyboard.press('Control+z');
      await bench.lens('✓ expected').first().waitFor();
    });

    test('the hover of a strip has a sentence and links', async () => {
      await bench.hover('sub.u32', 'sub', /4 visits/, /Choose a visit/);
      await shot('strip-4-hover');
      await bench.closeHover();
    });

    test('a restarted server shows the same lanes', async () => {
      const before = await bench.strips();
      await bench.command('Warplens: Restart Language Server');
      await until('the strips are drawn again', async () => {
        const now = await bench.strips();
        return now.length === before.length && now.every((strip, index) => strip.image === before[index].image);
      });
    });

    test('a reloaded window shows the same lanes', async () => {
      const before = (await bench.strips()).map((strip) => strip.label);
      await bench.open('divergence.ptx');
      await until('the strips are drawn again', async () => (await bench.strips()).map((strip) => strip.label).join() === before.join());
    });

    test('a label is dedented when it is completed', async () => {
      await bench.word('%rd3, %rd1', 'add').click();
      await bench.page.keyboard.press('End');
      await bench.page.keyboard.type('\nHERE:', { delay: 30 });
      await until('the label is at the start of its line', async () => (await bench.lines()).some((line) => /^HERE:/.test(line)));
      await bench.page.keyboard.press('Enter');
      await bench.page.keyboard.type('ret;');
      await until('the next line is indented', async () => (await bench.lines()).some((line) => /^ +ret;$/.test(line.trimEnd())));
      for (let undone = 0; undone < 12; undone++) await bench.page.keyboard.press('Control+z');
    });
  });

  describe('typed text', () => {
    before(() => bench.configure(STRIP));
    completionTests(() => ({ bench, shot }));
  });

  describe('launches', () => {
    test('a wrong key of warplens.toml is underlined and fixed', async () => {
      bench.write('other/warplens.toml', '[[launch]]\nname = "a"\nfile = "k.ptx"\ngird = [1]\n');
      bench.write('other/k.ptx', bench.read('typed.ptx'));
      await bench.open('other/k.ptx');
      await bench.lens('Run').first().waitFor();
      await bench.command('Warplens: Edit Launch');
      const toml = bench.page.locator('.monaco-editor[data-uri$="/other/warplens.toml"]');
      await toml.locator('.squiggly-error').first().waitFor();
      await shot('strip-8-toml');
      await toml.locator('.view-line', { hasText: 'gird' }).locator('span span').first().click();
      const action = bench.page.locator('.action-widget .monaco-list-row.action', { hasText: 'grid' });
      await until('the fix is offered', async () => {
        await bench.page.keyboard.press('Control+.');
        return action
          .first()
          .waitFor({ timeout: 3000 })
          .then(
            () => true,
            () => false,
          );
      });
      await bench.page.keyboard.press('Enter');
      await until('the key is correct', async () => (await toml.locator('.view-line', { hasText: 'grid' }).count()) === 1);
      await until('nothing is underlined', async () => (await toml.locator('.squiggly-error').count()) === 0);
      await bench.command('View: Join All Editor Groups');
    });

    test('a new kernel runs with a written launch, by keyboard alone', async () => {
      bench.write('fresh/new.ptx', '');
      await bench.open('fresh/new.ptx');
      await bench.page.locator('[id="status.editor.mode"]', { hasText: 'PTX' }).waitFor();
      await bench.editor.locator('.view-line').first().click();
      await bench.page.evaluate(() => undefined);
      await bench.page.keyboard.insertText(bench.read('saxpy.ptx'));
      await bench.lens('Run').first().waitFor();
      await bench.page.keyboard.press('Control+Alt+l');
      const rows = bench.page.locator('.quick-input-widget .monaco-list-row');
      await rows.filter({ hasText: 'Comment above' }).waitFor();
      await bench.page.keyboard.press('ArrowDown');
      await bench.page.keyboard.press('Enter');
      await until('the launch is written', async () => (await bench.lines()).some((line) => line.includes('@launch {')));
      await bench.page.keyboard.press('Control+F5');
      await until('its lanes are shown', async () => (await bench.strips()).length > 0);
      await shot('strip-9-written');
    });
  });

  describe('beside the strips', () => {
    before(() => bench.configure(STRIP));
    sideTests(() => ({ bench, shot }));
    resultTests(() => ({ bench, shot }));
  });

  describe('a crash', () => {
    test('of the server five times ends in one message, and a restart shows the same lanes', async () => {
      await bench.open('divergence.ptx');
      await bench.showLanes('Run one warp');
      const before = (await bench.strips()).map((strip) => strip.label).join();
      for (let crash = 0; crash < 5; crash++) {
        await until('the server runs', () => bench.killServer());
        await bench.page.waitForTimeout(1500);
      }
      const message = bench.page.locator('.notification-list-item', { hasText: 'crashed 5 times' });
      await message.waitFor();
      assert.equal(await message.count(), 1);
      await shot('strip-10-crash');
      await message.locator('.monaco-button', { hasText: 'Restart' }).click();
      await until('the same lanes are shown', async () => (await bench.strips()).map((strip) => strip.label).join() === before);
    });
  });

  describe('inlay hints that are off', () => {
    test('one message offers to show lanes anyway', async () => {
      bench.configure({ 'warplens.lanes.display': 'text', 'editor.inlayHints.enabled': 'off' });
      await bench.open('divergence.ptx');
      const offer = bench.page.locator('.notification-list-item', { hasText: 'inlay hints' });
      await until('the offer is shown', async () => {
        if ((await offer.count()) > 0) return true;
        await bench.lens('Run one warp').first().click({ timeout: 2000 });
        return false;
      });
      await shot('strip-11-offer');
      await offer.locator('.monaco-button', { hasText: 'Show lanes anyway' }).click();
      await until('strips are drawn', async () => (await bench.strips()).length > 0);
    });
  });
});
