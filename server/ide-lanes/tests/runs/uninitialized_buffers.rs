//! Buffers of a launch that have no values: which reads are findings, and what gives a value.

use expect_test::{Expect, expect};

use crate::findings_of_launch::{findings, kernel};

/// Runs a kernel with the buffers `x` and `y` of 32 words; `x` is described by the keys of the launch, and has its element of the thread at
/// `%rd4`, as `y` at `%rd5`.
fn check(x: &str, body: &str, expected: Expect) {
    let launch = format!(
        "grid = [1], block = [32], args = [{{ name = 'x', buffer = 'u32', {x} }}, {{ name = 'y', buffer = 'u32', len = 64, fill = 'zero' }}]"
    );
    let start = ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 bar;\n\
                 ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\n\
                 add.u64 %rd4, %rd1, %rd3;\nadd.u64 %rd5, %rd2, %rd3;\nmov.u32 %r9, tile;\nshl.b32 %r8, %r1, 2;\nadd.u32 %r10, %r9, %r8;\n\
                 setp.eq.u32 %p1, %r1, 0;\n";
    expected.assert_eq(&findings(&kernel(
        "sm_90",
        &launch,
        ".param .u64 x, .param .u64 y",
        &format!("{start}{body}"),
    )));
}

const WHOLE: &str = "len = 64, fill = 'uninitialized'";
/// The first 16 words have no values.
const HALF: &str = "len = 64, fill = 'iota', uninitialized = [[0, 64]]";

