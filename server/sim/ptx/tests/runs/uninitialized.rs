//! Uninitialized reads that must be reported, and reads that must not.

use crate::common::watched::findings;
use expect_test::{Expect, expect};

fn check(body: &str, expected: Expect) {
    expected.assert_eq(&findings("sm_90", 1, 32, body));
}

#[track_caller]
fn clean(body: &str) {
    assert_eq!(findings("sm_90", 1, 32, body), "");
}

#[test]
fn a_register_that_some_lanes_do_not_write() {
    let body = |else_side: &str| {
        format!(
            "
                setp.lt.u32 %p1, %r1, 8;
                @%p1 mov.u32 %r5, 1;
                {else_side}
                add.u32 %r6, %r5, 1;
                st.global.u32 [%rd2], %r6;
                ret;
            "
        )
    };
    check(
        &body(""),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffff00: add.u32 %r6, %r5, 1;
              Uninitialized read: `%r5` in lanes 8-31, before it is written
              the value is stored; write it on every path to this statement
              the value is stored here: st.global.u32 [%rd2], %r6;
        "#]],
    );
    clean(&body("@!%p1 mov.u32 %r5, 2;"));
}

/// The declaration has no type, and a copy has none either: the stores of the program tell what an element is.
#[test]
fn the_element_that_a_copy_or_a_matrix_reads() {
    let element = |body: &str| {
        let found = findings("sm_90", 1, 32, body);
        found.lines().find(|line| line.contains("Uninitialized")).unwrap_or_default().trim().to_owned()
    };
    let bulk = "fence.proxy.async;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 0;\n\
        @%p1 cp.async.bulk.global.shared::cta.bulk_group [%rd1], [tile], 256;\n@%p1 cp.async.bulk.commit_group;\n\
        @%p1 cp.async.bulk.wait_group 0;\nret;";
    let sum = bulk
        .replace("cp.async.bulk.global", "cp.reduce.async.bulk.global")
        .replace("bulk_group [", "bulk_group.add.u32 [");
    let half = "mul.lo.u32 %r5, %r1, 2;\nadd.u32 %r5, %r4, %r5;\nst.shared.u16 [%r5], %h1;\n";
    let matrix = "mul.lo.u32 %r6, %r1, 16;\nadd.u32 %r6, %r4, %r6;\n\
        ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r7, %r8, %r9, %r10}, [%r6];\nst.global.u32 [%rd2], %r10;\nret;";
    let message =
        |object: &str| format!("Uninitialized read: {object} (shared), before any thread writes it");
    for (body, object) in [
        (format!("st.shared.u32 [%r3], %r1;\n{bulk}"), "`tile[32]`"),
        (format!("st.shared.u32 [%r3], %r1;\n{sum}"), "`tile[32]`"),
        (format!("mov.u16 %h1, 1;\n{half}{bulk}"), "`tile[32]`"),
        (
            format!(
                "setp.eq.u32 %p1, %r1, 0;\n@%p1 cp.async.ca.shared.global [%r4], [%rd1], 16;\ncp.async.wait_all;\n{bulk}"
            ),
            "`tile` + 16 bytes",
        ),
        (format!("st.shared.u32 [%r3], %r1;\nbar.sync 0;\n{matrix}"), "`tile[64]`"),
    ] {
        assert_eq!(element(&body), message(object), "{body}");
    }
}

