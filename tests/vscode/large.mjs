// Strips while the text is edited: those of other lines stay, and in large files they follow soon and are drawn in view only.
// The times are printed, not tested: they depend on the machine. docs/measurements.md has them.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { until } from './workbench.mjs';

const MEGABYTE = 1_000_000;

/** A kernel with a branch and many statements. */
function kernel(name, statements, comment) {
  const body = Array.from({ length: statements }, (_, index) => `\tadd.u32 \t%r2, %r1, ${index};${comment}\n`).join('');
  return `.visible .entry ${name}()
{
\t.reg .pred \t%p<2>;
\t.reg .b32 \t%r<3>;

\tmov.u32 \t%r1, %tid.x;
\tsetp.lt.u32 \t%p1, %r1, 1;
\t@%p1 bra \tDONE;
${body}DONE:
\tret;
}
`;
}

/** A file of many kernels. */
export function largeFile(bytes, comment) {
  const kernels = ['.version 8.0\n.target sm_80\n.address_size 64\n\n'];
  for (let length = 0; length < bytes; length += kernels.at(-1).length) kernels.push(kernel(`k${kernels.length}`, 600, comment));
  return kernels.join('');
}

/** Records in each frame which of the lines with these texts have no strip. */
function record(view, texts) {
  const missing = new Set();
  const isDrawn = (line) =>
    [...line.querySelectorAll('span')].some((span) => getComputedStyle(span, '::before').maskImage?.startsWith('url'));
  const textOf = (line) => line.textContent.replaceAll('\u00a0', ' ').trim();
  const look = () => {
    const undrawn = [...view.querySelectorAll(':scope > .view-line')].filter((line) => texts.includes(textOf(line)) && !isDrawn(line));
    for (const line of undrawn) missing.add(textOf(line));
    window.frames++;
  };
  // VS Code draws in a callback of the frame. Sizes are observed after all callbacks, before the frame is painted.
  const probe = document.body.appendChild(document.createElement('div'));
  probe.style.position = 'fixed';
  new ResizeObserver(look).observe(probe);
  const resize = () => {
    probe.style.width = `${window.frames % 2}px`;
    if (window.isRecording) requestAnimationFrame(resize);
  };
  Object.assign(window, { isRecording: true, missing, frames: 0 });
  resize();
}

/** The milliseconds from the next key to a label of the branch that is not `before`, once it is drawn. */
function awaitLabel(view, before) {
  window.followed = undefined;
  const label = () => {
    const line = [...view.querySelectorAll(':scope > .view-line')].find((line) => line.textContent.includes('@%p1'));
    const contents = [...(line?.querySelectorAll('span') ?? [])].map((span) => getComputedStyle(span, '::after').content);
    return contents.find((content) => /^".+"$/.test(content))?.slice(1, -1);
  };
  const start = () => {
    const from = performance.now();
    const look = () => {
      const now = label();
      if (now !== undefined && now !== before) window.followed = { label: now, time: performance.now() - from };
      else requestAnimationFrame(look);
    };
    look();
  };
  document.addEventListener('keydown', start, { once: true, capture: true });
}

/** The number of rules for strips in the style sheets of the page: one for each decoration. */
function stripRules() {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.filter((rule) => rule.cssText.includes('data:image/svg+xml;base64')).length;
}

/** The tests; `given()` returns the shared workbench and the function that writes screenshots. */
export function largeTests(given) {
  /** Opens a file and shows the lanes of its first kernel. */
  async function show(name) {
    const { bench } = given();
    await bench.open(name);
    await until(
      'lanes are shown',
      async () => {
        if ((await bench.strips()).length > 0) return true;
        await bench.editor.locator('.view-line').first().click();
        await bench.page.keyboard.press('Control+F5');
        return until('the key shows lanes', async () => (await bench.strips()).length > 0, 10);
      },
      90,
    );
  }

  describe('edits', () => {
    test('forty characters remove no strip of another line', async () => {
      const { bench, shot } = given();
      await bench.open('divergence.ptx');
      await bench.showLanes('Run one warp');
      const others = (await bench.strips()).map((strip) => strip.text.trim()).filter((text) => !text.includes('mul.lo'));
      assert.ok(others.length > 15, `${others.length} strips`);
      await bench.word('mul.lo', 'mul').click();
      await bench.page.keyboard.press('End');
      const text = ' add.u32 %r3, %r3, 7; sub.u32 %r3, %r3, 7';
      await bench.editor.locator('.view-lines').evaluate(record, others);
      for (const character of text.slice(0, 40)) await bench.page.keyboard.type(character, { delay: 30 });
      const { missing, frames } = await bench.page.evaluate(() => {
        window.isRecording = false;
        return { missing: [...window.missing], frames: window.frames };
      });
      assert.ok(frames > 40, `${frames} frames`);
      assert.deepEqual(missing, []);
      await shot('accept-3-typed');
      await bench.page.keyboard.press('Escape');
      await until('the text is as before', async () => {
        await bench.page.keyboard.press('Control+z');
        return /3;\s*$/.test(await bench.lineWith('mul.lo'));
      });
    });
  });

  describe('a file of 1 MB', () => {
    before(() => {
      given().bench.write('large/one.ptx', largeFile(MEGABYTE, ''));
      return show('large/one.ptx');
    });

    test('strips follow an edit', async (context) => {
      const { bench, shot } = given();
      await bench.word('setp.lt', '1').click();
      await bench.page.keyboard.press('End');
      await bench.page.keyboard.press('ArrowLeft');
      const times = [];
      for (let round = 0; round < 8; round++) {
        // 1 becomes 12, and 12 becomes 1.
        const [before, after, key] = round % 2 === 0 ? ['split 1|31', 'split 12|20', '2'] : ['split 12|20', 'split 1|31', 'Backspace'];
        await until(`the label is ${before}`, async () => (await bench.stripOf('@%p1'))?.label === before);
        await bench.editor.locator('.view-lines').evaluate(awaitLabel, before);
        await bench.page.keyboard.press(key);
        const followed = await until('the strips follow', () => bench.page.evaluate(() => window.followed), 60);
        assert.equal(followed.label, after);
        times.push(followed.time);
      }
      times.sort((a, b) => a - b);
      context.diagnostic(`from a key to the strips of the new text: median ${times[4].toFixed(0)} ms, longest ${times[7].toFixed(0)} ms`);
      await shot('accept-3-one-megabyte');
    });
  });

  describe('a file of 10 MB', () => {
    before(() => {
      given().bench.write('large/ten.ptx', largeFile(10 * MEGABYTE, ` // ${'-'.repeat(150)}`));
      return show('large/ten.ptx');
    });

    test('is decorated in view only', async (context) => {
      const { bench, shot } = given();
      const counts = async () => ({
        lines: (await bench.lines()).length,
        strips: (await bench.strips()).length,
        rules: await bench.page.evaluate(stripRules),
      });
      const first = await counts();
      assert.ok(first.strips > 10 && first.strips <= first.lines, JSON.stringify(first));
      for (let page = 0; page < 5; page++) {
        await bench.page.keyboard.press('PageDown');
        await until('strips are drawn', async () => (await bench.strips()).length > 10);
      }
      const last = await counts();
      context.diagnostic(`lines, strips and rules of style sheets: ${JSON.stringify(first)}, after five pages ${JSON.stringify(last)}`);
      assert.ok(last.strips <= last.lines && last.rules < 4 * last.lines + 200, JSON.stringify(last));
      await shot('accept-3-ten-megabytes');
    });
  });
}
