use expect_test::{Expect, expect};
use warplens_syntax::ptx::LANGUAGE;

use super::*;
use crate::analysis::AnalysisHost;
use crate::fixture::FILE;

const HEADER: &str = ".version 8.5\n.target sm_80\n.address_size 64\n";

fn found(body: &str) -> (String, Reducible) {
    let text = format!("{HEADER}{body}");
    let mut host = AnalysisHost::new();
    host.open(FILE, LANGUAGE, &text);
    let found = host.snapshot().reducible(FILE, "k").expect("not cancelled").expect("a kernel");
    (text, found)
}

/// Shows each part with its text, and each alternative as its changes to the kernel.
fn check(body: &str, expect: Expect) {
    let (text, found) = found(body);
    let at = |range: TextRange| {
        text[std::ops::Range::<usize>::from(range)].split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let mut lines = Vec::new();
    for range in &found.declarations {
        lines.push(format!("declaration: {}", at(*range)));
    }
    for statement in &found.statements {
        let marks = [(statement.is_dead, " (dead)"), (statement.is_final, " (final)")];
        let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| *mark).collect();
        lines.push(format!("{}{marks}", at(statement.range)));
        for alternative in &statement.alternatives {
            let edits = alternative.edits.iter().filter(|edit| edit.range != statement.range);
            let edits: Vec<String> =
                edits.map(|edit| format!("`{}` to `{}`", at(edit.range), edit.insert)).collect();
            lines.push(format!("    {}: {}", alternative.what, edits.join(", ")));
        }
    }
    for parameter in &found.parameters {
        let used = if parameter.is_used { "used" } else { "unused" };
        lines.push(format!("{used} parameter: {}", at(parameter.range)));
    }
    for edit in &found.unused {
        lines.push(format!("unused: `{}` to `{}`", at(edit.range), edit.insert));
    }
    for range in &found.notes {
        lines.push(format!("note: {}", at(*range)));
    }
    lines.push(format!("undefined: {:?}", found.undefined));
    expect.assert_eq(&(lines.join("\n") + "\n"));
}

#[test]
fn statements_and_declarations() {
    check(
        "\
.global .u32 g;
.func other() { ret; }
.visible .entry k(.param .u64 a, .param .u32 b, .param .u32 c)
{
    .reg .pred %p<9>; // predicates
    .reg .b32 %r<100>, %x, %y;
    .reg .b64 %rd<3>;
    .shared .u32 tile[4];
    ld.param.u64 %rd1, [a];
    ld.param.u32 %r1, [b];
    .loc 1 2 3
    add.u32 %r2, %r1, 1;
    setp.lt.u32 %p1, %r2, %y;
    mul.lo.u32 %r3, %r2, %r1;
    @%p1 xor.b32 %r3, %r3, %r1;
    sub.u32 %r4, %r3, 1;
    { }
LABEL:
    st.global.u32 [%rd1], %r3;
    ret;
}
",
        expect![[r#"
            declaration: .global .u32 g;
            declaration: .func other() { ret; }
            ld.param.u64 %rd1, [a];
            ld.param.u32 %r1, [b];
            add.u32 %r2, %r1, 1;
                %r1 for the result: `%r2` to `%r1`, `%r2` to `%r1`
            setp.lt.u32 %p1, %r2, %y;
            mul.lo.u32 %r3, %r2, %r1;
                %r2 for the result: `%r3` to `%r2`
                %r1 for the result: `%r3` to `%r1`
            @%p1 xor.b32 %r3, %r3, %r1;
                %r1 for the result: `%r3` to `%r1`, `%r3` to `%r1`
                %r2 for the result: `%r3` to `%r2`, `%r3` to `%r2`
                without the guard: `@%p1` to ``
            sub.u32 %r4, %r3, 1; (dead)
                %r3 for the result: 
                %r1 for the result: 
                %r2 for the result: 
            st.global.u32 [%rd1], %r3;
            ret; (final)
            used parameter: .param .u64 a,
            used parameter: .param .u32 b,
            unused parameter: , .param .u32 c
            unused: `%p<9>` to `%p<2>`
            unused: `%r<100>, %x, %y` to `%r<5>, %y`
            unused: `%rd<3>` to `%rd<2>`
            unused: `.shared .u32 tile[4];` to ``
            unused: `{ }` to ``
            unused: `LABEL:` to ``
            note: // predicates
            note: .loc 1 2 3
            undefined: ["%y"]
        "#]],
    );
}

#[test]
fn a_result_is_replaced_up_to_the_next_one() {
    check(
        "\
.visible .entry k(.param .u64 a)
{
    .reg .b32 %r<4>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [a];
    mov.u32 %r1, %tid.x;
    add.u32 %r2, %r1, 1;
    add.u32 %r2, %r2, %r2;
    st.global.u32 [%rd1], %r2;
    ret;
}
",
        expect![[r#"
            ld.param.u64 %rd1, [a];
            mov.u32 %r1, %tid.x;
            add.u32 %r2, %r1, 1;
                %r1 for the result: `%r2` to `%r1`, `%r2` to `%r1`
            add.u32 %r2, %r2, %r2;
                %r1 for the result: `%r2` to `%r1`
            st.global.u32 [%rd1], %r2;
            ret; (final)
            used parameter: .param .u64 a
            unused: `%r<4>` to `%r<3>`
            undefined: []
        "#]],
    );
}

#[test]
fn only_kernels_of_ptx() {
    let mut host = AnalysisHost::new();
    host.open(FILE, LANGUAGE, &format!("{HEADER}.func k() {{ ret; }}"));
    assert_eq!(host.snapshot().reducible(FILE, "k"), Ok(None));
    assert_eq!(host.snapshot().reducible(FILE, ""), Ok(None));
    host.open(FILE, warplens_syntax::wave::LANGUAGE, ".kernel k\n    halt\n.end\n");
    assert_eq!(host.snapshot().reducible(FILE, "k"), Ok(None));
}
