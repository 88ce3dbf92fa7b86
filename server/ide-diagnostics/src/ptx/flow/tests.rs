use expect_test::{Expect, expect};
use warplens_ide::fixture::{FILE, open};

use crate::codes;

const OURS: &[&str] = &[
    codes::UNIFORM_PROMISE,
    codes::DIVERGENT_BARRIER,
    codes::MISSING_RETURN,
    codes::RETURN_IN_NORETURN,
    codes::UNWRITTEN_CARRY,
    codes::UNWRITTEN_RESULT,
    codes::UNREACHABLE_CODE,
    codes::UNUSED_LABEL,
    codes::UNUSED_REGISTER,
    codes::UNUSED_VARIABLE,
];

/// The diagnostics about control flow and unused names, with their related places indented below them.
fn found(source: &str) -> String {
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
    shown
}

pub(in crate::ptx) fn check(source: &str, expect: Expect) {
    expect.assert_eq(&found(source));
}

/// What is found in a kernel around some statements.
pub(in crate::ptx) fn found_in_body(statements: &str) -> String {
    let declarations = ".reg .b32 %r<8>; .reg .pred %p<4>;";
    found(&format!(".entry k(.param .u32 size) {{\n{declarations}\n{statements}\n}}\n"))
}

pub(in crate::ptx) fn check_body(statements: &str, expect: Expect) {
    expect.assert_eq(&found_in_body(statements));
}

pub(in crate::ptx) const LANE: &str = "mov.u32 %r1, %tid.x;\nsetp.eq.u32 %p1, %r1, 0;\n";

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
