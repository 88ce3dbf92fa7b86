// Where strips and labels are drawn, and whether they cover code: in narrow and in enlarged windows, with word wrap, in all themes.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { contrast } from './contrast.mjs';
import { SCREENSHOTS } from './session.mjs';
import { until } from './workbench.mjs';

const THEMES = {
  dark: ['Default Dark Modern', 'vs-dark'],
  light: ['Default Light Modern', 'vs'],
  'high-contrast': ['Default High Contrast', 'hc-black'],
  'high-contrast-light': ['Default High Contrast Light', 'hc-light'],
};

/** A window of 1280 pixels at 200 % has 640 CSS pixels. */
const WINDOWS = {
  '800px': { width: 800, height: 900, deviceScaleFactor: 1, mobile: false },
  '200%': { width: 640, height: 900, deviceScaleFactor: 2, mobile: false },
};

/** The characters of code that a strip or a label covers, as `what: code`. */
function covered(view) {
  const boxes = [];
  const code = [];
  for (const line of view.querySelectorAll(':scope > .view-line')) {
    const { top, height } = line.getBoundingClientRect();
    for (const span of line.querySelectorAll('span')) {
      const [cells, text] = [getComputedStyle(span, '::before'), getComputedStyle(span, '::after')];
      const { left, right } = span.getBoundingClientRect();
      if ((cells.maskImage || cells.webkitMaskImage)?.startsWith('url')) {
        const from = left + parseFloat(cells.marginLeft);
        boxes.push({
          what: 'strip',
          left: from,
          right: from + parseFloat(cells.width),
          top: top + height / 2 - 5,
          bottom: top + height / 2 + 5,
        });
      }
      if (/^".+"$/.test(text.content))
        boxes.push({ what: 'label', left: left + parseFloat(text.marginLeft), right, top: top + 3, bottom: top + height - 3 });
    }
    const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.textContent.trim() === '') continue;
      const range = document.createRange();
      for (const word of node.textContent.matchAll(/[^\s\u00a0]+/g)) {
        range.setStart(node, word.index);
        range.setEnd(node, word.index + word[0].length);
        for (const box of range.getClientRects())
          code.push({ word: word[0], left: box.left, right: box.right, top: box.top, bottom: box.bottom });
      }
    }
  }
  const overlaps = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom && b.top < a.bottom;
  const found = boxes.flatMap((box) => code.filter((word) => overlaps(box, word)).map(({ word }) => `${box.what}: ${word}`));
  return { boxes: boxes.length, words: code.length, found };
}

/** The tests; `given()` returns the shared workbench, and the function that writes settings. */
export function layoutTests(given) {
  describe('strips in narrow windows', () => {
    before(async () => {
      const { bench } = given();
      await bench.open('divergence.ptx');
      await bench.showLanes('Run one warp');
      if (await bench.page.locator('.part.sidebar:visible').count()) await bench.command('View: Toggle Primary Side Bar Visibility');
    });

    after(async () => {
      const { bench, set } = given();
      set({});
      // A size that differs from that of the page, which Playwright remembers.
      for (const height of [1399, 1400]) await bench.page.setViewportSize({ width: 1280, height });
    });

    for (const [name, [theme, kind]] of Object.entries(THEMES)) {
      test(`${theme}: nothing covers code, strips are aligned and have contrast`, async () => {
        const { bench, set } = given();
        const devtools = await bench.context.newCDPSession(bench.page);
        for (const [size, metrics] of Object.entries(WINDOWS)) {
          for (const wrap of ['off', 'on']) {
            set({ 'workbench.colorTheme': theme, 'editor.wordWrap': wrap });
            await devtools.send('Emulation.setDeviceMetricsOverride', metrics);
            await until(`${size}, wrap ${wrap}: the settings apply`, () => applies(kind, wrap, metrics.width));
            await until(`${size}, wrap ${wrap}: nothing covers code`, checkView);
            // Not that of Playwright, which sets the size of the page.
            const { data } = await devtools.send('Page.captureScreenshot');
            writeFileSync(join(SCREENSHOTS, `accept-2-${name}-${size.replace('%', '')}-${wrap}.png`), Buffer.from(data, 'base64'));
          }
        }
        await devtools.detach();
      });
    }

    /** Whether the page has the theme, the wrapping and the width. */
    async function applies(kind, wrap, width) {
      const { bench } = given();
      const isThemed = await bench.page.locator(`.monaco-workbench.${kind}`).count();
      const isWrapped = (await bench.lineWith('The lanes of one warp'))?.includes('kernel, or') === false;
      return isThemed > 0 && isWrapped === (wrap === 'on') && (await bench.page.evaluate(() => innerWidth)) === width;
    }

    async function checkView() {
      const { bench } = given();
      const { boxes, words, found } = await bench.editor.locator('.view-lines').first().evaluate(covered);
      assert.ok(boxes > 10 && words > 50, `${boxes} strips and labels, ${words} words`);
      assert.deepEqual(found, []);
      const [odd, even] = [await bench.stripOf('mul.lo'), await bench.stripOf('%r1, 100;')];
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
