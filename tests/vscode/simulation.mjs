// How the editor shows a run: findings, values, visits, models, printed text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { ROOT } from './session.mjs';
import { until } from './workbench.mjs';

/** Each thread of two warps reads what the other warp stores, without a barrier between them. */
export const RACE = `.version 8.0
.target sm_80
.address_size 64

.visible .entry race(.param .u64 out)
{
  .shared .align 4 .b8 tile[256];
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;

  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  shl.b32 %r3, %r1, 2;
  add.u32 %r4, %r2, %r3;
  st.shared.u32 [%r4], %r1;
  xor.b32 %r5, %r4, 128;
  ld.shared.u32 %r5, [%r5];
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd3, %rd1, %rd2;
  st.global.u32 [%rd3], %r5;
  ret;
}
`;

/** The other lanes spin until lane 0 releases the lock, which they block under the model stack. */
const SPIN = `.version 8.0
.target sm_80
.address_size 64

.visible .entry spin(.param .u64 lock)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  .reg .pred %p<3>;

  ld.param.u64 %rd1, [lock];
  mov.u32 %r1, %laneid;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra OPEN;
WAIT:
  ld.volatile.global.u32 %r2, [%rd1];
  setp.eq.u32 %p2, %r2, 0;
  @%p2 bra WAIT;
  bra DONE;
OPEN:
  st.volatile.global.u32 [%rd1], 1;
DONE:
  ret;
}
`;

/** Lane 0 prints a text. */
export const PRINTS = `.version 8.0
.target sm_80
.address_size 64

.extern .func (.param .b32 status) vprintf(.param .b64 format, .param .b64 arguments);

.global .align 1 .b8 greeting[7] = {104, 101, 108, 108, 111, 10, 0};

.visible .entry prints()
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  .reg .pred %p<2>;

  mov.u32 %r1, %laneid;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  mov.u64 %rd1, greeting;
  cvta.global.u64 %rd1, %rd1;
  {
    .param .b64 p0;
    .param .b64 p1;
    .param .b32 r0;
    st.param.b64 [p0], %rd1;
    st.param.b64 [p1], 0;
    call.uni (r0), vprintf, (p0, p1);
    ld.param.b32 %r2, [r0];
  }
DONE:
  ret;
}
`;

const LAUNCHES = `
[[launch]]
name  = "two warps race"
file  = "race.ptx"
block = [64]
args  = [{ name = "out", buffer = "u32", len = 64 }]

[[launch]]
name  = "one warp loops"
file  = "loop.ptx"
block = [32]
args  = [{ name = "out", buffer = "u32", len = 32 }]

[[launch]]
name  = "one warp spins"
file  = "spin.ptx"
model = "stack"
block = [32]
args  = [{ name = "lock", buffer = "u32", len = 1, fill = "zero" }]

[[launch]]
name  = "one warp prints"
file  = "prints.ptx"
block = [32]
`;

