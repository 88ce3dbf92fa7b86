//! The problems of a function.

use std::fmt::Write;

use expect_test::{Expect, expect};

use super::lower;

/// Checks the problems, each with a marker under its text.
fn check_problems(text: &str, expect: Expect) {
    let function = lower(text);
    let mut out = String::new();
    let mut start = 0;
    for line in text.lines() {
        writeln!(out, "{line}").unwrap();
        let line_range = start..start + line.len();
        for problem in function.problems() {
            let at = usize::from(problem.range.start());
            if line_range.contains(&at) {
                let marker = "^".repeat(problem.range.len().into());
                writeln!(out, "{:column$}{marker} {:?}", "", problem.kind, column = at - start).unwrap();
            }
        }
        start += line.len() + 1;
    }
    expect.assert_eq(&out);
}

#[test]
fn duplicates_in_one_scope() {
    check_problems(
        "\
.func (.param .b32 a) f(.param .b32 a, .param .b32 b) {
  .reg .b32 a, x, x;
  .reg .b32 r<3>;
  .reg .b64 r<0>;
  .reg .b32 r1, r3;
  .reg .b32 q2;
  .reg .b32 q<3>;
L: L:
x: ret;
  { .reg .b32 a, x; L: }
}
",
        expect![[r#"
            .func (.param .b32 a) f(.param .b32 a, .param .b32 b) {
                                                ^ Duplicate { first: SymbolId(0) }
              .reg .b32 a, x, x;
                        ^ Duplicate { first: SymbolId(0) }
                              ^ Duplicate { first: SymbolId(4) }
              .reg .b32 r<3>;
              .reg .b64 r<0>;
                        ^ Duplicate { first: SymbolId(6) }
              .reg .b32 r1, r3;
                        ^^ Duplicate { first: SymbolId(6) }
              .reg .b32 q2;
              .reg .b32 q<3>;
                        ^ Duplicate { first: SymbolId(10) }
            L: L:
               ^ Duplicate { first: SymbolId(12) }
            x: ret;
            ^ Duplicate { first: SymbolId(4) }
              { .reg .b32 a, x; L: }
            }
        "#]],
    );
}

#[test]
fn declarations_that_make_no_sense() {
    check_problems(
        "\
.func f() {
  .shared .align 3 .b32 a;
  .shared .q32 b;
  .shared .b32 c[n], d[4/0], e[1.5+2];
}
",
        expect![[r#"
            .func f() {
              .shared .align 3 .b32 a;
                             ^ Alignment(3)
              .shared .q32 b;
                      ^^^^ UnknownType(".q32")
              .shared .b32 c[n], d[4/0], e[1.5+2];
                             ^ NameInConstant("n")
                                   ^^^ DivisionByZero
                                           ^^^^^ ConstantTypes
            }
        "#]],
    );
}