#[test]
fn the_carry_flag() {
    let body = |second: &str| {
        format!(
            "
                add.cc.u32 %r6, %r5, 1;
                {second}
                addc.cc.u32 %r6, %r1, %r1;
                addc.u32 %r7, %r1, 0;
                st.global.u32 [%rd2], %r7;
                ret;
            "
        )
    };
    check(
        &body(""),
        expect![[r#"
        warning uninitialized-read warp 0 lanes ffffffff: add.cc.u32 %r6, %r5, 1;
          Uninitialized read: `%r5` in lanes 0-31, before it is written
          the value is stored; write it on every path to this statement
          the value is stored here: st.global.u32 [%rd2], %r7;
    "#]],
    );
    clean(&body("add.cc.u32 %r6, %r1, %r1;"));
}

#[test]
fn an_address_a_guard_and_a_branch() {
    check(
        "cvt.u64.u32 %rd3, %r5;\nadd.u64 %rd3, %rd3, %rd1;\nst.global.u32 [%rd3], 1;\nret;",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: cvt.u64.u32 %rd3, %r5;
              Uninitialized read: `%r5` in lanes 0-31, before it is written
              the value is used as an address; write it on every path to this statement
              the value is used as an address here: st.global.u32 [%rd3], 1;
        "#]],
    );
    check(
        "@%p1 mov.u32 %r5, 1;\nret;",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: @%p1 mov.u32 %r5, 1;
              Uninitialized read: `%p1` in lanes 0-31, before it is written
              the value controls a predicate; write it on every path to this statement
        "#]],
    );
    check(
        "setp.eq.u32 %p1, %r5, 1;\n@%p1 bra DONE;\nmov.u32 %r6, 1;\nDONE:\nret;",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: setp.eq.u32 %p1, %r5, 1;
              Uninitialized read: `%r5` in lanes 0-31, before it is written
              the value controls a predicate; write it on every path to this statement
              the value controls a predicate here: @%p1 bra DONE;
        "#]],
    );
}

#[test]
fn unused_values_may_be_undefined() {
    clean("mov.u32 %r6, %r5;\nadd.u32 %r7, %r6, 1;\nret;");
    clean("mov.b32 %r6, {%h1, %h2};\nret;");
    clean(
        "cvt.u16.u32 %h1, %r1;\nmov.b32 %r6, {%h1, %h2};\nmov.b32 {%h3, %h4}, %r6;\nst.global.u16 [%rd2], %h3;\nret;",
    );
    clean("setp.eq.u32 %p1, %r1, %r1;\nselp.u32 %r6, %r1, %r5, %p1;\nst.global.u32 [%rd2], %r6;\nret;");
    clean("xor.b32 %r5, %r5, %r5;\nst.global.u32 [%rd2], %r5;\nret;");
    clean("bfi.b32 %r6, %r1, %r5, 0, 32;\nst.global.u32 [%rd2], %r6;\nret;");
}

#[test]
fn a_loop_that_writes_in_its_first_iteration() {
    clean(
        "
            mov.u32 %r6, 0;
            NEXT:
            setp.eq.u32 %p1, %r6, 0;
            @%p1 mov.u32 %r5, 7;
            add.u32 %r5, %r5, 1;
            add.u32 %r6, %r6, 1;
            setp.lt.u32 %p2, %r6, 3;
            @%p2 bra NEXT;
            st.global.u32 [%rd2], %r5;
            ret;
        ",
    );
}

#[test]
fn uninitialized_shared_memory() {
    check(
        "ld.shared.u32 %r5, [%r3];\nadd.u32 %r5, %r5, 1;\nst.global.u32 [%rd2], %r5;\nret;",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: ld.shared.u32 %r5, [%r3];
              Uninitialized read: `tile[0]` (shared), before any thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
    clean("ld.shared.u32 %r5, [%r3];\nret;");
    clean("st.shared.u32 [%r3], 0;\nld.shared.u32 %r5, [%r3];\nst.global.u32 [%rd2], %r5;\nret;");
    check(
        "setp.lt.u32 %p1, %r1, 16;\n@%p1 st.shared.u32 [%r3], 0;\nld.shared.u32 %r5, [%r3];\nst.global.u32 [%rd2], %r5;\nret;",
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffff0000: ld.shared.u32 %r5, [%r3];
              Uninitialized read: `tile[16]` (shared), before any thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
}

#[test]
fn uninitialized_local_memory() {
    let body = |store: &str| {
        format!(
            "
                .local .b32 stack[4];
                setp.lt.u32 %p1, %r1, 8;
                {store}
                ld.local.u32 %r5, [stack+4];
                st.global.u32 [%rd2], %r5;
                ret;
            "
        )
    };
    clean(&body("st.local.u32 [stack+4], 1;"));
    check(
        &body("@%p1 st.local.u32 [stack+4], 1;"),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffff00: ld.local.u32 %r5, [stack+4];
              Uninitialized read: `stack[1]` (local), before the thread writes it
              the value is stored; initialize it first, and synchronize with the threads that do
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
    // An undefined value stays undefined when it passes through memory.
    check(
        &body("st.local.u32 [stack+4], %r7;"),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffffff: st.local.u32 [stack+4], %r7;
              Uninitialized read: `%r7` in lanes 0-31, before it is written
              the value is stored; write it on every path to this statement
              the value is stored here: st.global.u32 [%rd2], %r5;
        "#]],
    );
}

#[test]
fn calls_receive_their_arguments() {
    let text = "
        .version 8.5
        .target sm_90
        .address_size 64
        .func (.param .u32 r) f(.param .u32 a)
        {
            .reg .u32 %a;
            ld.param.u32 %a, [a];
            add.u32 %a, %a, 1;
            st.param.u32 [r], %a;
            ret;
        }
        .func (.reg .u32 %r) g(.reg .u32 %a)
        {
            add.u32 %r, %a, 1;
            ret;
        }
        .visible .entry k(.param .u64 out)
        {
            .reg .u32 %r<9>;
            .reg .u64 %rd<4>;
            .param .u32 a;
            .param .u32 b;
            ld.param.u64 %rd1, [out];
            mov.u32 %r1, %tid.x;
            mul.wide.u32 %rd2, %r1, 4;
            add.u64 %rd1, %rd1, %rd2;
            st.param.u32 [a], %r1;
            call (b), f, (a);
            ld.param.u32 %r2, [b];
            call (%r3), g, (%r2);
            st.global.u32 [%rd1], %r3;
            ret;
        }
    ";
    let (_, _, result) = crate::common::watched::watched(text, 1, 32);
    assert_eq!(result.findings, []);
}

#[test]
fn a_division_by_zero() {
    check(
        "sub.u32 %r5, %r1, 3;\ndiv.u32 %r6, 7, %r5;\nst.global.u32 [%rd2], %r6;\nret;",
        expect![[r#"
            warning division-by-zero warp 0 lanes 00000008: div.u32 %r6, 7, %r5;
              Division by zero: in lane 3
              the result is unspecified (all ones in the simulator); it is stored. Guard the division, or do not use its result
              the value is stored here: st.global.u32 [%rd2], %r6;
        "#]],
    );
    check(
        "
            sub.u32 %r5, %r1, 3;
            cvt.s64.s32 %rd4, %r5;
            rem.s64 %rd5, 7, %rd4;
            setp.eq.s64 %p1, %rd5, 1;
            @%p1 st.global.u32 [%rd2], 1;
            ret;
        ",
        expect![[r#"
            warning division-by-zero warp 0 lanes 00000008: rem.s64 %rd5, 7, %rd4;
              Division by zero: in lane 3
              the result is unspecified (all ones in the simulator); it controls a predicate. Guard the division, or do not use its result
              the value controls a predicate here: @%p1 st.global.u32 [%rd2], 1;
        "#]],
    );
    // The result is unused, or another value is selected.
    check(
        "sub.u32 %r5, %r1, 3;\ndiv.u32 %r6, 7, %r5;\nadd.u32 %r6, %r6, 1;\nret;",
        expect![[r#"
            information division-by-zero warp 0 lanes 00000008: div.u32 %r6, 7, %r5;
              Division by zero: in lane 3
              the result is unspecified (all ones in the simulator); guard the division
        "#]],
    );
    check(
        "
            sub.u32 %r5, %r1, 3;
            div.u32 %r6, 7, %r5;
            setp.eq.u32 %p1, %r5, 0;
            selp.u32 %r6, %r1, %r6, %p1;
            st.global.u32 [%rd2], %r6;
            ret;
        ",
        expect![[r#"
            information division-by-zero warp 0 lanes 00000008: div.u32 %r6, 7, %r5;
              Division by zero: in lane 3
              the result is unspecified (all ones in the simulator); guard the division
        "#]],
    );
    clean("add.u32 %r5, %r1, 3;\nrem.s32 %r6, 7, %r5;\nst.global.u32 [%rd2], %r6;\nret;");
}

#[test]
fn only_defined_bits_hide_undefined_ones() {
    let load = "ld.shared.u32 %r5, [%r3];";
    let stored = |operation: &str| format!("{load}\n{operation}\nst.global.u32 [%rd2], %r6;\nret;");
    for operation in [
        "xor.b32 %r6, %r5, %r1;",
        "or.b32 %r6, %r5, %r1;",
        "and.b32 %r6, %r5, 255;",
        "lop3.b32 %r6, %r5, %r1, 1, 0x96;",
        "and.b32 %r6, %r5, 255;\nor.b32 %r6, %r6, 15;",
    ] {
        let found = findings("sm_90", 1, 32, &stored(operation));
        assert!(found.contains("warning uninitialized-read"), "{operation} {found}");
    }
    for operation in [
        "and.b32 %r6, %r5, 0;",
        "or.b32 %r6, %r5, 0xffffffff;",
        "and.b32 %r6, %r5, 0xff;\nor.b32 %r6, %r6, 0xff;",
        "and.b32 %r7, %r5, 0xff00;\nxor.b32 %r6, %r7, %r1;\nand.b32 %r6, %r6, 0xff;",
        "lop3.b32 %r6, %r5, 0, %r1, 0xea;",
    ] {
        clean(&stored(operation));
    }
    let vector = |value: &str| format!("{load}\n{value}\nst.global.v2.u32 [%rd1], {{%r1, %r6}};\nret;");
    for value in ["mov.u32 %r6, %r5;", "xor.b32 %r6, %r5, %r1;", ""] {
        let found = findings("sm_90", 1, 1, &vector(value));
        assert!(found.contains("warning uninitialized-read"), "{value} {found}");
    }
    // A structure is copied with its padding.
    clean(
        "st.shared.u32 [%r4], 1;\nbar.warp.sync 0xffffffff;\nld.shared.v2.u32 {%r5, %r6}, [%r4];\n\
         st.global.v2.u32 [%rd1], {%r5, %r6};\nret;",
    );
}

/// `%r5` is undefined, and only the lower half of `%r6` is defined.
fn with_undefined(operation: &str) -> String {
    let body = format!(
        "setp.ne.u32 %p1, %r1, %r1;\nst.shared.u16 [%r3+128], 3;\nld.shared.u32 %r5, [%r3];\nld.shared.u32 %r6, [%r3+128];\n\
         {operation}\nst.global.u32 [%rd2], %r7;\nret;"
    );
    findings("sm_100", 1, 32, &body)
}

#[test]
fn undefined_operands_of_operations_on_bits() {
    for operation in [
        "szext.clamp.u32 %r7, %r5, 8;",
        "szext.clamp.u32 %r7, %r1, %r5;",
        "bmsk.clamp.b32 %r7, %r1, %r5;",
        "vadd.u32.u32.u32 %r7, %r5, %r1;",
        "vabsdiff4.u32.u32.u32 %r7, %r5, %r1, %r1;",
        "slct.u32.s32 %r7, %r1, %r4, %r5;",
        "slct.ftz.u32.f32 %r7, %r5, %r4, 0f80000001;",
        "vadd.u32.u32.u32.add %r7, %r1, %r1, %r5;",
        "vadd.u32.u32.u32 %r7.h0, %r5, %r1, %r1;",
        "vadd.u32.u32.u32 %r7.h0, %r1, %r1, %r5;",
        "prmt.b32 %r7, %r1, %r4, %r5;",
        "prmt.b32 %r7, %r5, %r1, 0x3210;",
        "prmt.b32 %r7, %r5, %r1, 0x3210;\nxor.b32 %r7, %r7, %r1;",
        "shf.r.clamp.b32 %r7, %r1, %r4, %r5;",
        "shf.r.clamp.b32 %r7, %r5, %r1, 8;",
        "bfi.b32 %r7, %r1, %r4, %r5, 3;",
        "bfi.b32 %r7, %r5, %r1, 0, 8;",
        "shr.u32 %r7, %r5, 16;",
        "selp.u32 %r7, %r1, %r5, %p1;",
        "setp.eq.u32 %p2, %r5, 0;\nselp.u32 %r7, 1, 0, %p2;",
        "mov.b64 %rd5, {%r1, %r5};\nst.global.u64 [%rd1+512], %rd5;\nmov.u32 %r7, 0;",
        "mov.b64 %rd5, {%r1, %r5};\nxor.b64 %rd5, %rd5, %rd1;\nst.global.u64 [%rd1+512], %rd5;\nmov.u32 %r7, 0;",
    ] {
        let found = with_undefined(operation);
        assert!(found.contains("warning uninitialized-read"), "{operation} {found}");
    }
    for operation in [
        "shl.b32 %r7, %r5, 32;",
        "prmt.b32 %r7, %r5, %r1, 0x7654;",
        "bfi.b32 %r7, %r1, %r5, 0, 32;",
        "shf.l.wrap.b32 %r7, %r5, %r1, 0;",
        "szext.clamp.u32 %r7, %r6, 16;",
        "vadd.u32.u32.u32 %r7, %r6.h0, %r1;",
        "vadd.u32.u32.u32 %r7, %r1, %r1, %r5;",
        "vadd.u32.u32.u32 %r7.h0, %r1, %r1, %r5;\nand.b32 %r7, %r7, 0xffff;",
        "vadd.u32.u32.u32 %r7.h0, %r5, %r1, %r1;\nshr.u32 %r7, %r7, 16;",
        "slct.ftz.u32.f32 %r7, %r1, %r5, 0f80000001;",
        "slct.u32.f32 %r7, %r5, %r1, 0f80000001;",
        "selp.u32 %r7, %r5, %r1, %p1;",
        "mov.b64 %rd5, {%r1, %r5};\nmov.b64 {%r7, %r8}, %rd5;",
    ] {
        assert_eq!(with_undefined(operation), "", "{operation}");
    }
}

#[test]
fn a_predicate_may_decide_a_comparison() {
    let number = "selp.u32 %r7, 1, 0, %p2;";
    for comparison in ["setp.eq.and.u32 %p2, %r5, 5, %p1;", "setp.eq.or.u32 %p2, %r5, 5, !%p1;"] {
        assert_eq!(with_undefined(&format!("{comparison}\n{number}")), "", "{comparison}");
    }
    assert_eq!(with_undefined("set.eq.and.u32.u32 %r7, %r5, 5, %p1;"), "");
    for comparison in ["setp.eq.and.u32 %p2, %r5, 5, !%p1;", "setp.eq.xor.u32 %p2, %r5, 5, %p1;"] {
        let found = with_undefined(&format!("{comparison}\n{number}"));
        assert!(found.contains("warning uninitialized-read"), "{comparison} {found}");
    }
    // The comparison decides, and not the undefined predicate.
    let other = "setp.eq.u32 %p3, %r5, 0;\nsetp.ne.and.u32 %p2, %r1, %r1, %p3;";
    assert_eq!(with_undefined(&format!("{other}\n{number}")), "");
}

#[test]
fn an_undefined_half_stays_in_its_half() {
    for operation in [
        "add.f16x2 %r7, %r6, %r6;",
        "fma.rn.f16x2 %r7, %r6, %r6, %r6;",
        "add.u16x2 %r7, %r6, %r6;",
        "add.u32 %r7, %r6, 5;",
        "mad.lo.u32 %r7, %r6, %r1, %r6;",
    ] {
        assert_eq!(with_undefined(&format!("{operation}\nand.b32 %r7, %r7, 0xffff;")), "", "{operation}");
        let found = with_undefined(&format!("{operation}\nshr.u32 %r7, %r7, 20;"));
        assert!(found.contains("warning uninitialized-read"), "{operation} {found}");
    }
}

/// Triton packs a lone value with one that it does not use.
#[test]
fn a_number_that_is_packed_with_an_undefined_one() {
    for (pack, bits) in [
        ("cvt.rn.f16x2.f32 %r7, %f1, %f2;", 16),
        ("cvt.rn.bf16x2.f32 %r7, %f1, %f2;", 16),
        ("cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;\ncvt.u32.u16 %r7, %h1;", 8),
        ("cvt.rn.satfinite.e5m2x2.f32 %h1, %f1, %f2;\ncvt.u32.u16 %r7, %h1;", 8),
    ] {
        let body = format!("mov.b32 %f1, %r5;\nmov.f32 %f2, 0f3f800000;\n{pack}");
        let lower = (1 << bits) - 1;
        assert_eq!(with_undefined(&format!("{body}\nand.b32 %r7, %r7, {lower};")), "", "{pack}");
        let found = with_undefined(&format!("{body}\nshr.u32 %r7, %r7, {bits};"));
        assert!(found.contains("warning uninitialized-read"), "{pack} {found}");
    }
}

#[test]
fn a_carry_that_some_lanes_do_not_set() {
    let body = |guard: &str| {
        format!(
            "
                setp.lt.u32 %p1, %r1, 8;
                @%p1 add.cc.u32 %r5, %r1, 0xffffffff;
                {guard} addc.u32 %r6, 0, 0;
                {guard} st.global.u32 [%rd2], %r6;
                ret;
            "
        )
    };
    check(
        &body(""),
        expect![[r#"
            warning uninitialized-read warp 0 lanes ffffff00: addc.u32 %r6, 0, 0;
              Uninitialized read: the carry flag in lanes 8-31
              before an instruction with `.cc` writes it
              the value is stored; execute the instruction with `.cc` in these lanes, too
              the value is stored here: st.global.u32 [%rd2], %r6;
        "#]],
    );
    clean(&body("@%p1"));
    clean(&body("@!%p1 add.cc.u32 %r5, 0, 0;\n"));
}

/// A histogram in shared memory that nobody has set to zero.
#[test]
fn an_atomic_of_shared_memory_that_nobody_has_written() {
    let body = |start: &str, update: &str, used: &str| {
        format!("{start}\n{update}\nbar.sync 0;\nld.shared.u32 %r6, [tile];\n{used}\nret;")
    };
    let store = "st.global.u32 [%rd2], %r6;";
    let zero = "setp.eq.u32 %p1, %r1, 0;\n@%p1 st.shared.u32 [tile], 0;\nbar.sync 0;";
    for update in [
        "red.shared.add.u32 [tile], 1;",
        "atom.shared.add.u32 %r5, [tile], 1;",
        "atom.shared.max.u32 %r5, [tile], %r1;",
        "atom.shared.cas.b32 %r5, [tile], 0, 1;",
    ] {
        let found = findings("sm_90", 1, 32, &body("", update, store));
        assert!(found.contains("Uninitialized read: `tile[0]` (shared)"), "{update}: {found}");
        for (start, used) in [(zero, store), ("", "")] {
            assert_eq!(findings("sm_90", 1, 32, &body(start, update, used)), "", "{update} {used}");
        }
    }
    for update in [
        "atom.shared.exch.b32 %r5, [tile], 1;",
        "red.shared.min.u32 [tile], 0;",
        // The use may be of the bits that they set or clear.
        "atom.shared.and.b32 %r5, [tile], 3;",
        "red.shared.or.b32 [tile], 1;",
    ] {
        assert_eq!(findings("sm_90", 1, 32, &body("", update, store)), "", "{update}");
    }
    expect![[r#"
        warning uninitialized-read warp 0 lanes ffffffff: ld.shared.u32 %r6, [tile];
          Uninitialized read: `tile[0]` (shared), whose value comes from uninitialized memory
          the value is stored; initialize it first, and synchronize with the threads that do
          the value is stored here: st.global.u32 [%rd2], %r6;
    "#]]
    .assert_eq(&findings("sm_90", 1, 32, &body("", "red.shared.add.u32 [tile], 1;", store)));
    expect![[r#"
        warning uninitialized-read warp 0 lanes 00000001: atom.shared.add.u32 %r5, [tile], 1;
          Uninitialized read: `tile[0]` (shared), before any thread writes it
          the value is stored; initialize it first, and synchronize with the threads that do
          the value is stored here: st.global.u32 [%rd2], %r5;
    "#]]
    .assert_eq(&findings(
        "sm_90",
        1,
        1,
        &body("", "atom.shared.add.u32 %r5, [tile], 1;", "st.global.u32 [%rd2], %r5;"),
    ));
}
