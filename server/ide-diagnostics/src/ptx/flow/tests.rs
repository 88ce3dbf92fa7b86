use expect_test::{Expect, expect};
use warplens_ide::fixture::{FILE, open};

use crate::codes;

const OURS: &[&str] = &[
    codes::UNIFORM_PROMISE,
    codes::DIVERGENT_BARRIER,
    codes::MISSING_RETURN,
    codes::RETURN_IN_NORETURN,
    codes::UNWRITTEN_RESULT,
    codes::UNREACHABLE_CODE,
    codes::UNUSED_LABEL,
    codes::UNUSED_REGISTER,
    codes::UNUSED_VARIABLE,
];

/// The diagnostics about control flow and unused names, with their related places indented below them.
fn check(source: &str, expect: Expect) {
    let (fixture, analysis) = open(source);
    let mut shown = String::new();
    let all = analysis.diagnostics(FILE).unwrap().into_iter();
    for found in all.filter(|found| OURS.contains(&found.code)) {
        let place = fixture.show(found.range);
        shown.push_str(&format!("{place} {:?} {}: {}\n", found.severity, found.code, found.message));
        for related in found.related {
            shown.push_str(&format!("    {} {}\n", fixture.show(related.range), related.message));
        }
    }
    expect.assert_eq(&shown);
}

/// A kernel around some statements.
fn check_body(statements: &str, expect: Expect) {
    let declarations = ".reg .b32 %r<8>; .reg .pred %p<4>;";
    check(&format!(".entry k(.param .u32 size) {{\n{declarations}\n{statements}\n}}\n"), expect);
}

const LANE: &str = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n";

