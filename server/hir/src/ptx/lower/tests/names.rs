//! Name resolution.

use std::fmt::Write;

use expect_test::{Expect, expect};

use super::lower;
use crate::ptx::{Function, NameRef, Resolution, Role, SymbolKind};

/// Checks every name: a marker under it, its role and its meaning.
fn check_names(text: &str, expect: Expect) {
    let function = lower(text);
    let mut out = String::new();
    let mut start = 0;
    for line in text.lines() {
        writeln!(out, "{line}").unwrap();
        let here = |name: &NameRef<'_>| (start..start + line.len()).contains(&name.range.start().into());
        for name in function.names().filter(here) {
            let column = usize::from(name.range.start()) - start;
            let marker = "^".repeat(name.range.len().into());
            let role = format!("{:?}", name.role).to_lowercase();
            writeln!(out, "{:column$}{marker} {role} {}", "", meaning(text, &function, name)).unwrap();
        }
        start += line.len() + 1;
    }
    expect.assert_eq(&out);
}

fn meaning(text: &str, function: &Function, name: NameRef<'_>) -> String {
    let is_spelled = !matches!(name.role, Role::Declaration | Role::Implied);
    let spelled = text[name.range].replace("r01", "r1");
    assert!(!is_spelled || spelled == *function.referent_text(name.referent));
    let declared = |symbol| {
        let symbol = function.symbol(symbol);
        let line = text[..symbol.range.start().into()].matches('\n').count();
        format!("{} of line {line}", what(&symbol.kind))
    };
    match name.resolution {
        Resolution::Symbol(symbol) => declared(symbol),
        Resolution::Indexed { symbol, index } => format!("{index} of {}", declared(symbol)),
        Resolution::Special(_) => "special".into(),
        Resolution::External(_) => "outside".into(),
    }
}

fn what(kind: &SymbolKind) -> &'static str {
    match kind {
        SymbolKind::Register { .. } => "register",
        SymbolKind::RegisterRange { .. } => "registers",
        SymbolKind::Variable(_) => "variable",
        SymbolKind::Param { .. } => "param",
        SymbolKind::Label { .. } => "label",
        SymbolKind::Table { .. } => "table",
        SymbolKind::Prototype(_) => "prototype",
    }
}

