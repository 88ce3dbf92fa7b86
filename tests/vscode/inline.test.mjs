// Inline PTX in CUDA C++, Python and Rust: colors, hovers, problems, completion, fixes, and the lens that runs a statement.
// Screenshots of each step are written to target/vscode-screenshots.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, afterEach, before, describe, test } from 'node:test';
import { reportFailure, SCREENSHOTS, skip, startWorkbench } from './session.mjs';
import { until } from './workbench.mjs';

const CUDA = `__device__ int squared_distance(int a, int b) {
    int d;
    // @try { a = 3, b = "iota" }
    asm("{ .reg .s32 t; sub.s32 t, %2, %1;"
        " mull.lo.s32 %0, t, t; }" : "=r"(d) : "r"(a), "r"(b));
    return d;
}
`;

const PYTHON = `import triton.language as tl


def shifted(x):
    return tl.inline_asm_elementwise(
        """
        shl.b32 $0, $2, 4;
        """,
        "=r,r", [x], dtype=tl.int32, is_pure=True, pack=1)
`;

const RUST = `unsafe fn twice(x: u32) -> u32 {
    let y: u32;
    core::arch::asm!("ad.u32 {y}, {x}, {x};", y = out(reg32) y, x = in(reg32) x);
    y
}
`;

describe('inline PTX', { skip, timeout: 600_000 }, () => {
  let bench;

  before(async () => {
    bench = await startWorkbench();
  });
  afterEach(reportFailure(() => bench));
  after(() => bench?.close());

  const shot = (name) => bench.screenshot(join(SCREENSHOTS, `inline-${name}.png`));
  const errors = () => bench.page.locator('.squiggly-error');
  const errorsAre = (count) => until(`${count} errors are underlined`, async () => (await errors().count()) === count);

  async function applyFix(part, word, title) {
    await bench.closeHover();
    const first = bench.page.locator('.action-widget .monaco-list-row.action').first();
    await until('the menu of quick fixes is open', async () => {
      await bench.word(part, word).click();
      await bench.page.keyboard.press('Control+.');
      return first.waitFor({ timeout: 5000 }).then(
        () => true,
        () => false,
      );
    });
    assert.match(await first.innerText(), title);
    await bench.page.keyboard.press('Enter');
  }

  describe('in CUDA C++', () => {
    before(async () => {
      bench.write('distance.cu', CUDA);
      await bench.open('distance.cu');
    });

    test('a misspelled opcode is underlined, and hovers explain instructions and operands', async () => {
      await errorsAre(1);
      await bench.hover('sub.s32', 'sub', /Subtracts/);
      await bench.hover('sub.s32', '%2', /input/, /\bb\b/);
      await shot('cuda-hover');
    });

    test('a quick fix keeps the quoting', async () => {
      await applyFix('mull.lo', 'mull', /mul/);
      await until('the opcode is corrected', async () => await bench.lineWith('" mul.lo.s32 %0, t, t; }" :'));
      await errorsAre(0);
    });

    test('completion offers the operands of the statement', async () => {
      await bench.closeHover();
      await bench.word('mul.lo', 'mul').click();
      await bench.page.keyboard.press('Home');
      for (let key = 0; key < 2; key++) await bench.page.keyboard.press('ArrowRight');
      await bench.page.keyboard.type('add.s32 t, ', { delay: 60 });
      const rows = bench.page.locator('.suggest-widget.visible .monaco-list-row');
      await until('the operands are proposed', async () => {
        await bench.page.keyboard.press('Control+Space');
        await rows.first().waitFor({ timeout: 3000 });
        return true;
      });
      await shot('cuda-completion');
      const labels = (await rows.allInnerTexts()).join('\n');
      assert.match(labels, /%1/);
      await bench.page.keyboard.press('Escape');
      await bench.page.keyboard.type('%2, 0;');
      await errorsAre(0);
    });

    test('the lens runs the statement for one warp', async () => {
      await bench.lens('Try it').first().click();
      await bench
        .lens(/d = 0 1 4 9 16 25 36 49/)
        .first()
        .waitFor();
      await bench.hover('mul.lo', 'mul', /All 32 lanes/);
      await shot('cuda-try');
    });
  });

  describe('in Python', () => {
    before(async () => {
      bench.write('shifted.py', PYTHON);
      await bench.open('shifted.py');
    });

    test('a placeholder without an operand is underlined', async () => {
      await errorsAre(1);
      await bench.hover('shl.b32', 'shl', /[Ss]hift/);
      await shot('python');
    });
  });

  describe('in Rust', () => {
    before(async () => {
      bench.write('twice.rs', RUST);
      await bench.open('twice.rs');
    });

    test('a quick fix corrects an opcode, and the statement runs', async () => {
      await errorsAre(1);
      await applyFix('ad.u32', 'ad', /add/);
      await errorsAre(0);
      await bench.lens('Try it').first().click();
      await bench.lens('y = 2*lane').first().waitFor();
      await shot('rust-try');
    });
  });
});
