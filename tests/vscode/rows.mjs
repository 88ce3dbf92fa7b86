// What an editor says about single kernels: addresses with their names, lanes one at a time, the block of an error, findings, names.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from './workbench.mjs';

const HEAD = '.version 8.0\n.target sm_80\n.address_size 64\n';

const REGISTERS = '\t.reg .pred \t%p<3>;\n\t.reg .b32 \t%r<6>;\n\t.reg .b64 \t%rd<4>;\n';

const kernel = (name, launch, text, directives = '') => `
// @launch { name = "${name}", ${launch} }
.visible .entry ${name}(.param .u64 out)${directives}
{
${REGISTERS}${text}\tret;
}
`;

const OUT = 'args = [{ name = "out", buffer = "u32", len = 32, fill = "zero" }]';

/** Each has its statements in lines that no other kernel has. */
const KERNELS =
  HEAD +
  kernel(
    'addresses',
    `block = [32], ${OUT}`,
    `\t.shared .align 4 .b8 tile[4096];
\tmov.u32 \t%r1, %tid.x;
\tmov.u32 \t%r2, tile;
\tmad.lo.u32 \t%r4, %r1, 128, %r2;
\tst.shared.u32 \t[%r4], %r1;
`,
  ) +
  kernel(
    'lock',
    `block = [32], model = "its", ${OUT}`,
    `\tld.param.u64 \t%rd1, [out];
AGAIN:
\tatom.global.cas.b32 \t%r1, [%rd1], 0, 1;
\tsetp.ne.u32 \t%p1, %r1, 0;
\t@%p1 bra \tAGAIN;
\tadd.u32 \t%r2, %r1, 77;
\tmembar.gl;
\tatom.global.exch.b32 \t%r3, [%rd1], 0;
`,
  ) +
  kernel(
    'blocks',
    'grid = [4], block = [32], args = [{ name = "out", buffer = "u32", len = 96 }]',
    `\tmov.u32 \t%r1, %ctaid.x;
\tmov.u32 \t%r2, %tid.x;
\tmad.lo.u32 \t%r3, %r1, 32, %r2;
\tld.param.u64 \t%rd1, [out];
\tmul.wide.u32 \t%rd2, %r3, 4;
\tadd.u64 \t%rd3, %rd1, %rd2;
\tst.global.u32 \t[%rd3], %r3;
`,
  ) +
  kernel(
    'divided',
    `block = [32], ${OUT}`,
    `\tmov.u32 \t%r1, %laneid;
\tmov.u32 \t%r2, 0;
\tdiv.u32 \t%r3, %r1, %r2; div.u32 \t%r4, %r3, %r2;
`,
  ) +
  kernel(
    'barrier',
    `block = [32], ${OUT}`,
    `\tmov.u32 \t%r1, %tid.x;
\tsetp.lt.u32 \t%p1, %r1, 8;
\t@%p1 bra \tWAITS;
\tbra \tENDS;
WAITS:
\tbar.sync \t0;
ENDS:
`,
  ) +
  // The shape of a compiled sort: all of its block is in shared memory, between barriers.
  `
.visible .entry sorted(.param .u64 .ptr .global .align 4 keys)
.maxntid 512
{
${REGISTERS}\t.shared .align 4 .b8 part[2048];
\tld.param.u64 \t%rd1, [keys];
\tmov.u32 \t%r1, %tid.x;
\tmul.wide.u32 \t%rd2, %r1, 4;
\tadd.u64 \t%rd1, %rd1, %rd2;
\tld.global.u32 \t%r2, [%rd1];
\tshl.b32 \t%r4, %r1, 2;
\tmov.u32 \t%r5, part;
\tadd.u32 \t%r4, %r4, %r5;
\tst.shared.u32 \t[%r4], %r2;
\tbar.sync \t0;
\txor.b32 \t%r5, %r4, 1024;
\tld.shared.u32 \t%r3, [%r5];
\tmin.u32 \t%r3, %r3, %r2;
\tst.global.u32 \t[%rd1], %r3;
\tret;
}
`;

/** A loop that some lanes exit after each iteration, and a statement that some lanes execute. */
const LOOP = `${HEAD}
// @launch { name = "halves", block = [32], ${OUT} }
.visible .entry halves(.param .u64 out)
{
${REGISTERS}\tmov.u32 \t%r1, %tid.x;
\tsetp.lt.u32 \t%p2, %r1, 12;
\t@%p2 add.u32 \t%r2, %r1, 99;
AGAIN:
\tshr.u32 \t%r1, %r1, 1;
\tsetp.gt.u32 \t%p1, %r1, 1;
\t@%p1 bra \tAGAIN;
\tret;
}
`;

const MISSPELLED =
  HEAD +
  `
.visible .entry misspelled()
{
\t.reg .pred \t%p<2>;
\t.reg .b32 \t%row, %column, %total;

\tmov.u32 \t%row, %tidx;
\tmov.u32 \t%colum, 1;
\tadd.u32 \t%totl, %row, %column;
\tmul.lo.u32 \t%total, %rwo, 3;
\tret;
}
`;

