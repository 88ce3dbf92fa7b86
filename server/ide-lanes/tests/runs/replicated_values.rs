//! Values that a compiler keeps in several threads: what they read without using it, and what several of them store.

use expect_test::{Expect, expect};

use crate::findings_of_launch::{findings, kernel};

fn check(launch: &str, body: &str, expected: Expect) {
    let start = ".shared .align 16 .b8 tile[4096];\n.shared .align 8 .b64 bar;\nld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\n\
                 mov.u32 %r1, %tid.x;\nmov.u32 %r9, tile;\n";
    let launch = format!("grid = [1], {launch}");
    let text = kernel("sm_90", &launch, ".param .u64 x, .param .u64 y", &format!("{start}{body}\nret;"));
    expected.assert_eq(&findings(&text));
}

const TWO_WARPS: &str = "block = [64], args = [{ buffer = 'f32', len = 256, fill = 'iota' }, { buffer = 'f32', len = 256, fill = 'zero' }]";
/// Lanes have values that no order of additions makes equal.
const ONE_WARP: &str = "block = [32], args = [{ buffer = 'f32', values = [1e-3, 7.0, 3.3e4, 5e-2, 11.7, 0.3, 9e3, 2.2, \
    1e-3, 7.1, 3.1e4, 5e-2, 1.7, 0.3, 9e3, 2.2, 1e-3, 7.0, 3.3e4, 5e-2, 11.7, 0.1, 9e3, 2.2, 1e-3, 7.0, 3.3e4, 5e-2, 11.7, 0.3, 9e2, 2.7] }, \
    { buffer = 'f32', len = 256, fill = 'zero' }]";

/// The mean of the values of all lanes in `%f1`, whose last bits differ.
const MEAN: &str = "mul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd4, %rd1, %rd3;\nld.global.b32 %r2, [%rd4];\nmov.b32 %f1, %r2;\n\
    shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\nmov.b32 %f2, %r3;\nsub.f32 %f3, %f2, %f1;\nfma.rn.f32 %f4, %f3, 0f3F000000, %f1;\nmov.b32 %r2, %f4;\n\
    shfl.sync.bfly.b32 %r3, %r2, 2, 31, -1;\nmov.b32 %f2, %r3;\nsub.f32 %f3, %f2, %f4;\nfma.rn.f32 %f5, %f3, 0f3F000000, %f4;\nmov.b32 %r2, %f5;\n\
    shfl.sync.bfly.b32 %r3, %r2, 4, 31, -1;\nmov.b32 %f2, %r3;\nsub.f32 %f3, %f2, %f5;\nfma.rn.f32 %f6, %f3, 0f3F000000, %f5;\nmov.b32 %r2, %f6;\n\
    shfl.sync.bfly.b32 %r3, %r2, 8, 31, -1;\nmov.b32 %f2, %r3;\nsub.f32 %f3, %f2, %f6;\nfma.rn.f32 %f7, %f3, 0f3F000000, %f6;\nmov.b32 %r2, %f7;\n";
const LAST: &str = "shfl.sync.bfly.b32 %r3, %r2, 16, 31, -1;\nmov.b32 %f2, %r3;\nsub.f32 %f3, %f2, %f7;\nfma.rn.f32 %f8, %f3, 0f3F000000, %f7;\n";

