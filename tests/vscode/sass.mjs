// Listings of machine code: an opcode and its control information, regions, lanes, and the listing of a cubin.
import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { until } from './workbench.mjs';

/** A loop in a branch: two regions, with the encodings of the instructions. */
export const LISTING = `        code for sm_80
                Function : branch
        .headerflags        @"EF_CUDA_SM80 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM80)"
        /*0000*/                   IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;            /* 0x00000a00ff017624 */
                                                                                      /* 0x000fe400078e00ff */
        /*0010*/                   S2R R0, SR_LANEID ;                                /* 0x0000000000007919 */
                                                                                      /* 0x000e220000000000 */
        /*0020*/                   HFMA2.MMA R3, -RZ, RZ, 0, 2.384185791015625e-07 ;  /* 0x00000004ff037435 */
                                                                                      /* 0x000fe200000001ff */
        /*0030*/                   ULDC.64 UR4, c[0x0][0x118] ;                       /* 0x0000460000047ab9 */
                                                                                      /* 0x000fe20000000a00 */
        /*0040*/                   BSSY B0, 0x110 ;                                   /* 0x000000c000007945 */
                                                                                      /* 0x000fe20003800000 */
        /*0050*/                   IMAD.MOV.U32 R5, RZ, RZ, 0x1 ;                     /* 0x00000001ff057424 */
                                                                                      /* 0x000fe200078e00ff */
        /*0060*/                   ISETP.GE.U32.AND P0, PT, R0, 0x8, PT ;             /* 0x000000080000780c */
                                                                                      /* 0x001fcc0003f06070 */
        /*0070*/                   IMAD.WIDE.U32 R2, R0, R3, c[0x0][0x160] ;          /* 0x0000580000027625 */
                                                                                      /* 0x000fce00078e0003 */
        /*0080*/              @!P0 BRA 0x100 ;                                        /* 0x0000007000008947 */
                                                                                      /* 0x000fea0003800000 */
        /*0090*/                   BSSY B1, 0xf0 ;                                    /* 0x0000005000017945 */
                                                                                      /* 0x000fe40003800000 */
        /*00a0*/                   IMAD R5, R5, R0, RZ ;                              /* 0x0000000005057224 */
                                                                                      /* 0x000fe200078e02ff */
        /*00b0*/                   SHF.R.U32.HI R0, RZ, 0x1, R0 ;                     /* 0x00000001ff007819 */
                                                                                      /* 0x000fc80000011600 */
        /*00c0*/                   ISETP.NE.U32.AND P0, PT, R0, RZ, PT ;              /* 0x000000ff0000720c */
                                                                                      /* 0x000fda0003f05070 */
        /*00d0*/               @P0 BRA 0xa0 ;                                         /* 0xffffffc000000947 */
                                                                                      /* 0x000fea000383ffff */
        /*00e0*/                   BSYNC B1 ;                                         /* 0x0000000000017941 */
                                                                                      /* 0x000fea0003800000 */
        /*00f0*/                   STG.E [R2.64+0x80], R5 ;                           /* 0x0000800502007986 */
                                                                                      /* 0x0001e4000c101904 */
        /*0100*/                   BSYNC B0 ;                                         /* 0x0000000000007941 */
                                                                                      /* 0x000fea0003800000 */
        /*0110*/                   STG.E [R2.64], R5 ;                                /* 0x0000000502007986 */
                                                                                      /* 0x000fe2000c101904 */
        /*0120*/                   EXIT ;                                             /* 0x000000000000794d */
                                                                                      /* 0x000fea0003800000 */
                ..........
`;

/** The start of a cubin: an ELF file for a GPU. Only the tool reads the rest. */
const CUBIN = Buffer.alloc(64);
CUBIN.write('\x7fELF\x02\x01\x01', 'latin1');
CUBIN.writeUInt16LE(190, 18);

/** Prints a stored listing, as a disassembler does for every file. */
const DISASSEMBLER = `#!/bin/sh
cat "$(dirname "$0")/stored.txt"
`;

