// Where strips and labels are drawn, and whether they cover code: in narrow and in enlarged windows, with word wrap, in all themes.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { contrast } from './contrast.mjs';
import { LISTING } from './sass.mjs';
import { SCREENSHOTS } from './session.mjs';
import { until } from './workbench.mjs';

const THEMES = {
  dark: ['Default Dark Modern', 'vs-dark'],
  light: ['Default Light Modern', 'vs'],
  'high-contrast': ['Default High Contrast', 'hc-black'],
  'high-contrast-light': ['Default High Contrast Light', 'hc-light'],
};

/** With the side bar. */
const NARROW = { width: 1024, height: 700, deviceScaleFactor: 1, mobile: false };
/** Without it: a window of 1280 pixels at 200 % has 640 CSS pixels. */
const ENLARGED = { width: 640, height: 900, deviceScaleFactor: 2, mobile: false };

/** Characters of a label that must be in view. */
const SEEN = 8;

/** The words that a strip or a label covers, as `what: code`. */
function covered(lines) {
  const boxes = lines.flatMap(({ cells, labels }) => [
    cells && { what: 'strip', ...cells },
    ...labels.map((label) => ({ what: 'label', ...label })),
  ]);
  const words = lines.flatMap((line) => line.words);
  const overlaps = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom;
  const found = boxes
    .filter(Boolean)
    .flatMap((box) => words.filter((word) => overlaps(box, word)).map(({ word }) => `${box.what}: ${word}`));
  return { boxes: boxes.filter(Boolean).length, words: words.length, found };
}

/** The statements whose cells, or the start of whose label, are not in view; `area` is the box of the view. */
function outOfView(lines, area) {
  const isStatement = ({ text, cells }) => cells || /^ *(?:\/\*[0-9a-f]+\*\/ +)?[^./ ].*;/.test(text);
  const isInside = ({ y, height }) => y >= area.top && y + height <= area.bottom;
  const isSeen = ({ left, right }) => left >= area.left - 1 && right <= area.right + 1;
  const start = ({ left, right, text }) => ({ left, right: left + ((right - left) * Math.min(SEEN, text.length)) / text.length });
  const statements = lines.filter((line) => isStatement(line) && isInside(line));
  const hidden = statements.filter(({ cells, labels }) => !cells || !isSeen(cells) || !labels[0] || !isSeen(start(labels[0])));
  return { statements: statements.length, hidden: hidden.map(({ text }) => text) };
}

