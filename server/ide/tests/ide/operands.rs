//! Explanations of the operands of tensor instructions, without a run.

use expect_test::{Expect, expect};
use text_size::TextSize;
use warplens_ide::{AnalysisHost, FileId};

/// Shows the explanation of the operand that `|` marks.
fn check(body: &str, expected: Expect) {
    let text = format!(
        ".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p<4>;\n.reg .b32 %r<20>;\n\
         .reg .f32 %f<20>;\n.reg .b64 %rd<9>;\n{body}\nret;\n}}\n"
    );
    let offset = text.find('|').expect("a mark");
    let text = text.replacen('|', "", 1);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    let end = text[offset..].find(|c| !is_name(c)).map_or(text.len(), |end| offset + end);
    let mut host = AnalysisHost::new();
    host.open(FileId(0), warplens_syntax::ptx::LANGUAGE, &text);
    let at = TextSize::try_from(offset).expect("a short text");
    let hover = host.snapshot().operand(FileId(0), at, &text[offset..end]).expect("not cancelled");
    expected.assert_eq(&hover.map_or("nothing".to_owned(), |hover| hover.markdown));
}

const WGMMA: &str =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f0, %f1, %f2, %f3}, %rd1, %rd2, %p1, 1, 1, 0, 1;";

#[test]
fn descriptors() {
    check(
        &WGMMA.replace("%rd1", "|%rd1"),
        expect!["matrix descriptor of A of `wgmma`: 64 x 16 elements of 16 bits, K-major"],
    );
    check(
        &WGMMA.replace("%rd2", "|%rd2"),
        expect!["matrix descriptor of B of `wgmma`: 8 x 16 elements of 16 bits, MN-major"],
    );
    check(
        &format!("mov.b64 %rd2, |0x4000004001000400;\n{WGMMA}"),
        expect![[r#"
        `0x4000004001000400`: matrix descriptor of B of `wgmma`: 8 x 16 elements of 16 bits, MN-major

        ```text
        bits 0-13   start address        0x4000
        bits 16-29  leading byte offset  4,096 bytes
        bits 32-45  stride byte offset   1,024 bytes
        bits 49-51  base offset          0
        bits 62-63  swizzle              128b
        ```

        In shared memory from 0x4000 to 0x47ff (2,048 bytes).

        MN-major: `0x4000 + k % 8 * 128 + k / 8 * 1024 + byte % 128 + byte / 128 * 4096` then address ^ (address >> 3 & 0x70), where `byte` is the byte along M or N.

        ```text
        column        k 0      k 1      k 8     k 15
        0          0x4000   0x4090   0x4400   0x47f0
        1          0x4002   0x4092   0x4402   0x47f2
        7          0x400e   0x409e   0x440e   0x47fe
        ```"#]],
    );
    check(
        &format!("or.b64 %rd1, %rd3, |0x4000004000010000;\n{WGMMA}"),
        expect![[r#"
        `0x4000004000010000`: matrix descriptor of A of `wgmma`: 64 x 16 elements of 16 bits, K-major

        ```text
        bits 0-13   start address        0x0
        bits 16-29  leading byte offset  16 bytes
        bits 32-45  stride byte offset   1,024 bytes
        bits 49-51  base offset          0
        bits 62-63  swizzle              128b
        ```

        In shared memory from 0x0 to 0x1fff (8,192 bytes).

        K-major: `0x0 + row % 8 * 128 + row / 8 * 1024 + byte` then address ^ (address >> 3 & 0x70), where `byte` is the byte along K. The leading byte offset is not used.

        ```text
        row           k 0      k 1      k 8     k 15
        0             0x0      0x2     0x10     0x1e
        1            0x90     0x92     0x80     0x8e
        8           0x400    0x402    0x410    0x41e
        63         0x1ff0   0x1ff2   0x1fe0   0x1fee
        ```"#]],
    );
    check("mov.b64 %rd1, |64;\nadd.u64 %rd2, %rd1, 1;", expect!["nothing"]);
}

#[test]
fn instruction_descriptors() {
    let mma = "tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;";
    check(&mma.replace("%r2", "|%r2"), expect!["instruction descriptor of `tcgen05.mma` `.kind::f16`"]);
    check(&mma.replace("%rd2", "|%rd2"), expect!["matrix descriptor of B of `tcgen05`"]);
    check(
        &format!("mov.b32 %r2, |0x08400491;\n{mma}"),
        expect![[r#"
        `0x08400491`: instruction descriptor of `tcgen05.mma` `.kind::f16`

        ```text
        bits 0-1    sparsity selector    1 INVALID: must be zero for .kind::f16
        bit 2       sparse A             0
        bit 3       saturate             0
        bits 4-5    D type               f32
        bits 7-9    A type               bf16
        bits 10-12  B type               bf16
        bit 13      negate A             0
        bit 14      negate B             0
        bit 15      major of A           K
        bit 16      major of B           K
        bits 17-22  N / 8                32: N = 256
        bits 24-28  M / 16               8: M = 128
        bits 30-31  maximum shift        0
        ```"#]],
    );
}

#[test]
fn fragments() {
    check(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, |%r2, %r3}, {%r4, %r5}, {%f4, %f5, %f6, %f7};",
        expect![[r#"
        **`%r2`** is register 2 of A. `lane:register` of each element:

        ```text
        row         0      1      2      3      4      5      6      7
        0       0:%r0  1:%r0  2:%r0  3:%r0  0:%r2  1:%r2  2:%r2  3:%r2
        1       4:%r0  5:%r0  6:%r0  7:%r0  4:%r2  5:%r2  6:%r2  7:%r2
        2       8:%r0  9:%r0 10:%r0 11:%r0  8:%r2  9:%r2 10:%r2 11:%r2
        3      12:%r0 13:%r0 14:%r0 15:%r0 12:%r2 13:%r2 14:%r2 15:%r2
        4      16:%r0 17:%r0 18:%r0 19:%r0 16:%r2 17:%r2 18:%r2 19:%r2
        5      20:%r0 21:%r0 22:%r0 23:%r0 20:%r2 21:%r2 22:%r2 23:%r2
        6      24:%r0 25:%r0 26:%r0 27:%r0 24:%r2 25:%r2 26:%r2 27:%r2
        7      28:%r0 29:%r0 30:%r0 31:%r0 28:%r2 29:%r2 30:%r2 31:%r2
        8       0:%r1  1:%r1  2:%r1  3:%r1  0:%r3  1:%r3  2:%r3  3:%r3
        9       4:%r1  5:%r1  6:%r1  7:%r1  4:%r3  5:%r3  6:%r3  7:%r3
        10      8:%r1  9:%r1 10:%r1 11:%r1  8:%r3  9:%r3 10:%r3 11:%r3
        11     12:%r1 13:%r1 14:%r1 15:%r1 12:%r3 13:%r3 14:%r3 15:%r3
        12     16:%r1 17:%r1 18:%r1 19:%r1 16:%r3 17:%r3 18:%r3 19:%r3
        13     20:%r1 21:%r1 22:%r1 23:%r1 20:%r3 21:%r3 22:%r3 23:%r3
        14     24:%r1 25:%r1 26:%r1 27:%r1 24:%r3 25:%r3 26:%r3 27:%r3
        15     28:%r1 29:%r1 30:%r1 31:%r1 28:%r3 29:%r3 30:%r3 31:%r3
        ```"#]],
    );
    check(
        "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {|%r1}, [%r2];",
        expect![[r#"
        **`%r1`** is register 0 of 8 x 8 matrices, one below the other. `lane:register` of each element:

        ```text
        row         0      1      2      3      4      5      6      7
        0       0:%r1  0:%r1  1:%r1  1:%r1  2:%r1  2:%r1  3:%r1  3:%r1
        1       4:%r1  4:%r1  5:%r1  5:%r1  6:%r1  6:%r1  7:%r1  7:%r1
        2       8:%r1  8:%r1  9:%r1  9:%r1 10:%r1 10:%r1 11:%r1 11:%r1
        3      12:%r1 12:%r1 13:%r1 13:%r1 14:%r1 14:%r1 15:%r1 15:%r1
        4      16:%r1 16:%r1 17:%r1 17:%r1 18:%r1 18:%r1 19:%r1 19:%r1
        5      20:%r1 20:%r1 21:%r1 21:%r1 22:%r1 22:%r1 23:%r1 23:%r1
        6      24:%r1 24:%r1 25:%r1 25:%r1 26:%r1 26:%r1 27:%r1 27:%r1
        7      28:%r1 28:%r1 29:%r1 29:%r1 30:%r1 30:%r1 31:%r1 31:%r1
        ```"#]],
    );
}