/** The tests; `given()` returns the shared workbench and the function that writes screenshots. */
export function sassTests(given) {
  const shot = (name) => given().shot(name);
  /** Lanes are shown after the encodings. */
  async function wideShot(name) {
    const { page } = given().bench;
    await page.setViewportSize({ width: 1800, height: 900 });
    await shot(name);
    await page.setViewportSize({ width: 1280, height: 1400 });
  }

  const language = () => given().bench.page.locator('[id="status.editor.mode"]', { hasText: 'SASS' }).waitFor();
  const cursorIsAt = (line) =>
    given()
      .bench.page.locator('.statusbar-item', { hasText: `Ln ${line},` })
      .waitFor();
  /** The number of the first line of the listing that contains `part`. */
  const lineOf = (part) => LISTING.split('\n').findIndex((line) => line.includes(part)) + 1;

  describe('a SASS listing', () => {
    before(async () => {
      const { bench } = given();
      bench.write('machine/branch.sass', LISTING);
      await bench.open('machine/branch.sass');
      await language();
      await bench.lens('Run').first().waitFor();
    });

    test('hovers describe an opcode and decode control information', async () => {
      const { bench } = given();
      await bench.hover('BSSY B0', 'BSSY', /barrier/);
      await bench.hover('S2R R0', '0x0000000000007919', /sets SB0/, /stall/);
      await shot('sass-1-control');
      await bench.closeHover();
    });

    test('encodings are dimmed, unless a setting says otherwise', async () => {
      const { bench } = given();
      const opacity = (word) => bench.word('S2R R0', word).evaluate((element) => Number(getComputedStyle(element).opacity));
      await until('encodings are dimmed', async () => (await opacity('0x0000000000007919')) < 1);
      assert.equal(await opacity('S2R'), 1);
      bench.configureWorkspace({ 'warplens.sass.encodings': 'normal' });
      await until('they are not', async () => (await opacity('0x0000000000007919')) === 1);
      bench.configureWorkspace({});
    });

    test('a file that begins with data opens at its first function', async () => {
      const { bench } = given();
      bench.write('machine/data.sass', `${'// a note about the data\n'.repeat(200)}${LISTING}`);
      await bench.open('machine/data.sass');
      await until('its first function is in view', () => bench.lineWith('Function : branch'));
      await shot('sass-0-first-function');
      await bench.open('machine/branch.sass');
    });

    test('a definition goes from BSSY to its BSYNC', async () => {
      const { bench } = given();
      await until('the cursor is at BSYNC B0', async () => {
        await bench.closeHover();
        await bench.word('BSSY B0', 'BSSY').click();
        await cursorIsAt(lineOf('BSSY B0'));
        await bench.page.keyboard.press('F12');
        await bench.page.locator('.statusbar-item', { hasText: `Ln ${lineOf('BSYNC B0')},` }).waitFor({ timeout: 5000 });
        return true;
      });
      await shot('sass-2-region');
    });

    test('a run shows lanes in each line', async () => {
      const { bench } = given();
      await bench.showLanes('Run');
      const branch = await until('the branch shows that lanes diverge', async () => {
        const line = await bench.lineWith('@!P0 BRA');
        return /split \d+ \| \d+/.test(line) && line;
      });
      assert.match(branch, /split 8 \| 24|split 24 \| 8/);
      await wideShot('sass-3-lanes');
    });
  });

  describe('a cubin', () => {
    test('a tool that is set prints its listing, which is read-only and has lanes', async () => {
      const { bench } = given();
      // The first function is not in the first view.
      bench.write('machine/tool/stored.txt', `${'\n'.repeat(100)}${LISTING}${'\n'.repeat(100)}`);
      bench.write('machine/tool/disassembler', DISASSEMBLER);
      chmodSync(join(bench.workspace, 'machine/tool/disassembler'), 0o755);
      bench.write('machine/branch.cubin', CUBIN);
      bench.configure({ 'warplens.sass.nvdisasm': join(bench.workspace, 'machine/tool/disassembler'), 'editor.cursorStyle': 'block' });
      // A page that opens the file before it knows the extension shows it as binary text, and does so again when it is loaded again.
      await bench.open('machine/branch.sass');
      // A page starts with the settings of the one before it, which have no tool.
      await bench.page.locator('.cursors-layer.cursor-block-style').first().waitFor({ state: 'attached' });
      await language();
      await bench.openHere('branch.cubin');
      bench.editor = bench.page.locator('.monaco-editor[data-uri*="branch.cubin.sass"]');
      await bench.editor.locator('.view-line', { hasText: 'BSSY B0' }).first().waitFor();
      await language();
      await until('it is opened at its first function', async () =>
        /code for sm_80/.test((await bench.drawn()).find(({ y }) => y > 60).text),
      );
      await bench.lens('Run').first().waitFor();
      await bench.showLanes('Run');
      await wideShot('sass-4-cubin');
      await bench.word('EXIT', 'EXIT').click();
      await bench.page.keyboard.type('x');
      await bench.page.locator('.monaco-editor-overlaymessage', { hasText: /read-only/ }).waitFor();
      bench.configure({});
    });
  });
}