/** The tests; `given()` returns the shared workbench, and the function that writes settings. */
export function layoutTests(given) {
  describe('strips in narrow windows', () => {
    before(async () => {
      const { bench, set } = given();
      set({});
      // With few lines above the kernel, and comments after its code, which the labels precede.
      const [first, , , ...kernel] = bench.read('divergence.ptx').split('\n');
      bench.write('layout/lanes.ptx', [first, ...kernel].join('\n').replace(/;$/gm, `; // ${'a comment '.repeat(4)}`));
      bench.write('layout/hex.sass', LISTING);
      await bench.open('layout/lanes.ptx');
      await bench.showLanes('Run');
      await bench.page.locator('.part.sidebar:visible').waitFor();
    });

    after(async () => {
      const { bench, set } = given();
      set({});
      // A size that differs from that of the page, which Playwright remembers.
      for (const height of [1399, 1400]) await bench.page.setViewportSize({ width: 1280, height });
    });

    testsOf('1024px', NARROW);

    test('two editors beside each other: code, and its listing with encodings', async () => {
      const { bench, set, shot } = given();
      set({});
      for (const height of [899, 900]) await bench.page.setViewportSize({ width: 1440, height });
      const code = bench.editor;
      await bench.command('View: Split Editor into Right Group');
      await bench.openHere('layout/hex.sass');
      bench.editor = bench.page.locator('.monaco-editor[data-uri$="/layout/hex.sass"]');
      await bench.showLanes('Run');
      for (const [name, [theme, kind]] of Object.entries(THEMES)) {
        set({ 'workbench.colorTheme': theme });
        await bench.page.locator(`.monaco-workbench.${kind}`).waitFor();
        for (const editor of [code.first(), bench.editor]) await until('all is in view', () => checkEditor(editor));
        await shot(`accept-2-beside-${name}`);
      }
    });

    describe('without the side bar', () => {
      before(async () => {
        const { bench } = given();
        await bench.command('View: Close Editors in Other Groups');
        await bench.command('View: Toggle Primary Side Bar Visibility');
        await bench.open('layout/lanes.ptx');
        await bench.showLanes('Run');
      });

      testsOf('200%', ENLARGED);
    });

    /** Tests of a window in all themes, with and without word wrap. */
    function testsOf(size, metrics) {
      for (const [name, [theme, kind]] of Object.entries(THEMES)) {
        test(`${theme}, ${size}: nothing covers code, strips and labels are in view, aligned and have contrast`, async () => {
          const { bench, set } = given();
          const devtools = await bench.context.newCDPSession(bench.page);
          for (const wrap of ['off', 'on']) {
            set({ 'workbench.colorTheme': theme, 'editor.wordWrap': wrap });
            await devtools.send('Emulation.setDeviceMetricsOverride', metrics);
            await until(`wrap ${wrap}: the settings apply`, () => applies(kind, wrap, metrics.width));
            await until(`wrap ${wrap}: nothing covers code`, () => checkView(wrap));
            // Not that of Playwright, which sets the size of the page.
            const { data } = await devtools.send('Page.captureScreenshot');
            writeFileSync(join(SCREENSHOTS, `accept-2-${name}-${size.replace('%', '')}-${wrap}.png`), Buffer.from(data, 'base64'));
          }
          await devtools.detach();
        });
      }
    }

    /** Whether the page has the theme, the wrapping and the width. */
    async function applies(kind, wrap, width) {
      const { bench } = given();
      const isThemed = await bench.page.locator(`.monaco-workbench.${kind}`).count();
      const isWrapped = (await bench.lineWith('The lanes of one warp'))?.includes('kernel, or') === false;
      return isThemed > 0 && isWrapped === (wrap === 'on') && (await bench.page.evaluate(() => innerWidth)) === width;
    }

    /** Checks that nothing covers code and that strips and labels are in view. */
    async function checkEditor(editor, wrap = 'off') {
      const { bench } = given();
      const drawn = await bench.drawn(editor);
      // The end of a wrapped statement has no strip.
      const lines = wrap === 'on' ? drawn.filter(({ cells }) => cells) : drawn;
      const { boxes, words, found } = covered(drawn);
      assert.ok(boxes > 10 && words > 50, `${boxes} strips and labels, ${words} words`);
      assert.deepEqual(found, []);
      const { statements, hidden } = outOfView(lines, await editor.evaluate(areaOf));
      assert.ok(statements > 3, `${statements} statements`);
      assert.deepEqual(hidden, []);
      return true;
    }

    async function checkView(wrap) {
      const { bench } = given();
      await checkEditor(bench.editor, wrap);
      const [odd, even] = [await bench.stripOf('mul.lo'), await bench.stripOf('add.u32')];
      assert.notEqual(odd.image, even.image);
      assert.equal(odd.x, even.x);
      const background = await bench.editor
        .locator('.monaco-editor-background')
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
      for (const strip of await bench.strips()) {
        assert.ok(contrast(strip.letters, background) >= 4.5, `label ${strip.letters} on ${background}`);
        assert.ok(contrast(strip.cells, background) >= 3, `cells ${strip.cells} on ${background}`);
      }
      return true;
    }
  });
}

/** The box in which an editor shows its text. */
function areaOf(editor) {
  const { left, top, bottom } = editor.querySelector('.lines-content').parentElement.getBoundingClientRect();
  const { left: right } = editor.querySelector('.decorationsOverviewRuler').getBoundingClientRect();
  return { left, top, right, bottom };
}