/** The tests; `given()` returns the shared workbench and the function that writes screenshots. */
export function rowTests(given) {
  const page = () => given().bench.page;
  const status = (text) => page().locator('.statusbar-item', { hasText: text });
  const rows = () => page().locator('.quick-input-widget .monaco-list-row');

  /** Runs a kernel with the key, at its name. */
  async function run(name) {
    const { bench } = given();
    const isShown = async () => (await status(`${name}<<<`).count()) > 0;
    await until(`${name} has run`, async () => {
      if (await isShown()) return true; // of an earlier attempt
      await bench.word(`.entry ${name}(`, name).click({ timeout: 2000 });
      await page().keyboard.press('Control+F5');
      return until('the run is shown', isShown, 5);
    });
  }

  describe('single kernels', () => {
    before(async () => {
      const { bench } = given();
      bench.write('rows/rows.ptx', KERNELS);
      await page().setViewportSize({ width: 1280, height: 1800 });
      await bench.open('rows/rows.ptx');
      await bench.lens('Run').first().waitFor();
    });

    test('an address is an integer with the name of its object', async () => {
      const { bench, shot } = given();
      await run('addresses');
      await bench.hover('st.shared.u32', '%r4', /tile ?\+ ?128\*lane/);
      await shot('row-1-address');
      await bench.closeHover();
    });

    test('an opcode has a sentence, without a grid that says the same', async () => {
      const { bench, shot } = given();
      await bench.hover('128, %r2', 'mad', /32 lanes/);
      const code = await page().locator('.monaco-hover:not(.hidden) code').allInnerTexts();
      assert.ok(
        code.every((text) => text.split('\n').every((line) => line.length <= 60)),
        code.join('\n'),
      );
      await shot('row-2-opcode');
      await bench.closeHover();
    });

    test('lanes that take a lock one after another have a visit each', async () => {
      const { bench, shot } = given();
      await run('lock');
      await until(
        'the statement has a visit for each lane',
        async () => (await bench.stripOf(', 77;'))?.label === '32 visits, 1 lane each',
      );
      await shot('row-3-lock');
    });

    test('the warp of the first error is shown', async () => {
      const { bench, shot } = given();
      await run('blocks');
      await bench.lens('block 3, warp 0 of 1').first().waitFor();
      await shot('row-4-block');
    });

    test('of several findings on a line, one is picked', async () => {
      const { bench, shot } = given();
      await run('divided');
      await bench.word('div.u32', 'div').click();
      await page().keyboard.press('Control+Alt+Enter');
      await until('both are listed', async () => (await rows().filter({ hasText: 'Division by zero' }).count()) === 2);
      await shot('row-5-findings');
      await page().keyboard.press('Escape');
    });

    test('a barrier that some lanes do not reach is one finding with one fix', async () => {
      const { bench, shot } = given();
      await run('barrier');
      await bench.word('bar.sync', 'bar').click();
      const actions = page().locator('.action-widget .monaco-list-row.action');
      await until('the line has its finding', async () => (await page().locator('.squiggly-info').count()) > 0);
      await page().keyboard.press('Control+.');
      await actions.first().waitFor();
      const titles = await actions.allInnerTexts();
      assert.equal(new Set(titles).size, titles.length, titles.join('\n'));
      await shot('row-6-barrier');
      await page().keyboard.press('Escape');
    });

    test('a kernel without a launch has the threads of its directive, and no warnings', async () => {
      const { shot } = given();
      await run('sorted');
      await status(/sorted<<<1, 512>>>/).waitFor();
      await until('the run has no findings', async () => (await page().locator('.squiggly-warning, .squiggly-error').count()) === 0);
      await shot('row-7-threads');
    });

    test('control flow has a colour of its own', async () => {
      const { bench } = given();
      const color = (part, word) => bench.word(part, word).evaluate((element) => getComputedStyle(element).color);
      assert.notEqual(await color('@%p1 bra', 'bra'), await color('add.u64', 'add'));
    });
  });

  describe('lanes as hexadecimal text', () => {
    before(async () => {
      const { bench } = given();
      bench.write('rows/loop.ptx', LOOP);
      bench.configureWorkspace({ 'warplens.lanes.display': 'text', 'warplens.lanes.format': 'hex' });
      await bench.open('rows/loop.ptx');
    });
    after(() => given().bench.configureWorkspace({}));

    test('have the number of lanes of each visit in a loop, not the union of the visits', async () => {
      const { bench, shot } = given();
      await run('halves');
      await until('lanes are hexadecimal', async () => /\b00000fff\b/.test((await bench.lineWith(', 99;')) ?? ''));
      assert.match(await bench.lineWith('shr.u32'), /x4 32>28>24>16$/);
      await shot('row-9-hex');
    });
  });

  describe('misspelled names', () => {
    before(() => {
      given().bench.write('rows/misspelled.ptx', MISSPELLED);
      return given().bench.open('rows/misspelled.ptx');
    });

    test('each has a mark and a suggestion', async () => {
      const { bench, shot } = given();
      const errors = page().locator('.squiggly-error');
      await until('four names are underlined', async () => (await errors.count()) === 4);
      await bench.hover('%tidx', 'tidx', /did you mean `?%tid\.x/);
      await shot('row-8-names');
      await bench.closeHover();
      await bench.hover('%totl', 'totl', /did you mean `?%total/);
    });
  });
}