#[test]
fn promises() {
    check_body(
        &format!("{LANE}@%p1 bra.uni L;\nL: ret;"),
        expect![[r#"
            5:`.uni` Warning uniform-promise: `.uni` asserts that this branch is uniform, but `%p1` may differ between the lanes of a warp (`%p1` ← `setp` ← `%r1` ← `%tid.x`); write `bra` without `.uni`
                4:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
        "#]],
    );
    check_body(
        &format!("{LANE}T: .branchtargets A, B;\nbrx.idx.uni %r1, T;\nA: ret;\nB: ret;"),
        expect![[r#"
            6:`.uni` Warning uniform-promise: `.uni` asserts that this branch is uniform, but `%r1` may differ between the lanes of a warp (`%r1` ← `%tid.x`); write `brx` without `.uni`
                3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
        "#]],
    );
    check_body(
        &format!("{LANE}@%p1 ret.uni;\nret;"),
        expect![[r#"
            5:`.uni` Warning uniform-promise: `.uni` asserts that this branch is uniform, but `%p1` may differ between the lanes of a warp (`%p1` ← `setp` ← `%r1` ← `%tid.x`); write `ret` without `.uni`
                4:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
        "#]],
    );
    // Whole warps, memory, other conditions.
    check_body(
        "mov.u32 %r1, %tid.x; shr.u32 %r1, %r1, 5; setp.eq.u32 %p1, %r1, 0; @%p1 bra.uni L;\nL: ld.global.u32 %r2, [%r3]; setp.eq.u32 %p1, %r2, 0; @%p1 bra.uni M;\nM: ld.param.u32 %r2, [size]; setp.eq.u32 %p1, %r2, 0; @%p1 bra.uni N;\nN: bra.uni O;\nO: ret;",
        expect![[r#""#]],
    );
}

#[test]
fn barriers() {
    check_body(
        &format!("{LANE}@%p1 bra L;\nbar.sync 0;\nL: bar.sync 0;\nst.shared.u32 [8], %r1;\nret;"),
        expect![[r#"
            6:`bar` Warning divergent-barrier: only some lanes of the warp may arrive at this `bar.sync`: they diverge at a branch before it (`%p1` ← `setp` ← `%r1` ← `%tid.x`) and have not reconverged; move it after the reconvergence point, since all lanes of a warp must arrive together
                5:`@%p1 bra L;` lanes diverge at this branch
                4:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
        "#]],
    );
    check_body(
        &format!("{LANE}@%p1 bar.sync 0;\nbarrier.sync.aligned 1;\nret;"),
        expect![[r#"
            5:`bar` Warning divergent-barrier: only some lanes of the warp may arrive at this `bar.sync`: its guard `%p1` may differ between lanes (`%p1` ← `setp` ← `%r1` ← `%tid.x`); all lanes of a warp must arrive together
                4:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
        "#]],
    );
    check_body(
        "mov.u32 %r1, %tid.x;\nTOP: add.u32 %r1, %r1, 64;\nbar.sync 0;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra TOP;\nst.shared.u32 [8], %r1;\nret;",
        expect![[r#"
            5:`bar` Warning divergent-barrier: only some lanes of the warp may arrive at this `bar.sync`: they diverge at a branch before it (`%p1` ← `setp` ← `%r1` ← `add` ← `%r1` ← `%tid.x`) and have not reconverged; move it after the reconvergence point, since all lanes of a warp must arrive together
                7:`@%p1 bra TOP;` lanes diverge at this branch
                6:`setp.lt.u32 %p1, %r1, 1000;` `%p1` is computed here from a value that varies by lane
                4:`add.u32 %r1, %r1, 64;` `%r1` is computed here from a value that varies by lane
                3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
        "#]],
    );
}

#[test]
fn barriers_that_are_fine() {
    // With a count, not aligned, on a side by itself that all take, for lanes that the others have left.
    check_body(&format!("{LANE}@%p1 bra L;\nbar.sync 1, 64;\nbarrier.sync 0;\nL: ret;"), expect![[r#""#]]);
    check_body(
        "ld.param.u32 %r2, [size]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L; bar.sync 0;\nL: ret;",
        expect![[r#""#]],
    );
    check_body(&format!("{LANE}@%p1 exit;\nbar.sync 0;\nret;"), expect![[r#""#]]);
    check_body(&format!("{LANE}@%p1 bra DONE;\nbar.sync 0;\nDONE: ret;"), expect![""]);
    check_body(
        "mov.u32 %r1, %tid.x;\nTOP: add.u32 %r1, %r1, 64;\nbar.sync 0;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra TOP;\nret;",
        expect![[r#""#]],
    );
}

#[test]
fn ends() {
    check_body(
        "mov.u32 %r1, 1;",
        expect![[r#"
            4:`}` Warning missing-return: control reaches the end of the function body; end it with `exit;`
                3:`mov` control continues after this
        "#]],
    );
    check_body(
        "@%p1 ret;",
        expect![[r#"
            4:`}` Warning missing-return: control reaches the end of the function body; end it with `exit;`
                3:`ret` control continues after this
        "#]],
    );
    check_body(
        "bra L;\nL:",
        expect![[r#"
            5:`}` Warning missing-return: control reaches the end of the function body; end it with `exit;`
                3:`bra` control continues after this
        "#]],
    );
    check_body("", expect![[r#""#]]);
    check(
        ".func stop() .noreturn { trap; }\n.func f() { call stop; }\n.func g() .noreturn { .reg .pred p; @p ret; exit; }\n",
        expect![[r#"
            3:`ret` Warning return-in-noreturn: a `.noreturn` function must not return: its callers rely on that; end it with `exit;` or `trap;`, or remove `.noreturn`
                3:`.noreturn` declared here
        "#]],
    );
}

#[test]
fn code_that_nothing_reaches() {
    check_body(
        "bra L;\nmov.u32 %r1, 1;\nmov.u32 %r1, 2;\nM: bra M;\nL: trap;\nret;",
        expect![[r#"
            4:`mov.u32 %r1, 1;
            mov.u32 %r1, 2;
            M: bra M;` Hint unreachable-code: unreachable code: control does not continue after `bra`, and no reachable branch jumps here
                3:`bra` control does not continue after this `bra`
            8:`ret;` Hint unreachable-code: unreachable code: control does not continue after `trap`, and no reachable branch jumps here
                7:`trap` control does not continue after this `trap`
        "#]],
    );
    // Unknown while a branch has an undeclared target.
    check_body("bra NOWHERE;\nmov.u32 %r1, 1;", expect![""]);
}

#[test]
fn names_that_nothing_uses() {
    check_body(
        ".reg .b32 a, b;\n.local .b32 c;\n.shared .b32 d;\nP: .callprototype _ ();\nT: .branchtargets L;\nL: mov.u32 b, d;\nM: ret;",
        expect![[r#"
            3:`a` Hint unused-register: unused register `a`; remove it
            4:`c` Hint unused-variable: unused variable `c`; remove it
            6:`P` Hint unused-label: unused prototype `P`; remove it
            7:`T` Hint unused-label: unused table `T`; remove it
            9:`M` Hint unused-label: unused label `M`; remove it
        "#]],
    );
    check(
        ".entry k() {\n.local .b32 depot;\nLfunc_begin0: ret;\nLtmp1:\nLtmp2:\n}\n.section .debug_info { .b64 Lfunc_begin0\n.b64 Ltmp1-depot\n}\n",
        expect![""],
    );
}

#[test]
fn what_is_known_while_a_statement_does_not_parse() {
    check_body(
        ".reg .b32 %only, %never;\nadd.s32 %r1, %only %r2;\nbra L;\nmov.b32 %r1, 0;\nL: ret;",
        expect![[r#"
            3:`%never` Hint unused-register: unused register `%never`; remove it
            6:`mov.b32 %r1, 0;` Hint unreachable-code: unreachable code: control does not continue after `bra`, and no reachable branch jumps here
                5:`bra` control does not continue after this `bra`
        "#]],
    );
    check_body(
        "add.s32 %r1, %r2, %r3\nret;\nmov.b32 %r1, 0;",
        expect![[r#"
            5:`mov.b32 %r1, 0;` Hint unreachable-code: unreachable code: control does not continue after `ret`, and no reachable branch jumps here
                4:`ret` control does not continue after this `ret`
        "#]],
    );
    // A branch that does not parse may go anywhere.
    check_body("ret;\nmov.b32 %r1, 0;\n@%p1 bra L M;\nL: ret;", expect![""]);
}

/// A function with a result, its statements, and the line of the `ret` that is reported.
fn check_result(statements: &str, expect: Expect) {
    let declarations = ".reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .pred %p<4>;";
    check(
        &format!(
            ".func stop() .noreturn {{ trap; }}\n.func (.param .b32 r) g();\n.func (.param .b32 r) f() {{\n{declarations}\n{statements}\n}}\n"
        ),
        expect,
    );
}

#[test]
fn results_that_are_not_written() {
    check_result(
        "ret;",
        expect![[r#"
        5:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
            3:`r` the result
    "#]],
    );
    check_result(
        "@%p1 bra L;\nst.param.b32 [r], %r1;\nL: ret;",
        expect![[r#"
        7:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
            3:`r` the result
    "#]],
    );
    check_result(
        "@%p1 ret;\nst.param.b32 [r+0], %r1;\nret;",
        expect![[r#"
        5:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
            3:`r` the result
    "#]],
    );
    check_result(
        "@%p1 bra A;\n@%p2 bra B;\nst.param.b32 [r], 1;\nret;\nA: st.param.b32 [r], 2;\nret;\nB: ret;",
        expect![[r#"
            11:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                3:`r` the result
        "#]],
    );
    check_result(
        "L: @%p1 bra DONE;\nst.param.b32 [r], 1;\nbra L;\nDONE: ret;",
        expect![[r#"
        8:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
            3:`r` the result
    "#]],
    );
    check(
        ".func (.reg .b32 %a, .reg .b32 %b) f() {\nmov.b32 %a, 1;\nret;\n}\n",
        expect![[r#"
        3:`ret` Warning unwritten-result: the result `%b` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
            1:`%b` the result
    "#]],
    );
}

#[test]
fn results_that_are_written() {
    let nothing = || expect![[""]];
    for statements in [
        "st.param.b32 [r], %r1;\nret;",
        // By a call, through an address.
        "call (r), g, ();\nret;",
        "mov.b64 %rd1, r;\nst.param.b32 [%rd1], %r1;\nret;",
        // Paths that do not return.
        "@%p1 bra L;\nst.param.b32 [r], %r1;\nret;\nL: trap;",
        "@%p1 bra L;\nst.param.b32 [r], %r1;\nret;\nL: exit;",
        "@%p1 bra L;\nst.param.b32 [r], %r1;\nret;\nL: call stop;",
        "L: bra L;",
        // Guards that are mutually exclusive.
        "@%p1 st.param.b32 [r], 1;\n@!%p1 st.param.b32 [r], 2;\nret;",
        "@%p1 bra A;\nst.param.b32 [r], 1;\nA: @!%p1 bra B;\nst.param.b32 [r], 2;\nB: ret;",
        "@%p1 bra A;\nbra B;\nA: st.param.b32 [r], 1;\nB: @!%p1 trap;\nret;",
    ] {
        check_result(statements, nothing());
    }
    // The predicate changes between the two.
    check_result(
        "@%p1 bra A;\nst.param.b32 [r], 1;\nA: setp.eq.u32 %p1, %r1, 0;\n@!%p1 bra B;\nst.param.b32 [r], 2;\nB: ret;",
        expect![[r#"
            10:`ret` Warning unwritten-result: the result `r` is not written on a path to this `ret`, so the caller reads an undefined value; write it before
                3:`r` the result
        "#]],
    );
    check(".func (.reg .b32 %a) f() {\nmov.b32 %a, 1;\nadd.u32 %a, %a, 1;\nret;\n}\n", nothing());
    check(".func (.param .b32 r) f();\n", nothing());
}
