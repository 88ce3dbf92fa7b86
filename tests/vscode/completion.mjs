// Completion as one types: opcodes and their modifiers, directives, an empty file, snippets.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { until } from './workbench.mjs';

const HEAD = '.version 8.0\n.target sm_80\n.address_size 64\n';
const TYPED = `${HEAD}\n.visible .entry typed()\n{\n\t.reg .pred\t%p<2>;\n\t.reg .b32\t%r<4>;\n\n\tret;\n}\n`;

/** The tests; `given()` returns the workbench and the function that writes screenshots. */
export function completionTests(given) {
  const page = () => given().bench.page;
  const press = (key) => page().keyboard.press(key);
  const type = (text) => page().keyboard.type(text, { delay: 50 });
  const rows = () => page().locator('.suggest-widget.visible .monaco-list-row');
  const lines = async () => (await given().bench.lines()).map((line) => line.trim());

  /** Opens a file with a text, and moves the cursor to its end. */
  async function open(file, text) {
    const { bench } = given();
    bench.write(file, text);
    await bench.open(file);
    await page().locator('[id="status.editor.mode"]', { hasText: 'PTX' }).waitFor();
    await bench.editor.locator('.view-line').first().click();
    await press('Control+End');
  }

  /** Asks for proposals until one is there: the server may not have started. */
  async function proposed(label) {
    await until(`${label} is proposed`, async () => {
      await press('Control+Space');
      return rows()
        .locator('.label-name', { hasText: label })
        .first()
        .waitFor({ timeout: 3000 })
        .then(
          () => true,
          () => false,
        );
    });
  }

  describe('completion', () => {
    describe('of statements', () => {
      before(async () => {
        const { bench } = given();
        bench.write('typed.ptx', TYPED);
        await bench.open('typed.ptx');
        await bench.lens('Run').first().waitFor();
      });

      /** Types into a new line below the registers. */
      async function typeLine(text) {
        await given().bench.word('%r<4>', 'reg').click();
        await press('End');
        await type(`\n${text}`);
        await until('proposals are shown', async () => {
          const shown = await rows()
            .first()
            .waitFor({ timeout: 5000 })
            .then(
              () => true,
              () => false,
            );
          if (!shown) {
            // On a busy machine VS Code may drop the request of a letter; the next letter asks again.
            await press('Backspace');
            await type(text.at(-1));
          }
          return shown;
        });
      }

      async function undo() {
        await press('Escape');
        await until('the text is as before', async () => {
          if ((await given().bench.lines()).length === TYPED.split('\n').length) return true;
          await press('Control+z');
          return false;
        });
      }

      test('an opcode is offered once, and its modifiers next', async () => {
        await typeLine('mul');
        const labels = await rows().locator('.label-name').allInnerTexts();
        assert.equal(labels.filter((label) => label === 'mul').length, 1, labels.join(' '));
        await press('Tab');
        await until('the modifiers are offered', async () => (await rows().allInnerTexts()).some((row) => /lo|wide/.test(row)));
        await given().shot('strip-7-opcode');
        await undo();
      });

      test('what is typed after a completed opcode follows it', async () => {
        await typeLine('setp');
        await press('Tab');
        await until('only the opcode is inserted', async () => (await lines()).some((line) => /^setp\.?$/.test(line)));
        const dot = (await lines()).includes('setp.') ? '' : '.';
        await type(`${dot}lt.u32 %p1, %r1, 5;`);
        await until('the statement is as typed', async () => (await lines()).includes('setp.lt.u32 %p1, %r1, 5;'));
        await undo();
      });
    });

    test('Enter after a version starts a new line', async () => {
      const { bench } = given();
      await open('version.ptx', '\n');
      await until('there are two lines', async () => {
        // VS Code may move the focus after the file is shown: then the text is typed again.
        await bench.editor.locator('.view-line').first().click();
        await press('Control+a');
        await page().keyboard.type('.version 8.0\n', { delay: 60 });
        await page().keyboard.type('.target sm_80', { delay: 60 });
        const shown = await lines();
        if (shown.length === 2 && shown[0] === '.version 8.0' && shown[1] === '.target sm_80') return true;
        throw new Error(JSON.stringify(shown));
      });
      await press('Escape');
    });

    test('an empty file is offered its first directive and the kernel snippet, which has tabs', async () => {
      const { bench, shot } = given();
      await open('empty.ptx', '');
      await proposed('.version');
      await shot('strip-7-empty');
      await press('Escape');
      await until('the kernel is inserted', async () => {
        await press('Control+a');
        await type('kernel');
        await rows()
          .filter({ hasText: 'A kernel with a parameter' })
          .or(rows().locator('.label-name', { hasText: /^kernel$/ }))
          .first()
          .waitFor({ timeout: 3000 });
        await press('Tab');
        return until('it is there', async () => (await lines()).includes('ret;'), 3);
      });
      await press('Escape');
      await press('Control+s');
      await until('it has tabs', () => /^\t\.reg \.pred\t%p<2>;$/m.test(bench.read('empty.ptx')));
    });

    test('targets that the version has come first', async () => {
      await open('target.ptx', '.version 6.0\n.target ');
      await proposed('sm_70');
      const first = await rows().locator('.label-name').first().innerText();
      assert.ok(Number(/^sm_(\d+)/.exec(first)?.[1]) <= 70, `${first} is first, which PTX 6.0 does not have`);
      await given().shot('strip-7-target');
      await press('Escape');
    });
  });
}
