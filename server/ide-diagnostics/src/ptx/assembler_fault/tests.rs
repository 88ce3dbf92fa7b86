//! Statements of a kernel, then the faults of assemblers that concern them, and the statements after the fix.

use expect_test::{Expect, expect};
use warplens_ide::fixture::{FILE, open};

use crate::codes;

/// The marked statements, and for each the text after its fix.
fn marked(target: &str, statements: &str) -> Vec<(String, String)> {
    let start = "\
.entry k(.param .u64 out) {
.reg .pred %p<4>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<16>;
ld.param.u64 %rd1, [out]; ld.global.u64 %rd2, [%rd1]; ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];
ld.global.u32 %r3, [%rd1+8]; ld.global.u16 %h1, [%rd1]; ld.global.u16 %h2, [%rd1+2]; setp.eq.u32 %p1, %r3, 0;
mov.u64 %rd9, 0;
";
    let head = format!(".version 8.6\n.target {target}\n.address_size 64\n{start}");
    let (fixture, analysis) = open(&format!("{head}{statements}\n    ret;\n}}\n"));
    let mut shown = Vec::new();
    for found in analysis.diagnostics(FILE).unwrap() {
        if found.code != codes::ASSEMBLER_FAULT {
            continue;
        }
        let fix = found.fixes.first();
        let text = fix.map_or_else(|| fixture.text.clone(), |fix| fix.applied(&fixture.text));
        let statements =
            text[head.len()..].trim_end().trim_end_matches('}').trim_end().trim_end_matches("ret;");
        shown.push((
            format!("{}: {}", fixture.show(found.range), found.message),
            statements.trim().to_owned(),
        ));
    }
    shown
}

fn check(statements: &str, expected: Expect) {
    let shown: Vec<_> =
        marked("sm_90", statements).into_iter().map(|(found, after)| format!("{found}\n{after}\n")).collect();
    expected.assert_eq(&shown.concat());
}

/// How many statements are marked.
fn count(target: &str, statements: &str) -> usize {
    marked(target, statements).len()
}