#[test]
fn reductions_that_differ_by_rounding() {
    check(
        ONE_WARP,
        &format!("{MEAN}{LAST}st.shared.f32 [%r9], %f8;"),
        expect![[r#"
        information[same-value-race] st.shared.f32 [%r9], %f8: Same-value race: tile[0] written by lane 1 and lane 0
    "#]],
    );
    check(
        ONE_WARP,
        &format!("{MEAN}{LAST}mov.b32 %r4, %f8;\nst.shared.b32 [%r9], %r4;"),
        expect![[r#"
        information[same-value-race] st.shared.b32 [%r9], %r4: Same-value race: tile[0] written by lane 1 and lane 0
    "#]],
    );
    check(
        ONE_WARP,
        &format!("{MEAN}{LAST}st.global.v2.f32 [%rd2], {{%f8, %f8}};"),
        expect![[r#"
        information[same-value-race] st.global.v2.f32 [%rd2], {%f8, %f8}: Same-value race: y[0] written by lane 1 and lane 0
    "#]],
    );
    check(
        ONE_WARP,
        &format!("{MEAN}{LAST}cvt.rn.f16.f32 %h1, %f8;\nst.shared.b16 [%r9], %h1;"),
        expect![[""]],
    );
}

#[test]
fn real_races_of_one_store() {
    // The last step of the reduction is missing.
    check(
        ONE_WARP,
        &format!("{MEAN}st.shared.f32 [%r9], %f7;"),
        expect![[r#"
            error[data-race] st.shared.f32 [%r9], %f7: Shared-memory race: tile[0] written by lane 1 and lane 0; the last writer wins
        "#]],
    );
    // Close values, but each lane has its own.
    check(
        ONE_WARP,
        "cvt.rn.f32.u32 %f1, %r1;\nfma.rn.f32 %f2, %f1, 0f33800000, 0f3F800000;\nst.shared.f32 [%r9], %f2;",
        expect![[r#"
            error[data-race] st.shared.f32 [%r9], %f2: Shared-memory race: tile[0] written by lane 2 and lane 1; the last writer wins
        "#]],
    );
    // Integers whose bits are close floats.
    check(
        ONE_WARP,
        "add.u32 %r2, %r1, 0x3f800000;\nshfl.sync.bfly.b32 %r3, %r2, 1, 31, -1;\nst.shared.b32 [%r9], %r3;",
        expect![[r#"
            error[data-race] st.shared.b32 [%r9], %r3: Shared-memory race: tile[0] written by lane 1 and lane 0; the last writer wins
        "#]],
    );
    // Two stores.
    check(
        ONE_WARP,
        &format!(
            "{MEAN}{LAST}setp.lt.u32 %p1, %r1, 16;\n@%p1 st.shared.f32 [%r9], %f8;\n@!%p1 st.shared.f32 [%r9], %f8;"
        ),
        expect![[r#"
            information[same-value-race] st.shared.f32 [%r9], %f8: Same-value race: tile[0] written by lane 1 and lane 0
            error[data-race] st.shared.f32 [%r9], %f8: Shared-memory race: tile[0] written by lane 16 and lane 15
            information[same-value-race] st.shared.f32 [%r9], %f8: Same-value race: tile[0] written by lane 17 and lane 16
        "#]],
    );
}

#[test]
fn reads_that_nobody_uses() {
    // The second warp reads the elements of the first one, and stores nothing.
    let address = "and.b32 %r2, %r1, 31;\nmul.wide.u32 %rd3, %r2, 4;\nadd.u64 %rd4, %rd1, %rd3;\nsetp.lt.u32 %p1, %r1, 32;\n";
    let body = |load: &str, store: &str| format!("{address}{load}{store}");
    check(
        TWO_WARPS,
        &body("ld.global.f32 %f1, [%rd4];\nadd.f32 %f2, %f1, %f1;\n", "@%p1 st.global.f32 [%rd4], %f2;"),
        expect![[""]],
    );
    // A reduction within the warp.
    check(
        TWO_WARPS,
        &body(
            "ld.global.b32 %r3, [%rd4];\nshfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;\nadd.u32 %r5, %r3, %r4;\n",
            "@%p1 st.global.b32 [%rd4], %r5;",
        ),
        expect![[""]],
    );
    // A branch in place of a predicate.
    check(
        TWO_WARPS,
        &body(
            "ld.global.f32 %f1, [%rd4];\nadd.f32 %f2, %f1, %f1;\n",
            "@!%p1 bra DONE;\nst.global.f32 [%rd4], %f2;\nDONE:",
        ),
        expect![[""]],
    );
    // The second warp stores what it read elsewhere: its result depends on the order.
    check(
        TWO_WARPS,
        &body(
            "ld.global.f32 %f1, [%rd4];\nadd.f32 %f2, %f1, %f1;\n",
            "@%p1 st.global.f32 [%rd4], %f2;\nadd.u64 %rd5, %rd2, %rd3;\n@!%p1 st.global.f32 [%rd5], %f2;",
        ),
        expect![[r#"
            error[data-race] ld.global.f32 %f1, [%rd4]: Global-memory race: x[0] read by thread (32,0,0), written by thread (0,0,0)
        "#]],
    );
}

#[test]
fn equal_values_of_two_warps() {
    // `stmatrix` of the same matrices.
    let lanes =
        "and.b32 %r2, %r1, 31;\nand.b32 %r3, %r1, 15;\nshl.b32 %r4, %r3, 4;\nadd.u32 %r6, %r9, %r4;\n";
    check(
        TWO_WARPS,
        &format!("{lanes}stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {{%r2, %r2}};"),
        expect![[""]],
    );
    check(
        TWO_WARPS,
        &format!("{lanes}stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r6], {{%r2, %r2}};"),
        expect![[""]],
    );
    // Of others.
    check(
        TWO_WARPS,
        &format!("{lanes}stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {{%r1, %r1}};"),
        expect![[r#"
            error[data-race] stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {%r1, %r1}: Shared-memory race: tile[0] written by thread (32,0,0) and thread (0,0,0)
        "#]],
    );
    // By two statements.
    check(
        TWO_WARPS,
        &format!(
            "{lanes}setp.lt.u32 %p1, %r1, 32;\n@!%p1 bra SECOND;\nstmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {{%r2, %r2}};\nbra DONE;\n\
             SECOND: stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {{%r2, %r2}};\nDONE:"
        ),
        expect![[r#"
            information[same-value-race] stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r6], {%r2, %r2}: Same-value race: tile[0] written by thread (32,0,0) and thread (0,0,0)
        "#]],
    );
    let words = "and.b32 %r2, %r1, 31;\nshl.b32 %r4, %r2, 4;\nadd.u32 %r6, %r9, %r4;\n";
    check(TWO_WARPS, &format!("{words}st.shared.v4.b32 [%r6], {{%r2, %r2, %r4, %r4}};"), expect![[""]]);
    check(
        TWO_WARPS,
        &format!("{words}st.shared.v4.b32 [%r6], {{%r2, %r2, %r4, %r1}};"),
        expect![[r#"
        error[data-race] st.shared.v4.b32 [%r6], {%r2, %r2, %r4, %r1}: Shared-memory race: tile[3] written by thread (32,0,0) and thread (0,0,0)
    "#]],
    );
}

#[test]
fn equal_copies_of_two_warps() {
    let address = "and.b32 %r2, %r1, 31;\nmul.wide.u32 %rd3, %r2, 16;\nadd.u64 %rd4, %rd1, %rd3;\nshl.b32 %r4, %r2, 4;\nadd.u32 %r6, %r9, %r4;\n";
    check(
        TWO_WARPS,
        &format!("{address}cp.async.ca.shared.global [%r6], [%rd4], 16;\ncp.async.wait_all;"),
        expect![[""]],
    );
    // Each warp copies its own bytes to the same place.
    check(
        TWO_WARPS,
        &format!(
            "{address}mul.wide.u32 %rd3, %r1, 16;\nadd.u64 %rd4, %rd1, %rd3;\ncp.async.ca.shared.global [%r6], [%rd4], 16;\ncp.async.wait_all;"
        ),
        expect![[r#"
            error[data-race] cp.async.ca.shared.global [%r6], [%rd4], 16: Shared-memory race: tile[0] written by thread (32,0,0) and thread (0,0,0)
        "#]],
    );
}
