//! What operands of tensor instructions stand for, with their values in a run.

use expect_test::{Expect, expect};
use warplens_sim_warp::RunOptions;

use crate::hovers::after_run;

/// One product of a warpgroup: rows of A are 1, B is 2.
const TEXT: &str = "\
.version 8.6
.target sm_90a
.address_size 64
// @launch { block = [128] }
.visible .entry k()
{
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .f32 %f<9>;
    .reg .b64 %rd<9>;
    .shared .align 1024 .b8 tile[2048];
    mov.u32 %r1, %tid.x;
    shl.b32 %r2, %r1, 4;
    mov.u32 %r3, tile;
    add.u32 %r2, %r2, %r3;
    mov.b32 %r4, 0x40004000;
    st.shared.v4.b32 [%r2], {%r4, %r4, %r4, %r4};
    fence.proxy.async.shared::cta;
    bar.sync 0;
    mov.b32 %r5, 0x3c003c00;
    mov.b32 %f0, 0f00000000;
    mov.b32 %f1, 0f00000000;
    mov.b32 %f2, 0f00000000;
    mov.b32 %f3, 0f00000000;
    mov.b64 %rd1, 0x0000000800080000;
    wgmma.fence.sync.aligned;
    setp.ne.u32 %p1, %r1, 999;
    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%r5, %r5, %r5, %r5}, %rd1, %p1, 1, 1, 0;
    wgmma.commit_group.sync.aligned;
    wgmma.wait_group.sync.aligned 0;
    ret;
}
";

/// The parts about `word` in the hover of the product, after a run with eager completion.
fn check(word: &str, expected: Expect) {
    let options = RunOptions { eager: true, ..RunOptions::default() };
    let markdown = after_run(TEXT, "wgmma.mma_async", word, options);
    expected.assert_eq(markdown.split("**All 32 lanes").next().unwrap());
}

#[test]
fn a_descriptor() {
    check(
        "%rd1",
        expect![[r#"
        **`%rd1`** = 0x0000000800080000, after this line.

        `0x0000000800080000`: matrix descriptor of B of `wgmma`: 8 x 16 elements of 16 bits, K-major

        ```text
        bits 0-13   start address        0x0
        bits 16-29  leading byte offset  128 bytes
        bits 32-45  stride byte offset   128 bytes
        bits 49-51  base offset          0
        bits 62-63  swizzle              none
        ```

        In shared memory from 0x0 to 0xff (256 bytes).

        K-major: `0x0 + column % 8 * 16 + column / 8 * 128 + byte % 16 + byte / 16 * 128`, where `byte` is the byte along K.

        ```text
        column        k 0      k 1      k 8     k 15
        0             0x0      0x2     0x80     0x8e
        1            0x10     0x12     0x90     0x9e
        7            0x70     0x72     0xf0     0xfe
        ```

    "#]],
    );
}

#[test]
fn a_fragment() {
    check(
        "%f2",
        expect![[r#"
            **`%f2`** = 32.0, after this line.

            **`%f2`** is register 2 of D, the 16 rows of the warp. `lane:register` of each element:

            ```text
            row         0      1      2      3      4      5      6      7
            0       0:%f0  0:%f1  1:%f0  1:%f1  2:%f0  2:%f1  3:%f0  3:%f1
            1       4:%f0  4:%f1  5:%f0  5:%f1  6:%f0  6:%f1  7:%f0  7:%f1
            2       8:%f0  8:%f1  9:%f0  9:%f1 10:%f0 10:%f1 11:%f0 11:%f1
            3      12:%f0 12:%f1 13:%f0 13:%f1 14:%f0 14:%f1 15:%f0 15:%f1
            4      16:%f0 16:%f1 17:%f0 17:%f1 18:%f0 18:%f1 19:%f0 19:%f1
            5      20:%f0 20:%f1 21:%f0 21:%f1 22:%f0 22:%f1 23:%f0 23:%f1
            6      24:%f0 24:%f1 25:%f0 25:%f1 26:%f0 26:%f1 27:%f0 27:%f1
            7      28:%f0 28:%f1 29:%f0 29:%f1 30:%f0 30:%f1 31:%f0 31:%f1
            8       0:%f2  0:%f3  1:%f2  1:%f3  2:%f2  2:%f3  3:%f2  3:%f3
            9       4:%f2  4:%f3  5:%f2  5:%f3  6:%f2  6:%f3  7:%f2  7:%f3
            10      8:%f2  8:%f3  9:%f2  9:%f3 10:%f2 10:%f3 11:%f2 11:%f3
            11     12:%f2 12:%f3 13:%f2 13:%f3 14:%f2 14:%f3 15:%f2 15:%f3
            12     16:%f2 16:%f3 17:%f2 17:%f3 18:%f2 18:%f3 19:%f2 19:%f3
            13     20:%f2 20:%f3 21:%f2 21:%f3 22:%f2 22:%f3 23:%f2 23:%f3
            14     24:%f2 24:%f3 25:%f2 25:%f3 26:%f2 26:%f3 27:%f2 27:%f3
            15     28:%f2 28:%f3 29:%f2 29:%f3 30:%f2 30:%f3 31:%f2 31:%f3
            ```

            After this line (the product may be in flight until `wgmma.wait_group`):

            ```text
            row     0  1  2  3  4  5  6  7
            0      32 32 32 32 32 32 32 32
            1      32 32 32 32 32 32 32 32
            2      32 32 32 32 32 32 32 32
            3      32 32 32 32 32 32 32 32
            4      32 32 32 32 32 32 32 32
            5      32 32 32 32 32 32 32 32
            6      32 32 32 32 32 32 32 32
            7      32 32 32 32 32 32 32 32
            8      32 32 32 32 32 32 32 32
            9      32 32 32 32 32 32 32 32
            10     32 32 32 32 32 32 32 32
            11     32 32 32 32 32 32 32 32
            12     32 32 32 32 32 32 32 32
            13     32 32 32 32 32 32 32 32
            14     32 32 32 32 32 32 32 32
            15     32 32 32 32 32 32 32 32
            ```

        "#]],
    );
}