#[test]
fn the_difference_of_shifts() {
    check(
        "shl.b64 %rd3, %rd2, 8;\nshr.u64 %rd4, %rd2, 56;\nsub.u64 %rd5, %rd3, %rd4;",
        expect![[r#"
            11:`sub.u64 %rd5, %rd3, %rd4;`: ptxas 11.8 to 13.2 assembles the difference of these shifts for every target into a rotation, which is the sum of the two shifts and not their difference
            mul.lo.u64 %rd3, %rd2, 256;
            shr.u64 %rd4, %rd2, 56;
            sub.u64 %rd5, %rd3, %rd4;
        "#]],
    );
}

#[test]
fn variants_of_the_difference_of_shifts() {
    for faulty in [
        "shr.u64 %rd4, %rd2, 0x38; add.u32 %r4, %r1, %r2; shl.b64 %rd3, %rd2, 8; sub.s64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 56; sub.u64 %rd5, %rd4, %rd3;",
        "shl.b64 %rd3, %rd2, 63; shr.b64 %rd4, %rd2, 1; sub.u64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.s64 %rd4, %rd2, 56; sub.s64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.s64 %rd4, %rd2, 56; add.s64 %rd5, %rd3, %rd4;",
        "mov.u32 %r4, 8; mov.u32 %r5, 56; shl.b64 %rd3, %rd2, %r4; shr.u64 %rd4, %rd2, %r5; sub.u64 %rd5, %rd3, %rd4;",
        "mov.b64 %rd6, %rd2; shl.b64 %rd3, %rd6, 8; shr.u64 %rd4, %rd2, 56; sub.u64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 56; @%p1 sub.u64 %rd9, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 56; sub.cc.u64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 56; sub.u64 %rd6, 0, %rd4; add.u64 %rd5, %rd3, %rd6;",
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 56; sub.u64 %rd2, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; @%p1 bra L; shr.u64 %rd4, %rd2, 56; sub.u64 %rd5, %rd3, %rd4; L:",
    ] {
        assert_eq!(count("sm_75", faulty), 1, "{faulty}");
        assert_eq!(count("sm_120", faulty), 1, "{faulty}");
    }
}

#[test]
fn statements_like_the_difference_of_shifts() {
    for right in [
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 56; add.u64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 56; xor.b64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 56; or.b64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.s64 %rd4, %rd2, 56; or.b64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 55; sub.u64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 64; shr.u64 %rd4, %rd2, 0; sub.u64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, %r1; shr.u64 %rd4, %rd2, 56; sub.u64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd1, 56; sub.u64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; add.u64 %rd2, %rd2, 1; shr.u64 %rd4, %rd2, 56; sub.u64 %rd5, %rd3, %rd4;",
        "shl.b32 %r4, %r1, 8; shr.u32 %r5, %r1, 24; sub.u32 %r6, %r4, %r5;",
        "mul.lo.u64 %rd3, %rd2, 256; shr.u64 %rd4, %rd2, 56; sub.u64 %rd5, %rd3, %rd4;",
        "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 56; neg.s64 %rd6, %rd4; add.u64 %rd5, %rd3, %rd6;",
    ] {
        assert_eq!(count("sm_90", right), 0, "{right}");
    }
}

#[test]
fn the_largest_absolute_value() {
    check(
        "neg.s32 %r4, %r1;\nmax.s32 %r5, %r1, %r4;\nneg.s32 %r6, %r2;\nmax.s32 %r7, %r2, %r6;\nmax.s32 %r8, %r5, %r7;",
        expect![[r#"
            13:`max.s32 %r8, %r5, %r7;`: ptxas 12.9 to 13.3 assembles this `max` of three values for sm_90, sm_100 and sm_103 into one instruction for three values, `VIMNMX3`, that loses a negation
            sub.u32 %r4, 0, %r1;
            max.s32 %r5, %r1, %r4;
            sub.u32 %r6, 0, %r2;
            max.s32 %r7, %r2, %r6;
            max.s32 %r8, %r5, %r7;
        "#]],
    );
}

#[test]
fn variants_of_the_largest_absolute_value() {
    for faulty in [
        "neg.s32 %r4, %r1; neg.s32 %r6, %r2; max.s32 %r5, %r4, %r1; max.s32 %r7, %r6, %r2; max.s32 %r8, %r7, %r5;",
        "sub.s32 %r4, 0, %r1; max.s32 %r5, %r1, %r4; max.s32 %r8, %r5, %r2;",
        "neg.s32 %r4, %r1; max.s32 %r5, %r2, %r4; max.s32 %r8, %r3, %r5;",
        "neg.s32 %r4, %r1; min.s32 %r5, %r1, %r4; min.s32 %r8, %r5, %r2;",
        "mul.lo.s32 %r4, %r1, -1; max.s32 %r5, %r1, %r4; max.s32 %r8, %r5, %r2;",
        "neg.s16 %h3, %h1; max.s16 %h4, %h1, %h3; max.s16 %h5, %h4, %h2;",
        "neg.s32 %r4, %r1; @%p1 bra L; max.s32 %r5, %r1, %r4; max.s32 %r8, %r5, %r2; L:",
        "mov.b32 %r9, %r1; neg.s32 %r4, %r9; max.s32 %r5, %r1, %r4; abs.s32 %r6, %r2; max.s32 %r8, %r5, %r6;",
    ] {
        for target in ["sm_90", "sm_90a", "sm_100", "sm_100a", "sm_103"] {
            assert_eq!(count(target, faulty), 1, "{target}: {faulty}");
        }
        for target in ["sm_80", "sm_89", "sm_120"] {
            assert_eq!(count(target, faulty), 0, "{target}: {faulty}");
        }
    }
}

#[test]
fn statements_like_the_largest_absolute_value() {
    for right in [
        "abs.s32 %r5, %r1; abs.s32 %r7, %r2; max.s32 %r8, %r5, %r7;",
        "max.s32 %r5, %r1, %r2; max.s32 %r8, %r5, %r3;",
        "neg.s32 %r4, %r1; max.s32 %r5, %r1, %r4; min.s32 %r8, %r5, %r2;",
        "neg.s32 %r4, %r1; max.u32 %r5, %r1, %r4; max.u32 %r8, %r5, %r2;",
        "neg.s32 %r4, %r1; max.s32 %r5, %r1, %r4;",
        "neg.s32 %r4, %r1; max.s32 %r5, %r1, %r4; max.s32 %r8, %r5, %r2; add.u32 %r9, %r5, 1;",
        "neg.s32 %r4, %r1; max.s32 %r5, %r1, %r4; @%p1 bra L; max.s32 %r8, %r5, %r2; L:",
        "sub.u32 %r4, 0, %r1; max.s32 %r5, %r1, %r4; max.s32 %r8, %r5, %r2;",
        "neg.s64 %rd4, %rd1; max.s64 %rd5, %rd1, %rd4; max.s64 %rd8, %rd5, %rd2;",
        "neg.s32 %r4, %r1; min.s32 %r5, %r1, %r4; min.s32 %r8, %r5, 7;",
        "neg.s32 %r4, %r1; max.s32 %r5, 7, %r4; max.s32 %r8, %r5, %r2;",
        "mov.u32 %r9, 7; neg.s32 %r4, %r1; max.s32 %r5, %r1, %r4; max.s32 %r8, %r5, %r9;",
        "mul.lo.s16 %h3, %h1, -1; max.s16 %h4, %h2, %h3; max.s16 %h5, %h4, %h1;",
    ] {
        assert_eq!(count("sm_90", right), 0, "{right}");
    }
}

#[test]
fn a_selection_by_a_negated_number() {
    check(
        "neg.s32 %r4, %r1;\nslct.s32.s32 %r5, %r2, 9, %r4;",
        expect![[r#"
        10:`slct.s32.s32 %r5, %r2, 9, %r4;`: ptxas 12.9 and 13.5 (others were not tried) assembles this `slct` by a negated number for every target into a comparison of the number with 0, which selects the other value if the number is 0x80000000
        neg.s32 %r4, %r1;
        slct.b32.s32 %r5, %r2, 9, %r4;
    "#]],
    );
    // Every way to negate that ptxas was tried with and gets wrong.
    for negation in
        ["sub.s32 %r4, 0, %r1;", "mul.lo.u32 %r4, %r1, 4294967295;", "neg.s32 %r6, %r1; mov.b32 %r4, %r6;"]
    {
        assert_eq!(count("sm_75", &format!("{negation} slct.s32.s32 %r5, %r2, %r3, %r4;")), 1, "{negation}");
    }
}

#[test]
fn a_saturating_conversion_of_a_negated_number() {
    check(
        "neg.s32 %r4, %r1;\ncvt.sat.s8.s32 %r5, %r4;",
        expect![[r#"
        10:`cvt.sat.s8.s32 %r5, %r4;`: ptxas 12.9 and 13.5 (others were not tried) assembles this `cvt` of a negated number for every target into a comparison of the number with the negated limits, which is wrong if the number is the least of its type
        sub.u32 %r4, 0, %r1;
        cvt.sat.s8.s32 %r5, %r4;
    "#]],
    );
    check(
        "neg.s16 %h3, %h1;\ncvt.sat.u8.s16 %r5, %h3;",
        expect![[r#"
        10:`cvt.sat.u8.s16 %r5, %h3;`: ptxas 12.9 and 13.5 (others were not tried) assembles this `cvt` of a negated number for every target into a comparison of the number with the negated limits, which is wrong if the number is the least of its type
        sub.u16 %h3, 0, %h1;
        cvt.sat.u8.s16 %r5, %h3;
    "#]],
    );
    for marked in [
        "mul.lo.u32 %r4, %r1, -1; cvt.sat.u16.s32 %h3, %r4;",
        "sub.s32 %r4, 0, %r1; cvt.sat.u64.s32 %rd3, %r4;",
    ] {
        assert_eq!(count("sm_75", marked), 1, "{marked}");
    }
    for right in [
        "sub.u32 %r4, 0, %r1; cvt.sat.s8.s32 %r5, %r4;",
        "neg.s32 %r4, %r1; cvt.s8.s32 %r5, %r4;",
        "neg.s32 %r4, %r1; neg.s32 %r6, %r4; cvt.sat.s8.s32 %r5, %r6;",
        "neg.s64 %rd3, %rd2; cvt.sat.s8.s64 %r5, %rd3;",
        "neg.s32 %r4, %r1; cvt.sat.s64.s32 %rd3, %r4;",
        "neg.s16 %h3, %h1; cvt.sat.s32.s16 %r5, %h3;",
        "neg.s32 %r4, %r1; cvt.sat.s8.u32 %r5, %r4;",
        "neg.s32 %r4, %r1; cvt.rn.sat.f32.s32 %f1, %r4;",
    ] {
        assert_eq!(count("sm_90", right), 0, "{right}");
    }
}

#[test]
fn statements_like_a_selection_by_a_negated_number() {
    for right in [
        "sub.u32 %r4, 0, %r1; slct.s32.s32 %r5, %r2, %r3, %r4;",
        "sub.sat.s32 %r4, 0, %r1; slct.s32.s32 %r5, %r2, %r3, %r4;",
        "neg.s32 %r4, %r1; slct.u32.s32 %r5, %r2, %r3, %r4;",
        "neg.s32 %r4, %r1; slct.b32.s32 %r5, %r2, %r3, %r4;",
        "neg.s32 %r4, %r1; neg.s32 %r6, %r4; slct.s32.s32 %r5, %r2, %r3, %r6;",
        "neg.s32 %r4, %r1; slct.s32.s32 %r5, %r4, %r3, %r2;",
        "mul.lo.s32 %r4, %r1, -2; slct.s32.s32 %r5, %r2, %r3, %r4;",
        "mov.u32 %r4, 4; @%p1 neg.s32 %r4, %r1; slct.s32.s32 %r5, %r2, %r3, %r4;",
    ] {
        assert_eq!(count("sm_90", right), 0, "{right}");
    }
}

#[test]
fn a_saturating_sum_of_a_sum() {
    check(
        "add.s32 %r4, %r1, 5;\nadd.sat.s32 %r5, %r4, 7;",
        expect![[r#"
            10:`add.sat.s32 %r5, %r4, 7;`: ptxas 12.9 and 13.5 (others were not tried) assembles this saturating sum of a sum for every target into one sum, which saturates where the first sum wraps around
            add.s32 %r4, %r1, 5;
            vadd.s32.s32.s32.sat %r5, %r4, 7;
        "#]],
    );
    check(
        "neg.s32 %r4, %r1;\n@%p1 sub.sat.s32 %r5, %r2, %r4;",
        expect![[r#"
            10:`@%p1 sub.sat.s32 %r5, %r2, %r4;`: ptxas 12.9 (13.5 is right, others were not tried) assembles this saturating sum of a sum for every target into one sum without the term that cancels, or with the number and not its negation, which saturates elsewhere
            neg.s32 %r4, %r1;
            @%p1 vsub.s32.s32.s32.sat %r5, %r2, %r4;
        "#]],
    );
}

#[test]
fn saturating_sums_at_every_target() {
    for faulty in [
        "add.s32 %r4, %r1, 5; add.sat.s32 %r5, %r4, -5;",
        "sub.u32 %r4, %r1, 5; add.sat.s32 %r5, 7, %r4;",
        "sub.s32 %r4, 5, %r1; sub.sat.s32 %r5, %r4, 7;",
        "mov.u32 %r6, 7; add.cc.u32 %r4, %r1, 5; addc.u32 %r7, %r2, 0; add.sat.s32 %r5, %r4, %r6;",
        "add.s32 %r4, %r1, 5; @%p1 bra L; add.sat.s32 %r5, %r4, 7; L:",
        "sub.s32 %r4, %r1, %r2; add.sat.s32 %r5, %r2, %r4;",
        "sub.s32 %r4, %r1, %r2; sub.sat.s32 %r5, %r1, %r4; xor.b32 %r6, %r4, %r5;",
        "add.s32 %r4, %r1, %r2; sub.sat.s32 %r5, %r4, %r2;",
        "add.s32 %r4, %r1, %r2; sub.s32 %r6, %r3, %r2; add.sat.s32 %r5, %r4, %r6;",
        "sub.s32 %r4, %r1, %r3; sub.s32 %r4, %r4, %r2; add.sat.s32 %r5, %r4, %r2;",
        "mul.lo.s32 %r4, %r1, -1; sub.sat.s32 %r5, %r4, %r2;",
    ] {
        for target in ["sm_75", "sm_90", "sm_120"] {
            assert_eq!(count(target, faulty), 1, "{target}: {faulty}");
        }
    }
}

#[test]
fn a_term_that_is_added_twice_saturates_elsewhere_on_sm_120() {
    for faulty in [
        "add.s32 %r4, %r1, %r2; add.sat.s32 %r5, %r4, %r2;",
        "add.u32 %r4, %r1, %r2; add.sat.s32 %r5, %r1, %r4;",
        "sub.s32 %r4, %r1, %r2; sub.sat.s32 %r5, %r4, %r2;",
        "sub.s32 %r4, %r2, %r1; add.sat.s32 %r5, %r4, %r2;",
        "add.s32 %r4, %r1, %r2; mov.u32 %r6, %r2; @%p1 add.sat.s32 %r5, %r4, %r6;",
    ] {
        for (target, expected) in [("sm_90", 0), ("sm_103", 0), ("sm_120", 1)] {
            assert_eq!(count(target, faulty), expected, "{target}: {faulty}");
        }
    }
}

#[test]
fn statements_like_a_saturating_sum_of_a_sum() {
    for right in [
        "add.s32 %r4, %r1, 5; add.s32 %r5, %r4, 7;",
        "add.sat.s32 %r4, %r1, 5; add.sat.s32 %r5, %r4, 7;",
        "add.s32 %r4, %r1, 5; add.sat.s32 %r5, %r4, 0;",
        "add.s32 %r4, %r1, 5; add.sat.s32 %r5, %r4, 7; xor.b32 %r6, %r4, %r5;",
        "add.s32 %r4, %r1, 5; add.s32 %r6, %r2, 7; add.sat.s32 %r5, %r4, %r6;",
        "mov.u32 %r4, %r2; @%p1 add.s32 %r4, %r1, 5; add.sat.s32 %r5, %r4, 7;",
        "add.s32 %r4, %r1, %r2; add.sat.s32 %r5, %r4, %r3;",
        "add.s32 %r4, %r1, %r2; add.sat.s32 %r5, %r4, %r4;",
        "add.s32 %r4, %r1, %r2; add.s32 %r6, %r2, %r3; add.sat.s32 %r5, %r4, %r6;",
        "add.s32 %r4, %r1, %r3; add.s32 %r4, %r4, %r2; add.sat.s32 %r5, %r4, %r2;",
        "sub.s32 %r4, %r1, %r2; add.s32 %r4, %r4, %r3; add.sat.s32 %r5, %r4, %r2;",
        "add.s32 %r4, %r1, %r2; add.sat.s32 %r5, %r4, %r2; xor.b32 %r6, %r4, %r5;",
        "sub.u32 %r4, 0, %r1; add.sat.s32 %r5, %r2, %r4;",
        "neg.s32 %r6, %r1; neg.s32 %r4, %r6; add.sat.s32 %r5, %r4, %r2;",
        "sub.sat.s32 %r5, 0, %r1;",
        "vadd.s32.s32.s32.sat %r5, %r1, 5;",
    ] {
        assert_eq!(count("sm_120", right), 0, "{right}");
    }
}

/// The versions that a message states are those of the statement's form.
#[test]
fn versions_of_forms() {
    let versions = |statements: &str| {
        let (found, _) = marked("sm_90", statements).pop().expect("marked");
        let (_, rest) = found.split_once("ptxas ").expect("a version");
        rest.split_once(" assembles").expect("a version").0.to_owned()
    };
    let shifts = "shl.b64 %rd3, %rd2, 8; shr.u64 %rd4, %rd2, 56;";
    assert_eq!(versions(&format!("{shifts} sub.u64 %rd5, %rd4, %rd3;")), "11.8 to 13.2");
    let tried = "12.9 (13.5 is right, others were not tried)";
    assert_eq!(versions(&format!("{shifts} sub.u64 %rd6, 0, %rd4; add.u64 %rd5, %rd3, %rd6;")), tried);
    assert_eq!(versions("shl.b64 %rd3, %rd2, 8; shr.s64 %rd4, %rd2, 56; sub.s64 %rd5, %rd3, %rd4;"), tried);
    let absolutes = "neg.s32 %r4, %r1; max.s32 %r5, %r1, %r4; neg.s32 %r6, %r2; max.s32 %r7, %r6, %r2;";
    assert_eq!(versions(&format!("{absolutes} max.s32 %r8, %r5, %r7;")), "12.9 to 13.3");
    assert_eq!(versions("neg.s32 %r4, %r1; max.s32 %r5, %r1, %r4; max.s32 %r8, %r5, %r2;"), tried);
    assert_eq!(versions("neg.s16 %h3, %h1; max.s16 %h4, %h1, %h3; max.s16 %h5, %h4, %h2;"), tried);
}

/// A packed sum with a constant, of which one half is used.
#[test]
fn packed_sums() {
    let count =
        |target, statements: &str| marked(target, &format!("mov.b32 %r4, 131073; {statements}")).len();
    for found in [
        "add.s16x2 %r5, %r1, %r4; mov.b32 {%h3, _}, %r5; st.global.u16 [%rd1], %h3;",
        "add.u16x2 %r5, %r4, %r1; mov.b32 {%h4, %h3}, %r5; st.global.u16 [%rd1], %h3;",
        "add.u16x2 %r5, %r1, %r4; cvt.u16.u32 %h3, %r5; st.global.u16 [%rd1], %h3;",
        "add.s16x2 %r5, %r1, %r4; add.s16 %h3, %h4, 1; mov.b32 {%h3, %h4}, %r5; st.global.u16 [%rd1], %h3;",
    ] {
        assert_eq!(count("sm_90", found), 1, "{found}");
        assert_eq!(count("sm_80", found), 0, "{found}");
    }
    for fine in [
        "add.s16x2 %r5, %r1, %r4; mov.b32 {%h3, %h4}, %r5; st.global.v2.u16 [%rd1], {%h3, %h4};",
        "add.s16x2 %r5, %r1, %r4; st.global.u32 [%rd1], %r5;",
        "L: add.s16x2 %r5, %r1, %r4; add.s16 %h3, %h4, 1; mov.b32 {%h3, %h4}, %r5; st.global.u16 [%rd1], %h3; @%p1 bra L;",
        "add.s16x2 %r5, %r1, %r4; and.b32 %r6, %r5, 65535; st.global.u32 [%rd1], %r6;",
        "add.s16x2 %r5, %r1, %r2; mov.b32 {%h3, _}, %r5; st.global.u16 [%rd1], %h3;",
        "min.s16x2 %r5, %r1, %r4; mov.b32 {%h3, _}, %r5; st.global.u16 [%rd1], %h3;",
    ] {
        assert_eq!(count("sm_90", fine), 0, "{fine}");
    }
}

/// The page has a row for each form.
#[test]
fn the_page_lists_the_forms() {
    let page = include_str!("../../../../../docs/diagnostics/assembler-fault.md");
    for fault in super::FAULTS {
        let row = format!("| {} | {} | {} |", fault.form, fault.versions, fault.targets);
        assert!(page.contains(&row), "{row}");
    }
}
