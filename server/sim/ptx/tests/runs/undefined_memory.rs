//! Undefined values that are copied through local memory, in parts, and through calls.

use crate::common::watched::{findings, findings_of_text};
use expect_test::{Expect, expect};

/// Findings of a body in which `%rd3` is the generic address of 32 bytes of local memory.
fn with_stack(body: &str) -> String {
    findings(
        "sm_90",
        1,
        32,
        &format!(
            ".local .align 8 .b8 stack[32];\nmov.u64 %rd3, stack;\ncvta.local.u64 %rd3, %rd3;\n{body}\nret;"
        ),
    )
}

#[track_caller]
fn check(body: &str, expected: Expect) {
    expected.assert_eq(&with_stack(body));
}

#[track_caller]
fn clean(body: &str) {
    assert_eq!(with_stack(body), "");
}

#[test]
fn a_copy_of_unwritten_local_memory() {
    clean("ld.u64 %rd4, [%rd3];\nst.u64 [%rd3+8], %rd4;");
    clean("st.u8 [%rd3+4], %h2;");
    clean("st.v2.u32 [%rd3+8], {%r5, %r6};");
    check(
        "ld.u64 %rd4, [%rd3];\nst.u64 [%rd3+8], %rd4;\nld.u32 %r5, [%rd3+8];\nst.global.u32 [%rd2], %r5;",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: ld.u64 %rd4, [%rd3];
              Uninitialized read: `stack[0]` (local), before the thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
    check(
        "st.u32 [%rd3], %r5;\nld.local.u32 %r6, [stack];\nst.global.u32 [%rd2], %r6;",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: st.u32 [%rd3], %r5;
              Uninitialized read: `%r5` in lanes 0-31, before it is written
              the value is stored; write it on every path to this statement
              the value is stored here: st.global.u32 [%rd2], %r6;
        "#]],
    );
}

/// A part of a copied value is padding only with a defined part beside it.
#[test]
fn the_unwritten_part_of_a_word() {
    let upper = |shift: u32| {
        format!(
            "mov.b16 %h1, 3;\nst.u16 [%rd3], %h1;\nld.u32 %r5, [%rd3];\nshr.u32 %r5, %r5, {shift};\nst.global.u32 [%rd2], %r5;"
        )
    };
    for shift in [16, 24] {
        let found = with_stack(&upper(shift));
        assert!(found.contains("warning uninitialized-read"), "{shift} {found}");
    }
    clean(&upper(8));
}

#[test]
fn a_zero_factor_leaves_nothing_of_the_other() {
    let stored = |computed: &str| format!("{computed}\nst.global.u32 [%rd2], %r6;");
    // `%r5` was never written.
    for right in [
        "mul.lo.u32 %r6, %r5, 0;",
        "mad.lo.u32 %r6, %r5, 0, 7;",
        "mul.wide.u32 %rd4, %r5, 0;\ncvt.u32.u64 %r6, %rd4;",
        "dp4a.u32.u32 %r6, %r5, 0, 7;",
    ] {
        clean(&stored(right));
    }
    // Three bytes of the word were never written.
    let byte = |computed: &str| stored(&format!("st.u8 [%rd3], 1;\nld.u32 %r5, [%rd3];\n{computed}"));
    for (right, wrong) in [
        ("dp4a.u32.u32 %r6, %r5, 1, 0;", "dp4a.u32.u32 %r6, %r5, 0x100, 0;"),
        ("dp2a.lo.u32.u32 %r6, 0, %r5, 7;", "dp2a.lo.u32.u32 %r6, %r5, 0x100, 7;"),
        ("dp2a.hi.u32.u32 %r6, %r5, 0xffff, 0;", "dp2a.hi.u32.u32 %r6, %r5, 0x10000, 0;"),
    ] {
        clean(&byte(right));
        let found = with_stack(&byte(wrong));
        assert!(found.contains("warning uninitialized-read"), "{wrong} {found}");
    }
    for wrong in ["mul.lo.u32 %r6, %r5, 2;", "mad.lo.u32 %r6, %r7, 0, %r5;", "dp4a.u32.u32 %r6, %r5, 1, 0;"] {
        let found = with_stack(&stored(wrong));
        assert!(found.contains("warning uninitialized-read"), "{wrong} {found}");
    }
}

#[test]
fn other_threads_see_generic_stores() {
    check(
        "st.u32 [%rd2], %r5;",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: st.u32 [%rd2], %r5;
              Uninitialized read: `%r5` in lanes 0-31, before it is written
              the value is stored; write it on every path to this statement
        "#]],
    );
    check(
        "cvt.u64.u32 %rd4, %r3;\ncvta.shared.u64 %rd4, %rd4;\nst.u32 [%rd4], %r5;",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: st.u32 [%rd4], %r5;
              Uninitialized read: `%r5` in lanes 0-31, before it is written
              the value is stored; write it on every path to this statement
        "#]],
    );
    // Half of the lanes store to local memory.
    check(
        "setp.lt.u32 %p1, %r1, 16;\nselp.b64 %rd4, %rd3, %rd2, %p1;\nst.u32 [%rd4], %r5;",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffff0000: st.u32 [%rd4], %r5;
              Uninitialized read: `%r5` in lanes 16-31, before it is written
              the value is stored; write it on every path to this statement
        "#]],
    );
}

/// Copies a structure of a word and a byte, including its padding.
const PADDED: &str = "st.u32 [%rd3], 7;\nst.u8 [%rd3+4], 1;\nld.u64 %rd4, [%rd3];\nmov.b64 %rd5, %rd4;\nst.u64 [%rd3+8], %rd5;\n";

#[test]
fn a_copy_of_a_structure_with_padding() {
    clean(&format!("{PADDED}ld.u32 %r5, [%rd3+8];\nst.global.u32 [%rd2], %r5;"));
    clean(&format!("{PADDED}ld.u8 %r5, [%rd3+12];\nst.global.u32 [%rd2], %r5;"));
    clean(&format!("{PADDED}cvt.u32.u64 %r5, %rd5;\nst.global.u32 [%rd2], %r5;"));
    clean(&format!("{PADDED}shr.u64 %rd6, %rd5, 32;\ncvt.u8.u64 %h1, %rd6;\nst.global.u8 [%rd2], %h1;"));
    clean(&format!(
        "{PADDED}mov.b64 {{%r5, %r6}}, %rd5;\nand.b32 %r6, %r6, 0xff;\nst.global.u32 [%rd2], %r6;"
    ));
    clean(&format!(
        "{PADDED}mov.b64 {{%r5, %r6}}, %rd5;\nbfe.u32 %r6, %r6, 0, 8;\nst.global.u32 [%rd2], %r6;"
    ));
    clean(&format!(
        "{PADDED}mov.b64 {{%r5, %r6}}, %rd5;\nprmt.b32 %r6, %r6, 0, 0x4440;\nst.global.u32 [%rd2], %r6;"
    ));
    clean(&format!("{PADDED}ld.v2.u32 {{%r5, %r6}}, [%rd3+8];\nst.global.u32 [%rd2], %r5;"));
    clean(&format!(
        "{PADDED}mov.b64 {{%r5, %r6}}, %rd5;\nshfl.sync.bfly.b32 %r6, %r6, 1, 31, -1;\nand.b32 %r6, %r6, 0xff;\n\
         st.global.u32 [%rd2], %r6;"
    ));
    clean(&format!("{PADDED}shr.u64 %rd6, %rd5, 32;\ncvt.u32.u64 %r6, %rd6;\nst.global.u32 [%rd2], %r6;"));
    // A kernel may copy the structure to global memory as it is.
    clean(&format!("{PADDED}mul.wide.u32 %rd6, %r1, 8;\nadd.u64 %rd6, %rd1, %rd6;\nst.u64 [%rd6], %rd5;"));
    check(
        &format!("{PADDED}ld.u8 %r5, [%rd3+13];\nst.global.u32 [%rd2], %r5;"),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: ld.u64 %rd4, [%rd3];
              Uninitialized read: `stack[0]` (local), before the thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
    check(
        &format!("{PADDED}shr.u64 %rd6, %rd5, 48;\nst.global.u16 [%rd2], %rd6;"),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: ld.u64 %rd4, [%rd3];
              Uninitialized read: `stack[0]` (local), before the thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u16 [%rd2], %rd6;
        "#]],
    );
    check(
        &format!("{PADDED}ld.s16 %r5, [%rd3+12];\nshr.s32 %r5, %r5, 16;\nst.global.u32 [%rd2], %r5;"),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: ld.u64 %rd4, [%rd3];
              Uninitialized read: `stack[0]` (local), before the thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
    check(
        &format!("{PADDED}shr.u64 %rd6, %rd5, 40;\ncvt.u32.u8 %r6, %rd6;\nst.global.u32 [%rd2], %r6;"),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: ld.u64 %rd4, [%rd3];
              Uninitialized read: `stack[0]` (local), before the thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u32 [%rd2], %r6;
        "#]],
    );
    check(
        &format!("{PADDED}add.u64 %rd6, %rd5, 1;\nst.u64 [%rd1], %rd6;"),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: ld.u64 %rd4, [%rd3];
              Uninitialized read: `stack[0]` (local), before the thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.u64 [%rd1], %rd6;
        "#]],
    );
}

#[test]
fn a_ballot_with_undefined_predicates() {
    let ballot = "setp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u32 %r5, 1;\nsetp.eq.u32 %p2, %r5, 1;\nvote.sync.ballot.b32 %r6, %p2, -1;\n";
    clean(&format!("{ballot}and.b32 %r6, %r6, 0xffff;\npopc.b32 %r6, %r6;\nst.global.u32 [%rd2], %r6;"));
    clean(&format!("{ballot}bfe.u32 %r6, %r6, 15, 1;\nst.global.u32 [%rd2], %r6;"));
    check(
        &format!("{ballot}bfe.u32 %r6, %r6, 16, 1;\nst.global.u32 [%rd2], %r6;"),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffff0000: setp.eq.u32 %p2, %r5, 1;
              Uninitialized read: `%r5` in lanes 16-31, before it is written
              the value is stored; write it on every path to this statement
              the value is stored here: st.global.u32 [%rd2], %r6;
              other lanes receive the value here: vote.sync.ballot.b32 %r6, %p2, -1;
        "#]],
    );
    check(
        &format!("{ballot}popc.b32 %r6, %r6;\nst.global.u32 [%rd2], %r6;"),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffff0000: setp.eq.u32 %p2, %r5, 1;
              Uninitialized read: `%r5` in lanes 16-31, before it is written
              the value is stored; write it on every path to this statement
              the value is stored here: st.global.u32 [%rd2], %r6;
              other lanes receive the value here: vote.sync.ballot.b32 %r6, %p2, -1;
        "#]],
    );
}

/// A kernel that passes eight bytes through `f`; the code `written` writes some of them before.
fn through_a_call(written: &str, used: &str) -> String {
    findings_of_text(&format!(
        ".version 8.5\n.target sm_90\n.address_size 64\n\
         .func (.param .align 8 .b8 r[8]) f(.param .align 8 .b8 a[8])\n{{\n.reg .b64 %a;\n\
         ld.param.b64 %a, [a];\nst.param.b64 [r], %a;\nret;\n}}\n\
         .func (.reg .u32 %r) g(.reg .u32 %a)\n{{\nmov.u32 %r, %a;\nret;\n}}\n\
         .visible .entry k(.param .u64 out)\n{{\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\n\
         .param .align 8 .b8 a[8];\n.param .align 8 .b8 b[8];\nld.param.u64 %rd1, [out];\n{written}\n\
         call (b), f, (a);\nld.param.u32 %r2, [b];\nld.param.u32 %r3, [b+4];\n\
         call (%r4), g, (%r2);\ncall (%r5), g, (%r3);\nst.global.u32 [%rd1], {used};\nret;\n}}\n"
    ))
}

#[test]
fn arguments_and_results_of_calls() {
    assert_eq!(through_a_call("st.param.b32 [a], 7;", "%r4"), "");
    assert_eq!(through_a_call("st.param.b32 [a], 7;", "%r1"), through_a_call("", "%r1"));
    expect![[r#"
        warning uninitialized-read warp 0 lanes ffffffff: ld.param.b64 %a, [a];
          Uninitialized read: `a` (local), before the thread writes it
          the value is stored; initialize it first, and synchronize with the threads that do
          the value is stored here: st.global.u32 [%rd1], %r5;
    "#]]
    .assert_eq(&through_a_call("st.param.b32 [a], 7;", "%r5"));
    expect![[r#"
        warning uninitialized-read warp 0 lanes ffffffff: st.param.b64 [a], %rd2;
          Uninitialized read: `%rd2` in lanes 0-31, before it is written
          the value is stored; write it on every path to this statement
          the value is stored here: st.global.u32 [%rd1], %r5;
    "#]]
    .assert_eq(&through_a_call("st.param.b64 [a], %rd2;", "%r5"));
}
