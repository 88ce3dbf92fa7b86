// The page of `WARPLENS_WEB`, in Chromium and in Firefox.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Bench, until } from './bench.mjs';
import { ENDLESS, times } from './kernels.mjs';
import { Site } from './site.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const WEB = process.env.WARPLENS_WEB ?? join(ROOT, 'dist', 'web');
const SCREENSHOTS = join(ROOT, 'target', 'web-screenshots');
const BROWSERS = { chrome: ['/usr/bin/chromium', '/usr/bin/google-chrome'], firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'] };
/** First load, compressed, with the simulator. */
const MAX_BYTES = 4_300_000;

const { decodeFragment, encodeFragment } = await import(pathToFileURL(join(WEB, 'link.js')));

/** The only browser to test, if it is set. */
const ONLY = process.env.WARPLENS_BROWSER;

for (const [browser, paths] of Object.entries(BROWSERS)) {
  if (ONLY && browser !== ONLY) continue;
  const path = paths.find(existsSync);
  const skip = path ? false : `${browser} was not found and could not be installed`;
  // `cargo xtask test` counts the skips, as those of the tests in Rust.
  if (skip && process.env.WARPLENS_SKIPPED) appendFileSync(process.env.WARPLENS_SKIPPED, `${skip}\t${basename(process.argv[1])}\n`);
  describe(browser, { skip }, () => tests(browser, path));
}

function tests(browser, path) {
  let site;
  let bench;
  const linkOf = (state, query = '') => `${site.address}${query}#${encodeFragment({ language: 'ptx', ...state })}`;

  before(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    site = await Site.start(WEB);
    bench = await Bench.start(browser, path);
  });
  after(async () => {
    await bench?.browser.close();
    await site?.stop().catch(() => undefined);
  });

  test('opening the page runs the first example', async () => {
    const start = performance.now();
    const page = await bench.open(site.address);
    const bytes = [...site.sent.values()].reduce((sum, size) => sum + size, 0);
    console.log(`${browser}: lanes after ${(performance.now() - start).toFixed(0)} ms, ${(bytes / 1e6).toFixed(2)} MB`);
    assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
    assert.match(await bench.editorText(), /\.entry divergence/);
    const strips = await bench.strips();
    assert.ok(strips.includes('lanes 0–31, 32 of 32; 32'), strips.join('\n'));
    assert.ok(strips.some((strip) => /16 of 32; split 16\|16/.test(strip)));
    assert.equal(await page.$eval('#page-editor .cm-content', (editor) => editor.getAttribute('role')), 'textbox');
    await bench.shows('#page-status', /divergence<<<1, 32>>>, launch form: finished, no findings/);
    await bench.shows('#warplens-panel', /Time line/);
    // Colours, and a hint in the list and at its word.
    await page.waitForSelector('.token-macro');
    await bench.shows('#page-problems', /hint Line \d+ this branch is divergent/);
    await page.waitForSelector('.cm-lintRange-hint');
    assert.deepEqual(bench.problems, []);
  });

  test('hovers explain an instruction with its values', async () => {
    const page = await bench.open(site.address);
    const [opcode] = await page.$$('.token-macro');
    await opcode.hover();
    await bench.shows('.cm-tooltip-hover', /All 32 lanes reached this line.*mov/s);
  });

  test('typing gives diagnostics and completion', async () => {
    const page = await bench.open(linkOf({ text: times(3), line: 15 }));
    await page.focus('#page-editor .cm-content');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('ad');
    await page.waitForSelector('.cm-tooltip-autocomplete');
    await bench.shows('.cm-tooltip-autocomplete', /\badd\b/);
    await bench.shows('#page-problems', /error Line \d+ missing `;`/);
    await page.waitForSelector('.cm-lintRange-error');
    assert.ok((await bench.strips()).length > 3, 'the lanes stay');
  });

  test('the fix of a finding removes it', async () => {
    const page = await bench.open(site.address);
    const race = await page.$$eval('#page-examples option', (options) => options.find(({ text }) => text === 'Data race').value);
    await page.select('#page-examples', race);
    await bench.shows('#page-problems', /error Line \d+ Shared-memory race.*data-race/s);
    await page.waitForSelector('.cm-lintRange-error');
    await page.click('#page-problems .actions button');
    await page.waitForSelector('#page-menu [role=menuitem]');
    assert.match(await bench.focused(), /^\.$/, 'the first fix has the focus');
    await page.keyboard.press('Enter');
    await bench.shows('#page-problems', /No problems/);
    await bench.shows('#page-status', /no findings/);
    assert.match(await bench.editorText(), /bar\.sync/);
  });

  test('the form sets the launch, and a pasted kernel keeps it', async () => {
    const page = await bench.open(site.address);
    await bench.fill('#page-block', '96');
    await until('three warps', async () => (await bench.texts('#page-warp option')).join() === '0,1,2');
    await bench.paste(times(5));
    await bench.shows('#page-editor', /\.entry k/);
    await page.click('#page-run');
    await bench.shows('#page-status', /k<<<1, 96>>>, launch form: finished, no findings/);
    assert.equal(await bench.value('#page-block'), '96');
    await page.select('#page-warp', '2');
    await bench.shows('#warplens-panel', /warp 2/);
    await bench.fill('#page-grid', 'two');
    await bench.shows('#page-form-problem', /Grid: write one to three numbers/);
  });

  test('a link holds it all', async () => {
    const launch = { block: [64], args: [{ name: 'out', buffer: 'u32', len: 64 }] };
    const state = { text: times(7), launch, cta: [0, 0, 0], warp: 1, line: 10, tab: 'registers' };
    const page = await bench.open(linkOf(state));
    await bench.shows('#warplens-panel', /warp 1/);
    await page.waitForSelector('#tab-registers[aria-selected=true]');
    await page.click('#page-copy');
    await until('the address is the link', async () => page.url().includes('#'));
    const copied = decodeFragment(new URL(page.url()).hash.slice(1));
    assert.deepEqual(copied, { language: 'ptx', ...state });
  });

  test('a link that cannot be read is reported', async () => {
    for (const fragment of ['1.damaged', '7.AAAA', 'x']) {
      const page = await bench.open(`${site.address}#${fragment}`);
      assert.match(await bench.text('[role=alert]'), /The link cannot be opened/);
      assert.ok(await page.$('#page-editor .cm-content[contenteditable=true]'));
    }
  });

  test('an endless kernel is stopped, and its text stays', async () => {
    const page = await bench.open(linkOf({ text: times(2) }));
    await page.$eval('#page-rest', (details) => (details.open = true));
    await page.$eval('#page-limit', (limit) => (limit.value = '1000000000'));
    await bench.paste(ENDLESS);
    await page.click('#page-run');
    await page.waitForSelector('#page-stop:not([hidden])');
    // The page draws while the run goes on.
    const frames = await page.evaluate(
      () =>
        new Promise((resolve) => {
          let count = 0;
          const end = performance.now() + 500;
          const draw = () => (performance.now() < end ? requestAnimationFrame(draw, count++) : resolve(count));
          requestAnimationFrame(draw);
        }),
    );
    assert.ok(frames > 5, `${frames} frames in half a second`);
    const start = performance.now();
    // Until another worker is there, a click on Run would be lost.
    const isDisabled = await page.$eval('#page-stop', (stop) => {
      stop.click();
      return document.querySelector('#page-run').disabled;
    });
    assert.ok(isDisabled);
    await bench.idle();
    const took = performance.now() - start;
    console.log(`${browser}: stopped in ${took.toFixed(0)} ms`);
    assert.ok(took < 3000, `${took} ms`);
    assert.match(await bench.editorText(), /LOOP/);
    await bench.paste(times(2));
    await page.click('#page-run');
    await bench.shows('#page-status', /finished, no findings/);
  });

  test('each language has its kernel', async () => {
    const page = await bench.open(site.address);
    await page.click('[data-language=wave]');
    await bench.shows('#page-editor', /\.kernel divergence/);
    await page.waitForSelector('.strip');
    await page.click('[data-language=sass]');
    await bench.shows('#page-editor', /ISETP/);
    await page.waitForSelector('.strip');
    await page.click('[data-language=ptx]');
    await bench.shows('#page-editor', /\.entry divergence/);
  });

  test('two kernels are compared', async () => {
    const page = await bench.open(linkOf({ text: times(2), compare: { text: times(3), language: 'ptx' } }));
    await page.waitForSelector('#page-other-editor .strip');
    await page.click('#page-difference');
    await bench.shows('#page-status', /First difference: out\[1\] is 2 in PTX \(left\) and 3 in PTX \(right\)/);
    await page.click('#page-compare');
    assert.equal(await page.$eval('#page-other', (other) => other.hidden), true);
  });

  test('an exercise says whether it is solved', async () => {
    const launch = { block: [32], args: [{ name: 'out', buffer: 'u32', len: 32 }], expect: [{ name: 'out', values: [0, 3, 6] }] };
    await bench.open(linkOf({ text: times(2), launch, task: 'Triple the index.' }, '?exercise'));
    assert.equal(await bench.text('#page-task'), 'Triple the index.');
    await bench.shows('#page-status', /Not yet: /);
    assert.doesNotMatch(await bench.value('#page-toml'), /expect/);
    await bench.open(linkOf({ text: times(3), launch, task: 'Triple the index.' }, '?exercise'));
    await bench.shows('#page-status', /Solved/);
  });

  test('a page of the documentation runs its example', async () => {
    const page = await bench.open(site.address);
    await page.goto(`${site.address}docs/findings/data-race.html`);
    await page.click('.run a');
    await page.waitForSelector('.strip');
    await bench.shows('#page-problems', /error Line \d+ Shared-memory race/);
    const links = await page.$$eval('#page-problems .actions a', (found) => found.map(({ href }) => href));
    assert.ok(links.includes(`${site.address}docs/findings/data-race.html`), links.join());
  });

  test('a frame shows a kernel that cannot be edited', async () => {
    const page = await bench.open(linkOf({ text: times(2) }, '?embed&readonly&theme=dark'), { width: 700, height: 420 });
    assert.equal(await page.$eval('html', (html) => html.dataset.theme), 'dark');
    await page.focus('#page-editor .cm-content');
    await page.keyboard.type('x');
    assert.equal((await bench.editorText()).trim(), times(2).trim());
    assert.equal(await page.$eval('#page-compare', (button) => getComputedStyle(button).display), 'none');
    await page.screenshot({ path: join(SCREENSHOTS, `${browser}-embed.png`) });
  });

  test('the keyboard reaches everything', async () => {
    const page = await bench.open(site.address);
    const reached = [];
    for (let presses = 0; presses < 30 && !reached.some((id) => id.includes('cm-content')); presses++) {
      await page.keyboard.press('Tab');
      reached.push(await bench.focused());
    }
    assert.ok(reached.includes('page-run'), reached.join());
    assert.ok(
      reached.some((id) => id.includes('cm-scroller')),
      reached.join(),
    );
    assert.ok(
      reached.some((id) => id.includes('cm-content')),
      reached.join(),
    );
    await page.keyboard.press('Tab');
    assert.match(await bench.focused(), /cm-content/, 'Tab indents');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
    assert.doesNotMatch(await bench.focused(), /cm-content/);
  });

  test('every size and theme has no barrier', async () => {
    for (const [width, height] of [
      [1440, 900],
      [1024, 700],
      [360, 740],
    ]) {
      for (const theme of ['dark', 'light']) {
        const page = await bench.open(`${site.address}?theme=${theme}`, { width, height });
        await page.waitForSelector('#warplens-panel canvas');
        await page.waitForSelector('.token-macro');
        await page.screenshot({ path: join(SCREENSHOTS, `${browser}-${width}-${theme}.png`) });
        const [content, room] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
        assert.ok(content <= room, `${width}, ${theme}: the page is ${content} pixels wide`);
        assert.deepEqual(await bench.violations(), [], `${width}, ${theme}`);
        assert.deepEqual(bench.problems, []);
      }
    }
  });

  test('the page works without a network after the first visit', async () => {
    const page = await bench.open(site.address);
    await until('the service worker is ready', () =>
      page.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistration())?.active)),
    );
    await site.stop();
    await page.goto(`${site.address}?theme=dark`);
    await page.waitForSelector('.strip');
    await bench.shows('#page-status', /finished/);
  });
}