#[test]
fn a_load_whose_value_is_stored() {
    let copy = "ld.global.u32 %r2, [%rd4];\nst.global.u32 [%rd5], %r2;\nret;";
    check(
        WHOLE,
        copy,
        expect![[r#"
        warning[uninitialized-read] ld.global.u32 %r2, [%rd4]: Uninitialized read: `x[0]` (global), before any thread writes it
    "#]],
    );
    check(
        HALF,
        copy,
        expect![[r#"
        warning[uninitialized-read] ld.global.u32 %r2, [%rd4]: Uninitialized read: `x[0]` (global), before any thread writes it
    "#]],
    );
    // The second half has values.
    check(HALF, "ld.global.u32 %r2, [%rd4+64];\nst.global.u32 [%rd5], %r2;\nret;", expect![[""]]);
    check("len = 64", copy, expect![[""]]);
}

#[test]
fn a_load_whose_value_does_not_matter() {
    check(WHOLE, "ld.global.u32 %r2, [%rd4];\nadd.u32 %r2, %r2, 1;\nret;", expect![[""]]);
    check(
        HALF,
        "ld.global.u32 %r2, [%rd4];\nsetp.lt.u32 %p2, %r1, 16;\nselp.u32 %r2, 7, %r2, %p2;\nst.global.u32 [%rd5], %r2;\nret;",
        expect![[""]],
    );
}

#[test]
fn a_store_gives_a_value() {
    check(
        WHOLE,
        "st.global.u32 [%rd4], %r1;\nld.global.u32 %r2, [%rd4];\nst.global.u32 [%rd5], %r2;\nret;",
        expect![[""]],
    );
    // The upper half of each word is still undefined.
    check(
        WHOLE,
        "cvt.u16.u32 %h1, %r1;\nst.global.u16 [%rd4], %h1;\nld.global.u16 %h2, [%rd4];\nld.global.u16 %h3, [%rd4+2];\n\
         st.global.u16 [%rd5], %h2;\nst.global.u16 [%rd5+2], %h3;\nret;",
        expect![[r#"
            warning[uninitialized-read] ld.global.u16 %h3, [%rd4+2]: Uninitialized read: `x[0]` + 2 bytes (global), before any thread writes it
        "#]],
    );
}

#[test]
fn vectors() {
    let load = "shl.b32 %r3, %r1, 3;\ncvt.u64.u32 %rd6, %r3;\nadd.u64 %rd7, %rd1, %rd6;\nld.global.v2.u32 {%r4, %r5}, [%rd7];\n";
    check(
        "len = 64, fill = 'iota', uninitialized = [[4, 8]]",
        &format!("{load}st.global.u32 [%rd5], %r4;\nret;"),
        expect![[""]],
    );
    check(
        "len = 64, fill = 'iota', uninitialized = [[4, 8]]",
        &format!("{load}st.global.u32 [%rd5], %r5;\nret;"),
        expect![[r#"
            warning[uninitialized-read] ld.global.v2.u32 {%r4, %r5}, [%rd7]: Uninitialized read: `x[1]` (global), before any thread writes it
        "#]],
    );
}

#[test]
fn atomics() {
    check(
        WHOLE,
        "red.global.add.u32 [%rd1], 1;\nret;",
        expect![[r#"
        warning[uninitialized-read] red.global.add.u32 [%rd1], 1: Uninitialized read: `x[0]` (global), before any thread writes it
    "#]],
    );
    check(
        WHOLE,
        "@%p1 atom.global.cas.b32 %r2, [%rd1], 0, 1;\nret;",
        expect![[r#"
        warning[uninitialized-read] atom.global.cas.b32 %r2, [%rd1], 0, 1: Uninitialized read: `x[0]` (global), before any thread writes it
    "#]],
    );
    check(
        WHOLE,
        "@%p1 atom.global.exch.b32 %r2, [%rd1], 5;\n@%p1 atom.global.add.u32 %r3, [%rd1], 5;\nret;",
        expect![[""]],
    );
    check(HALF, "@%p1 red.global.add.u32 [%rd1+64], 1;\nret;", expect![[""]]);
}

#[test]
fn asynchronous_copies_pass_bytes_on() {
    let copy =
        "cp.async.ca.shared.global [%r10], [%rd4], 4;\ncp.async.commit_group;\ncp.async.wait_group 0;\n";
    check(WHOLE, &format!("{copy}ret;"), expect![[""]]);
    check(
        WHOLE,
        &format!("{copy}ld.shared.u32 %r2, [%r10];\nst.global.u32 [%rd5], %r2;\nret;"),
        expect![[r#"
            warning[uninitialized-read] ld.shared.u32 %r2, [%r10]: Uninitialized read: `tile[0]` (shared), whose value comes from uninitialized memory
        "#]],
    );
    check(
        WHOLE,
        &format!(
            "{copy}st.shared.u32 [%r10], 1;\nld.shared.u32 %r2, [%r10];\nst.global.u32 [%rd5], %r2;\nret;"
        ),
        expect![[""]],
    );
    // No byte is read.
    check(
        WHOLE,
        "mov.u32 %r3, 0;\ncp.async.ca.shared.global [%r10], [%rd4], 4, %r3;\ncp.async.wait_all;\nld.shared.u32 %r2, [%r10];\n\
         st.global.u32 [%rd5], %r2;\nret;",
        expect![[""]],
    );
}

#[test]
fn bulk_copies_pass_bytes_on() {
    let copy = "mov.u32 %r11, bar;\n@%p1 mbarrier.init.shared.b64 [%r11], 1;\n@%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n\
                @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 128;\n\
                @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd1], 128, [%r11];\n\
                W: mbarrier.try_wait.parity.shared.b64 %p3, [%r11], 0;\n@!%p3 bra W;\n";
    check(HALF, &format!("{copy}ret;"), expect![[""]]);
    check(
        HALF,
        &format!("{copy}ld.shared.u32 %r2, [%r10];\nst.global.u32 [%rd5], %r2;\nret;"),
        expect![[r#"
            warning[uninitialized-read] ld.shared.u32 %r2, [%r10]: Uninitialized read: `tile[0]` (shared), whose value comes from uninitialized memory
        "#]],
    );
    check(
        HALF,
        &format!(
            "{copy}setp.ge.u32 %p4, %r1, 16;\n@%p4 ld.shared.u32 %r2, [%r10];\n@%p4 st.global.u32 [%rd5], %r2;\nret;"
        ),
        expect![[""]],
    );
}

#[test]
fn copies_of_boxes_pass_bytes_on() {
    let text = |load: &str| {
        kernel(
            "sm_90",
            "grid = [1], block = [32], args = [{ name = 'map', tensormap = { buffer = { buffer = 'u32', len = 64, fill = 'iota', \
             uninitialized = [[0, 64]] }, dims = [32], box = [32] } }, { name = 'y', buffer = 'u32', len = 32, fill = 'zero' }]",
            ".param .align 64 .b8 map[128], .param .u64 y",
            &format!(
                ".shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 bar;\nmov.b64 %rd1, map;\ncvta.param.u64 %rd1, %rd1;\nld.param.u64 %rd2, [y];\n\
                 mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd3, %r1, 4;\nadd.u64 %rd5, %rd2, %rd3;\nmov.u32 %r9, tile;\nshl.b32 %r8, %r1, 2;\n\
                 add.u32 %r10, %r9, %r8;\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r11, bar;\n@%p1 mbarrier.init.shared.b64 [%r11], 1;\n\
                 @%p1 fence.mbarrier_init.release.cluster;\nbar.sync 0;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r11], 128;\nmov.u32 %r12, 0;\n\
                 @%p1 cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r9], [%rd1, {{%r12}}], [%r11];\n\
                 W: mbarrier.try_wait.parity.shared.b64 %p3, [%r11], 0;\n@!%p3 bra W;\n{load}\nret;"
            ),
        )
    };
    expect![[r#"
        warning[uninitialized-read] ld.shared.u32 %r2, [%r10]: Uninitialized read: `tile[0]` (shared), whose value comes from uninitialized memory
    "#]].assert_eq(&findings(&text("ld.shared.u32 %r2, [%r10];\nst.global.u32 [%rd5], %r2;")));
    let defined =
        "setp.ge.u32 %p4, %r1, 16;\n@%p4 ld.shared.u32 %r2, [%r10];\n@%p4 st.global.u32 [%rd5], %r2;";
    expect![[""]].assert_eq(&findings(&text(defined)));
}