#[test]
fn names_of_a_kernel() {
    check_names(
        "\
.visible .entry saxpy(
  .param .u32 n)
{
  .reg .pred %p<2>;
  .reg .b32 %r<5>;
  .shared .f32 tile[64];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x;
  setp.ge.u32 %p1, %r2, %r1;
@%p1 bra done;
  st.shared.u32 [tile+4], %r2;
  ld.global.u32 %r3, [table];
done:
  ret;
}
",
        expect![[r#"
            .visible .entry saxpy(
                            ^^^^^ declaration outside
              .param .u32 n)
                          ^ declaration param of line 1
            {
              .reg .pred %p<2>;
                         ^^ declaration registers of line 3
              .reg .b32 %r<5>;
                        ^^ declaration registers of line 4
              .shared .f32 tile[64];
                           ^^^^ declaration variable of line 5
              ld.param.u32 %r1, [n];
                           ^^^ write 1 of registers of line 4
                                 ^ read param of line 1
              mov.u32 %r2, %tid.x;
                      ^^^ write 2 of registers of line 4
                           ^^^^ read special
              setp.ge.u32 %p1, %r2, %r1;
                          ^^^ write 1 of registers of line 3
                               ^^^ read 2 of registers of line 4
                                    ^^^ read 1 of registers of line 4
            @%p1 bra done;
             ^^^ read 1 of registers of line 3
                     ^^^^ target label of line 12
              st.shared.u32 [tile+4], %r2;
                             ^^^^ write variable of line 5
                                      ^^^ read 2 of registers of line 4
              ld.global.u32 %r3, [table];
                            ^^^ write 3 of registers of line 4
                                  ^^^^^ read outside
            done:
            ^^^^ declaration label of line 12
              ret;
            }
        "#]],
    );
}

#[test]
fn a_register_that_was_found_is_found_again_after_others_of_its_name() {
    check_names(
        "\
.func f {
  .reg .b32 r<3>;
  mov.b32 r1, r1;
  {
    mov.b32 r1, r1;
    .reg .b32 r1;
    mov.b32 r1, r1;
    { .reg .b32 r<2>; mov.b32 r1, r1; mov.b32 r2, r2; }
    mov.b32 r1, r1;
  }
  mov.b32 r1, r1;
}
",
        expect![[r#"
            .func f {
                  ^ declaration outside
              .reg .b32 r<3>;
                        ^ declaration registers of line 1
              mov.b32 r1, r1;
                      ^^ write 1 of registers of line 1
                          ^^ read 1 of registers of line 1
              {
                mov.b32 r1, r1;
                        ^^ write 1 of registers of line 1
                            ^^ read 1 of registers of line 1
                .reg .b32 r1;
                          ^^ declaration register of line 5
                mov.b32 r1, r1;
                        ^^ write register of line 5
                            ^^ read register of line 5
                { .reg .b32 r<2>; mov.b32 r1, r1; mov.b32 r2, r2; }
                            ^ declaration registers of line 7
                                          ^^ write 1 of registers of line 7
                                              ^^ read 1 of registers of line 7
                                                          ^^ write 2 of registers of line 1
                                                              ^^ read 2 of registers of line 1
                mov.b32 r1, r1;
                        ^^ write register of line 5
                            ^^ read register of line 5
              }
              mov.b32 r1, r1;
                      ^^ write 1 of registers of line 1
                          ^^ read 1 of registers of line 1
            }
        "#]],
    );
}

#[test]
fn inner_scopes_shadow_and_end() {
    check_names(
        "\
.func f(.param .b32 a) {
  .reg .b32 r<3>, r1x;
  {
    .reg .b32 r1, a;
    mov.b32 r1, a;
    { .reg .b64 r<9>; mov.b64 r1, r8; }
    mov.b32 r2, r3;
  }
  mov.b32 r1, r8;
  mov.b32 r1x, r01;
}
",
        expect![[r#"
            .func f(.param .b32 a) {
                  ^ declaration outside
                                ^ declaration param of line 0
              .reg .b32 r<3>, r1x;
                        ^ declaration registers of line 1
                              ^^^ declaration register of line 1
              {
                .reg .b32 r1, a;
                          ^^ declaration register of line 3
                              ^ declaration register of line 3
                mov.b32 r1, a;
                        ^^ write register of line 3
                            ^ read register of line 3
                { .reg .b64 r<9>; mov.b64 r1, r8; }
                            ^ declaration registers of line 5
                                          ^^ write 1 of registers of line 5
                                              ^^ read 8 of registers of line 5
                mov.b32 r2, r3;
                        ^^ write 2 of registers of line 1
                            ^^ read outside
              }
              mov.b32 r1, r8;
                      ^^ write 1 of registers of line 1
                          ^^ read outside
              mov.b32 r1x, r01;
                      ^^^ write register of line 1
                           ^^^ read 1 of registers of line 1
            }
        "#]],
    );
}

#[test]
fn labels_belong_to_their_block_and_may_come_later() {
    check_names(
        "\
.func f() {
  bra after;
  { bra inner; bra after; inner: }
  bra inner;
after:
  { after: bra after; }
  { bra after; after: }
}
",
        expect![[r#"
            .func f() {
                  ^ declaration outside
              bra after;
                  ^^^^^ target label of line 4
              { bra inner; bra after; inner: }
                    ^^^^^ target label of line 2
                               ^^^^^ target label of line 4
                                      ^^^^^ declaration label of line 2
              bra inner;
                  ^^^^^ target outside
            after:
            ^^^^^ declaration label of line 4
              { after: bra after; }
                ^^^^^ declaration label of line 5
                           ^^^^^ target label of line 5
              { bra after; after: }
                    ^^^^^ target label of line 4
                           ^^^^^ declaration label of line 6
            }
        "#]],
    );
}

#[test]
fn tables_prototypes_and_calls() {
    check_names(
        "\
.func (.reg .b32 q) f(.reg .b32 i, .reg .b64 p) {
  T: .branchtargets A, B, L<2>;
  brx.idx i, T;
  A: call (q), g, (i);
  B: P: .callprototype (.reg .b32 _) _ (.reg .b32 _);
  call (q), p, (i), P;
  L0: call g;
  brx.idx i, U;
  U: .branchtargets A;
  C: .calltargets f, g;
  .loc 1 2 3, function_name $info, inlined_at 1 1 1
}
",
        expect![[r#"
            .func (.reg .b32 q) f(.reg .b32 i, .reg .b64 p) {
                             ^ declaration register of line 0
                                ^ declaration outside
                                            ^ declaration register of line 0
                                                         ^ declaration register of line 0
              T: .branchtargets A, B, L<2>;
              ^ declaration table of line 1
                                ^ target label of line 3
                                   ^ target label of line 4
                                      ^^ implied label of line 6
                                      ^^ implied outside
              brx.idx i, T;
                      ^ read register of line 0
                         ^ read table of line 1
              A: call (q), g, (i);
              ^ declaration label of line 3
                       ^ write register of line 0
                           ^ call outside
                               ^ read register of line 0
              B: P: .callprototype (.reg .b32 _) _ (.reg .b32 _);
              ^ declaration label of line 4
                 ^ declaration prototype of line 4
              call (q), p, (i), P;
                    ^ write register of line 0
                        ^ read register of line 0
                            ^ read register of line 0
                                ^ read prototype of line 4
              L0: call g;
              ^^ declaration label of line 6
                       ^ call outside
              brx.idx i, U;
                      ^ read register of line 0
                         ^ read outside
              U: .branchtargets A;
              ^ declaration table of line 8
                                ^ target label of line 3
              C: .calltargets f, g;
              ^ declaration table of line 9
                              ^ call outside
                                 ^ call outside
              .loc 1 2 3, function_name $info, inlined_at 1 1 1
                                        ^^^^^ debug outside
            }
        "#]],
    );
}

#[test]
fn what_is_written() {
    check_names(
        "\
.func f() { .reg .b32 r<9>; .reg .pred p<3>; .shared .b32 s;
  @!p1 setp.eq.and.s32 p1|p2, r1, r2, !p0;
  mov.b64 {r1, r2}, r3;
  st.shared.v2.b32 [s], {r1, r2};
  atom.shared.add.u32 r1, [s], r2;
  ld.v2.b32 {r1, _}, [r2+4];
  foo.bar r1, r2;
}
",
        expect![[r#"
            .func f() { .reg .b32 r<9>; .reg .pred p<3>; .shared .b32 s;
                  ^ declaration outside
                                  ^ declaration registers of line 0
                                                   ^ declaration registers of line 0
                                                                      ^ declaration variable of line 0
              @!p1 setp.eq.and.s32 p1|p2, r1, r2, !p0;
                ^^ read 1 of registers of line 0
                                   ^^ write 1 of registers of line 0
                                      ^^ write 2 of registers of line 0
                                          ^^ read 1 of registers of line 0
                                              ^^ read 2 of registers of line 0
                                                   ^^ read 0 of registers of line 0
              mov.b64 {r1, r2}, r3;
                       ^^ write 1 of registers of line 0
                           ^^ write 2 of registers of line 0
                                ^^ read 3 of registers of line 0
              st.shared.v2.b32 [s], {r1, r2};
                                ^ write variable of line 0
                                     ^^ read 1 of registers of line 0
                                         ^^ read 2 of registers of line 0
              atom.shared.add.u32 r1, [s], r2;
                                  ^^ write 1 of registers of line 0
                                       ^ readwrite variable of line 0
                                           ^^ read 2 of registers of line 0
              ld.v2.b32 {r1, _}, [r2+4];
                         ^^ write 1 of registers of line 0
                                  ^^ read 2 of registers of line 0
              foo.bar r1, r2;
                      ^^ read 1 of registers of line 0
                          ^^ read 2 of registers of line 0
            }
        "#]],
    );
}