/** The tests; `given()` returns the shared workbench and the function that writes screenshots. */
export function simulationTests(given) {
  const shot = (name) => given().shot(name);
  const rows = () => given().bench.page.locator('.quick-input-widget .monaco-list-row');
  const status = (text) => given().bench.page.locator('.statusbar-item', { hasText: text });

  /** Opens a program with one launch and runs it with the code lens above its kernel. */
  async function run(file, text, launch) {
    const { bench } = given();
    bench.write(file, text);
    await bench.open(file);
    // A lens that is redrawn loses the click.
    await until(`“${launch}” has run`, async () => {
      if ((await status(/warp \d+\//).count()) > 0) {
        await bench.page.waitForTimeout(1000);
        return (await status(/warp \d+\//).count()) > 0;
      }
      await bench.lens(`Run ${launch}`).first().click({ timeout: 2000 });
      return false;
    });
  }

  describe('a run', () => {
    before(() => {
      const { bench } = given();
      bench.write('warplens.toml', bench.read('warplens.toml') + LAUNCHES);
    });

    describe('of a race', () => {
      before(() => run('race.ptx', RACE, 'two warps race'));

      test('underlines its findings and suggests a fix', async () => {
        const { bench } = given();
        await bench.page.locator('.squiggly-error').first().waitFor();
        const race = /read by thread \(\d+,0,0\),[\s\S]*bar\.sync/;
        await bench.hover('ld.shared', 'shared', race, /warplens-sim[\s\S]*data-race/);
        await shot('sim-1-race');
      });

      test('lists the finding in the problems panel, with the other access', async () => {
        const { bench } = given();
        await bench.closeHover();
        await bench.command('View: Focus Problems');
        const problems = bench.page.locator('.markers-panel .monaco-list-row');
        await problems
          .filter({ hasText: /Shared-memory race: .* read by thread .*, written by thread/ })
          .first()
          .waitFor();
        await problems
          .filter({ hasText: /thread .* writes .* here/ })
          .first()
          .waitFor();
        await shot('sim-2-problems');
        await bench.command('View: Toggle Panel Visibility');
        await until('the panel is closed', async () => (await bench.page.locator('.markers-panel:visible').count()) === 0);
      });

      test('shows the value of a register', async () => {
        const { bench } = given();
        await bench.hover('add.u32', '%r4', /%r4\s*= 4\*lane( \+ 128)?, after this line/);
        await shot('sim-3-value');
        await bench.closeHover();
      });

      test('removes its findings when the lanes are switched off', async () => {
        const { bench } = given();
        await bench.command('Warplens: Stop Showing Lanes');
        await until('nothing is underlined', async () => (await bench.page.locator('.squiggly-error').count()) === 0);
      });
    });

    describe('of a loop', () => {
      // The text of the repository: VS Code saves and restores what other tests typed into the example.
      before(() => run('loop.ptx', readFileSync(join(ROOT, 'examples', 'divergence.ptx'), 'utf8'), 'one warp loops'));

      test('shows a chosen visit in all lines of the loop', async () => {
        const { bench } = given();
        await until('all visits are counted', async () => (await bench.lineWith('sub.u32')).includes('x4 32>24>16>8'));
        await bench.word('%r3, %r3, 1;', 'add').click();
        await bench.command('Warplens: Go to Visit');
        await rows().filter({ hasText: 'Visit 3' }).waitFor();
        await shot('sim-4-visits');
        await rows().filter({ hasText: 'Visit 3' }).click();
        for (const line of ['%r3, %r3, 1;', 'setp.ne.u32', 'sub.u32']) {
          await until(`${line} is at its third visit`, async () => (await bench.lineWith(line)).includes('visit 3/4 16/32 16-31'));
        }
        await until('later lines have not run', async () => (await bench.lineWith('ld.param')).includes('not yet run'));
        await bench.hover('sub.u32', '%r4', /after this line, visit 3 of 4/);
        await shot('sim-5-visit');
        await bench.closeHover();
      });

      test('shows all visits again', async () => {
        const { bench } = given();
        await bench.command('Warplens: Go to Visit');
        await rows().filter({ hasText: 'the last visit of each line' }).click();
        await until('all visits are counted', async () => (await bench.lineWith('sub.u32')).includes('x4 32>24>16>8'));
      });
    });

    describe('of a lock', () => {
      before(() => run('spin.ptx', SPIN, 'one warp spins'));

      test('reports no progress and offers the model its', async () => {
        const { bench } = given();
        await status('stack').waitFor();
        await bench.hover('ld.volatile', 'volatile', /no-progress/);
        await shot('sim-6-spin');
        await bench.closeHover();
        await bench.word('ld.volatile', 'volatile').click();
        await bench.page.keyboard.press('Control+.');
        const rerun = bench.page.locator('.action-widget .monaco-list-row.action', { hasText: 'Run again with the model' });
        await rerun.first().waitFor();
        await shot('sim-7-rerun');
        await bench.page.keyboard.press('Escape');
      });

      test('finishes under another model', async () => {
        const { bench } = given();
        await status('stack').click();
        await rows().filter({ hasText: 'independent thread scheduling' }).waitFor();
        await shot('sim-8-models');
        await rows().filter({ hasText: 'independent thread scheduling' }).click();
        await status(/\bits\b/).waitFor();
        await until('no finding is shown', async () => (await bench.page.locator('.squiggly-error').count()) === 0);
        await until('the lanes make progress', async () => /x\d 31\/32/.test(await bench.lineWith('ld.volatile')));
        const lens = bench.page.locator('.codelens-decoration').first();
        await until('the code lens shows the new run', async () => !(await lens.innerText()).includes('no-progress'));
        await shot('sim-9-its');
      });
    });

    describe('of a program that prints', () => {
      before(() => run('prints.ptx', PRINTS, 'one warp prints'));

      test('shows the text in a separate output channel', async () => {
        const { bench } = given();
        await bench.command('Output: Show Output Channels');
        await rows().filter({ hasText: 'Warplens Printed' }).click();
        const text = bench.page.locator('.output-view .view-lines, .monaco-editor.output-view .view-lines, .part.panel .view-lines');
        await until('the text is shown', async () => /hello/.test((await text.allInnerTexts()).join('\n')));
        await shot('sim-10-printed');
      });
    });
  });
}
