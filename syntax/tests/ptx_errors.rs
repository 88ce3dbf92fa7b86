//! One mistake, one error, at the mistake: what is said, and where. Every case also holds that the
//! statement after the mistake is a statement of its own.

use expect_test::{Expect, expect};
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{Language, parse_file};

/// The source with each error under its line.
fn render(source: &str) -> String {
    let parse = parse_file(Language::Ptx, source);
    assert_eq!(parse.green().to_string(), source);
    let mut out = String::new();
    let mut start = 0;
    for line in source.split_inclusive('\n') {
        out.push_str(line.trim_end_matches('\n'));
        out.push('\n');
        let end = start + line.len();
        for error in parse.errors() {
            let (from, to) = (usize::from(error.range.start()), usize::from(error.range.end()));
            if (start..end).contains(&from) {
                let length = source[from..to.min(end)].trim_end().chars().count().max(1);
                let column = source[start..from].chars().count();
                out.push_str(&format!("{}{} {}\n", " ".repeat(column), "^".repeat(length), error.message));
            }
        }
        start = end;
    }
    out
}

/// A mistake in a body: exactly one error, and `ret` after it is still an instruction.
fn check(body: &str, expect: Expect) {
    let source = format!(".entry k() {{\n{body}\n  ret;\n}}\n");
    let parse = parse_file(Language::Ptx, &source);
    let rendered = render(&source);
    expect.assert_eq(rendered.trim_start_matches(".entry k() {\n").trim_end_matches("  ret;\n}\n"));
    assert_eq!(parse.errors().len(), 1, "{rendered}");
    let instructions = parse.syntax().descendants().filter_map(ast::Instruction::cast);
    assert!(instructions.map(|it| it.full_name()).any(|name| name == "ret"), "{rendered}");
}

/// A mistake in a module: exactly one error, and the kernel after it is still a kernel.
fn check_module(before: &str, expect: Expect) {
    let source = format!("{before}\n.visible .entry after() {{ ret; }}\n");
    let parse = parse_file(Language::Ptx, &source);
    let rendered = render(&source);
    expect.assert_eq(rendered.trim_end_matches(".visible .entry after() { ret; }\n"));
    assert_eq!(parse.errors().len(), 1, "{rendered}");
    let functions = parse.syntax().descendants().filter_map(ast::Function::cast);
    let names: Vec<_> = functions.filter_map(|it| it.name()).map(|name| name.text()).collect();
    assert!(names.contains(&"after".to_owned()), "{rendered}");
}

#[test]
fn missing_semicolon() {
    check(
        "  add.s32 %r1, %r2, %r3",
        expect![[r#"
              add.s32 %r1, %r2, %r3
                                  ^ missing `;` after this instruction
        "#]],
    );
    check(
        "  add.s32 %r1, %r2, %r3\n  mov.u32 %r4, 5;",
        expect![[r#"
              add.s32 %r1, %r2, %r3
                                  ^ missing `;` after this instruction
              mov.u32 %r4, 5;
        "#]],
    );
    check(
        "  add.s32 %r1, %r2, %r3 mov.u32 %r4, 5;",
        expect![[r#"
              add.s32 %r1, %r2, %r3 mov.u32 %r4, 5;
                                  ^ missing `;` after this instruction
        "#]],
    );
    check(
        "  bar.sync 0 // all\n  @%p1 bra L;",
        expect![[r#"
              bar.sync 0 // all
                       ^ missing `;` after this instruction
              @%p1 bra L;
        "#]],
    );
    check(
        "  exit\nL:",
        expect![[r#"
          exit
             ^ missing `;` after this instruction
        L:
    "#]],
    );
    check(
        "  add.s32 %r1, %r2, 1\n  { exit; }",
        expect![[r#"
              add.s32 %r1, %r2, 1
                                ^ missing `;` after this instruction
              { exit; }
        "#]],
    );
    check(
        "  .reg .u32 %r1\n  mov.u32 %r1, 5;",
        expect![[r#"
              .reg .u32 %r1
                          ^ missing `;` after this declaration
              mov.u32 %r1, 5;
        "#]],
    );
    check(
        "  .pragma \"nounroll\"",
        expect![[r#"
              .pragma "nounroll"
                               ^ missing `;` after this pragma
        "#]],
    );
    check(
        "  call (%r1), f, (%r2)",
        expect![[r#"
              call (%r1), f, (%r2)
                                 ^ missing `;` after this instruction
        "#]],
    );
}

#[test]
fn missing_comma_or_operand() {
    check(
        "  add.s32 %r1 %r2, %r3;",
        expect![[r#"
              add.s32 %r1 %r2, %r3;
                        ^ missing `,` after this operand
        "#]],
    );
    check(
        "  add.s32 %r1, %r2\n    %r3;",
        expect![[r#"
              add.s32 %r1, %r2
                             ^ missing `,` after this operand
                %r3;
        "#]],
    );
    check(
        "  add s32 %r1, %r2, %r3;",
        expect![[r#"
              add s32 %r1, %r2, %r3;
                    ^ missing `.` before `s32`
        "#]],
    );
    check(
        "  add.s32 %r1,, %r2;",
        expect![[r#"
              add.s32 %r1,, %r2;
                          ^ expected an operand before this `,`: remove one `,`, or write what is missing
        "#]],
    );
    check(
        "  add.s32 %r1, %r2,;",
        expect![[r#"
              add.s32 %r1, %r2,;
                              ^ expected an operand after this `,`
        "#]],
    );
    check(
        "  add.s32 %r1, %r2,\n  mov.u32 %r1, 5;",
        expect![[r#"
              add.s32 %r1, %r2,
                              ^ expected an operand after this `,`
              mov.u32 %r1, 5;
        "#]],
    );
    check(
        "  add.s32 , %r1;",
        expect![[r#"
              add.s32 , %r1;
                      ^ expected an operand before this `,`: remove one `,`, or write what is missing
        "#]],
    );
    check(
        "  setp.eq.s32 %p1|, %r1, 2;",
        expect![[r#"
              setp.eq.s32 %p1|, %r1, 2;
                             ^ expected a register or `_` after `|`
        "#]],
    );
    check(
        "  mov.u32 %r1, 3 +;",
        expect![[r#"
              mov.u32 %r1, 3 +;
                             ^ expected a value after this
        "#]],
    );
    check(
        "  mov.u32 %r1, 3 + * 4;",
        expect![[r#"
              mov.u32 %r1, 3 + * 4;
                               ^ unexpected `*`: expected a value
        "#]],
    );
    check(
        "  mov.u32 %r1, 1 ? 2;",
        expect![[r#"
              mov.u32 %r1, 1 ? 2;
                               ^ missing `:` and the other value after `?`
        "#]],
    );
}

#[test]
fn unclosed_operands() {
    check(
        "  ld.global.u32 %r1, [%rd1+4;",
        expect![[r#"
              ld.global.u32 %r1, [%rd1+4;
                                       ^ missing `]` after the address
        "#]],
    );
    check(
        "  ld.global.u32 %r1, [%rd1\n  add.s32 %r1, %r1, 1;",
        expect![[r#"
              ld.global.u32 %r1, [%rd1
                                     ^ missing `]` after the address
              add.s32 %r1, %r1, 1;
        "#]],
    );
    check(
        "  mov.b64 %rd1, {%r1, %r2;",
        expect![[r#"
              mov.b64 %rd1, {%r1, %r2;
                                    ^ missing `}` after the elements
        "#]],
    );
    check(
        "  call (%r1, f, (%r2);",
        expect![[r#"
              call (%r1, f, (%r2);
                                ^ missing `)` after the arguments
        "#]],
    );
    check(
        "  mov.u32 %r1, (3 + 4;",
        expect![[r#"
              mov.u32 %r1, (3 + 4;
                                ^ missing `)` after the arguments
        "#]],
    );
    check(
        "  ld.global.u32 %r1, [];",
        expect![[r#"
              ld.global.u32 %r1, [];
                                 ^ expected an address after `[`
        "#]],
    );
    check(
        "  mov.u32 %r1, %r2];",
        expect![[r#"
              mov.u32 %r1, %r2];
                              ^ unexpected `]`: expected `,` or `;`
        "#]],
    );
    check(
        "  mov.u32 %r1, %r2);",
        expect![[r#"
              mov.u32 %r1, %r2);
                              ^ unexpected `)`: expected `,` or `;`
        "#]],
    );
}

#[test]
fn guards_and_labels() {
    check(
        "  %p1 bra L;",
        expect![[r#"
              %p1 bra L;
              ^^^ a guard starts with `@`
        "#]],
    );
    check(
        "  !%p1 bra L;",
        expect![[r#"
              !%p1 bra L;
              ^ a guard starts with `@`
        "#]],
    );
    check(
        "  @ bra L;",
        expect![[r#"
              @ bra L;
              ^ expected a predicate register after `@`
        "#]],
    );
    check(
        "  @%p1;",
        expect![[r#"
              @%p1;
                 ^ expected an instruction after the guard
        "#]],
    );
    check(
        "  @%p1 L: exit;",
        expect![[r#"
              @%p1 L: exit;
                 ^ the label must stand before the guard
        "#]],
    );
    check(
        "$L_end\n  exit;",
        expect![[r#"
        $L_end
             ^ missing `:` after this label
          exit;
    "#]],
    );
}

#[test]
fn what_starts_no_statement() {
    check(
        "  ;",
        expect![[r#"
              ;
              ^ this `;` ends nothing: remove it
        "#]],
    );
    check(
        "  exit;;",
        expect![[r#"
              exit;;
                   ^ this `;` ends nothing: remove it
        "#]],
    );
    check(
        "  ) exit;",
        expect![[r#"
              ) exit;
              ^ unexpected `)`: expected an instruction, a label or a declaration
        "#]],
    );
    check(
        "  5 exit;",
        expect![[r#"
              5 exit;
              ^ unexpected `5`: expected an instruction, a label or a declaration
        "#]],
    );
    check(
        "  = 5;",
        expect![[r#"
              = 5;
              ^ unexpected `=`: expected an instruction, a label or a declaration
        "#]],
    );
}

#[test]
fn characters_and_literals() {
    check(
        "  mov.u32 %r1, §;",
        expect![[r#"
              mov.u32 %r1, §;
                           ^ this character has no meaning in PTX: remove it
        "#]],
    );
    check(
        "  mov.u32 %r1, 'a';",
        expect![[r#"
              mov.u32 %r1, 'a';
                           ^^^ PTX has no character literals: write the character's number
        "#]],
    );
    check(
        "  mov.u32 \\ %r1, 5;",
        expect![[r#"
              mov.u32 \ %r1, 5;
                      ^ this character has no meaning in PTX: remove it
        "#]],
    );
    check(
        "  mov.u32 %r1, 5u;",
        expect![[r#"
              mov.u32 %r1, 5u;
                           ^^ this is no number: integers are decimal, 0 octal, 0x hexadecimal or 0b binary, with at most a `U` after them
        "#]],
    );
    check(
        "  mov.u32 %r1, 089;",
        expect![[r#"
              mov.u32 %r1, 089;
                           ^^^ this is no number: integers are decimal, 0 octal, 0x hexadecimal or 0b binary, with at most a `U` after them
        "#]],
    );
    check(
        "  mov.u32 %r1, 0xyz;",
        expect![[r#"
              mov.u32 %r1, 0xyz;
                           ^^^^ this is no number: integers are decimal, 0 octal, 0x hexadecimal or 0b binary, with at most a `U` after them
        "#]],
    );
    check(
        "  mov.f32 %f1, 1.5f;",
        expect![[r#"
              mov.f32 %f1, 1.5f;
                           ^^^^ this is no number: a decimal fraction takes no suffix
        "#]],
    );
    check(
        "  mov.f32 %f1, 0f3F80;",
        expect![[r#"
              mov.f32 %f1, 0f3F80;
                           ^^^^^^ a single-precision bit pattern has exactly 8 hexadecimal digits after `0f`
        "#]],
    );
    check(
        "  mov.f32 %f1, -0f3F800000;",
        expect![[r#"
              mov.f32 %f1, -0f3F800000;
                            ^^^^^^^^^^ a bit pattern takes no sign: set its highest bit instead
        "#]],
    );
    check(
        "#define N 5",
        expect![[r##"
        #define N 5
        ^^^^^^^^^^^ PTX has no preprocessor: only line marks (`# 12 "file.cu"`) may start with `#`
    "##]],
    );
}

#[test]
fn comments_and_strings_end_with_their_line() {
    check(
        "  exit; /* no end",
        expect![[r#"
              exit; /* no end
                    ^^^^^^^^^ this comment has no end: close it with `*/`
        "#]],
    );
    check(
        "  add.s32 %r1, /* no end\n  exit;",
        expect![[r#"
              add.s32 %r1, /* no end
                           ^^^^^^^^^ this comment has no end: close it with `*/`
              exit;
        "#]],
    );
    check(
        "  .pragma \"nounroll;\n  exit;",
        expect![[r#"
              .pragma "nounroll;
                      ^^^^^^^^^^ this string has no end: close it with `"` on the same line
              exit;
        "#]],
    );
}

#[test]
fn declarations_in_a_body() {
    check(
        "  .reg %r1;",
        expect![[r#"
              .reg %r1;
                 ^ missing type after this word, such as `.b32`
        "#]],
    );
    check(
        "  .reg .u32;",
        expect![[r#"
              .reg .u32;
                      ^ expected a name to declare
        "#]],
    );
    check(
        "  .reg .u32 %r<5;",
        expect![[r#"
              .reg .u32 %r<5;
                           ^ missing `>` after the number of names
        "#]],
    );
    check(
        "  .reg .u32 %r<>;",
        expect![[r#"
              .reg .u32 %r<>;
                          ^ expected the number of names after `<`
        "#]],
    );
    check(
        "  .reg .u32 .f32 x;",
        expect![[r#"
              .reg .u32 .f32 x;
                        ^^^^ a type stands here already: expected a name
        "#]],
    );
    check(
        "  .shared .b8 .align 4 x[4];",
        expect![[r#"
              .shared .b8 .align 4 x[4];
                          ^^^^^^ `.align` must stand before the type
        "#]],
    );
    check(
        "  .shared .align .b8 x[4];",
        expect![[r#"
              .shared .align .b8 x[4];
                           ^ `.align` takes a number of bytes
        "#]],
    );
    check(
        "  .shared .b8 x[4;",
        expect![[r#"
              .shared .b8 x[4;
                            ^ missing `]` after the size
        "#]],
    );
    check(
        "  .loc 1 2",
        expect![[r#"
              .loc 1 2
                     ^ `.loc` takes a file, a line and a column
        "#]],
    );
    check(
        "  .loc 1 2 3, inlined_at 1 2",
        expect![[r#"
              .loc 1 2 3, inlined_at 1 2
                                       ^ `inlined_at` takes a file, a line and a column
        "#]],
    );
    check(
        "t: .branchtargets a, b",
        expect![[r#"
        t: .branchtargets a, b
                             ^ missing `;` after this table
    "#]],
    );
    check(
        "p: .callprototype (.param .b32 _) (.param .b32 _);",
        expect![[r#"
        p: .callprototype (.param .b32 _) (.param .b32 _);
                                        ^ expected `_` between the results and the parameters
    "#]],
    );
}

#[test]
fn module_directives() {
    check_module(
        ".version",
        expect![[r#"
        .version
               ^ `.version` takes a version such as `8.5`
    "#]],
    );
    check_module(
        ".version 8",
        expect![[r#"
            .version 8
                     ^ a version has two numbers, such as `8.5`
        "#]],
    );
    check_module(
        ".version 8.5;",
        expect![[r#"
        .version 8.5;
                    ^ this `;` ends nothing: the directive before it takes none
    "#]],
    );
    check_module(
        ".target",
        expect![[r#"
        .target
              ^ `.target` takes a target such as `sm_90`
    "#]],
    );
    check_module(
        ".target sm_90,",
        expect![[r#"
        .target sm_90,
                     ^ expected a target or an option after this `,`
    "#]],
    );
    check_module(
        ".address_size",
        expect![[r#"
        .address_size
                    ^ `.address_size` takes 32 or 64
    "#]],
    );
    check_module(
        ".file \"a.cu\"",
        expect![[r#"
            .file "a.cu"
                ^ `.file` takes a number and a name in quotes
        "#]],
    );
    check_module(
        ".section .debug_str {\n.b8 1,\n}",
        expect![[r#"
        .section .debug_str {
        .b8 1,
             ^ expected a number or a name
        }
    "#]],
    );
    check_module(
        ".section .debug_str {\n.b8 1\n",
        expect![[r#"
        .section .debug_str {
        .b8 1
            ^ missing `}`: this section is not closed

    "#]],
    );
    check_module(
        ".alias f;",
        expect![[r#"
        .alias f;
               ^ missing `,` between the alias and the function it stands for
    "#]],
    );
    check_module(
        ".extern .visible .global .u32 x;",
        expect![[r#"
        .extern .visible .global .u32 x;
                ^^^^^^^^ only one linkage word may stand here: remove this one
    "#]],
    );
    check_module(
        ".global .u32 x",
        expect![[r#"
        .global .u32 x
                     ^ missing `;` after this declaration
    "#]],
    );
    check_module(
        ".global .u32 a[2] = {1, 2;",
        expect![[r#"
        .global .u32 a[2] = {1, 2;
                                ^ missing `}` after the values
    "#]],
    );
    check_module(
        ".global .u32 a[2] = {1 2};",
        expect![[r#"
        .global .u32 a[2] = {1 2};
                             ^ missing `,` between these values
    "#]],
    );
    check_module(
        ".global .u32 a =;",
        expect![[r#"
        .global .u32 a =;
                       ^ expected a value after this
    "#]],
    );
    check_module(
        ".visible .u32 a;",
        expect![[r#"
        .visible .u32 a;
               ^ expected a state space such as `.global` after this word
    "#]],
    );
}

#[test]
fn functions() {
    check_module(
        ".entry k(.param .u64 a .param .u64 b) { ret; }",
        expect![[r#"
        .entry k(.param .u64 a .param .u64 b) { ret; }
                             ^ missing `,` between these parameters
    "#]],
    );
    check_module(
        ".entry k(.param .u64 a { ret; }",
        expect![[r#"
        .entry k(.param .u64 a { ret; }
                             ^ missing `)` after the parameters
    "#]],
    );
    check_module(
        ".entry k .param .u64 a) { ret; }",
        expect![[r#"
        .entry k .param .u64 a) { ret; }
               ^ missing `(` before the parameters
    "#]],
    );
    check_module(
        ".entry k(.u64 a) { ret; }",
        expect![[r#"
        .entry k(.u64 a) { ret; }
                 ^^^^ a parameter starts with `.param` or `.reg`
    "#]],
    );
    check_module(
        ".entry k(.param a) { ret; }",
        expect![[r#"
        .entry k(.param a) { ret; }
                      ^ missing type after this word, such as `.b32`
    "#]],
    );
    check_module(
        ".entry (.param .u32 r) k() { ret; }",
        expect![[r#"
        .entry (.param .u32 r) k() { ret; }
               ^ a kernel returns nothing: remove the list before its name
    "#]],
    );
    check_module(
        ".entry () { ret; }",
        expect![[r#"
            .entry () { ret; }
                    ^ missing name of this function
        "#]],
    );
    check_module(
        ".entry k()",
        expect![[r#"
        .entry k()
                 ^ expected `{` and the body of this kernel
    "#]],
    );
    check_module(
        ".entry k()\n  .reg .u32 %r1;\n  ret;\n}",
        expect![[r#"
        .entry k()
                 ^ missing `{` before the body of this function
          .reg .u32 %r1;
          ret;
        }
    "#]],
    );
    check_module(
        ".entry k()\n  ret;\n}",
        expect![[r#"
        .entry k()
                 ^ missing `{` before the body of this function
          ret;
        }
    "#]],
    );
    check_module(
        ".entry k() .maxntid -1 { ret; }",
        expect![[r#"
        .entry k() .maxntid -1 { ret; }
                            ^ this takes no negative number
    "#]],
    );
    check_module(
        ".entry k() 5 { ret; }",
        expect![[r#"
        .entry k() 5 { ret; }
                   ^ unexpected `5` before the body of this function
    "#]],
    );
    check_module(
        ".visible .entyr k() { ret; }",
        expect![[r#"
        .visible .entyr k() { ret; }
                 ^^^^^^ unknown directive `.entyr`: a function starts with `.entry` or `.func`
    "#]],
    );
    check_module(
        ".vsible .entry k() { ret; }",
        expect![[r#"
        .vsible .entry k() { ret; }
        ^^^^^^^ unknown linkage word `.vsible`: `.visible`, `.extern` or `.weak` may stand here
    "#]],
    );
}

#[test]
fn braces() {
    check_module(
        ".entry k() {\n  ret;\n",
        expect![[r#"
        .entry k() {
          ret;
             ^ missing `}`: the body of this function is not closed

    "#]],
    );
    check_module(
        ".entry k() {\n  { ret;\n}",
        expect![[r#"
        .entry k() {
          { ret;
        }
        ^ missing `}`: the body of this function is not closed
    "#]],
    );
    check_module(
        ".entry k() {\n  ret;\n}\n}",
        expect![[r#"
        .entry k() {
          ret;
        }
        }
        ^ this `}` closes nothing: remove it, or the `}` before it that closed the body too early
    "#]],
    );
    check_module(
        ".entry k() {\n  exit; }\n  mov.u32 %r1, 5;\n  ret;\n}",
        expect![[r#"
        .entry k() {
          exit; }
          mov.u32 %r1, 5;
          ^^^ this stands outside of every function: is there a `}` too many, or a `{` missing, before it?
          ret;
        }
    "#]],
    );
    check_module(
        "mov.u32 %r1, 5;\nret;",
        expect![[r#"
        mov.u32 %r1, 5;
        ^^^ this stands outside of every function: is there a `}` too many, or a `{` missing, before it?
        ret;
    "#]],
    );
    check_module(
        ".entry k() {\n  mov.b64 {%r1, %r2, %rd1;\n  ret;\n}",
        expect![[r#"
        .entry k() {
          mov.b64 {%r1, %r2, %rd1;
                                ^ missing `}` after the elements
          ret;
        }
    "#]],
    );
    check_module(
        ".entry k() {\n  mov.b64 %rd1, {%r1,\n  ret;\n}",
        expect![[r#"
            .entry k() {
              mov.b64 %rd1, {%r1,
                                ^ expected an operand after this `,`
              ret;
            }
        "#]],
    );
}

#[test]
fn several_mistakes_give_several_errors() {
    expect![[r#"
        .entry k() {
          add.s32 %r1 %r2, 3;
                    ^ missing `,` after this operand
          mov.u32 %r1, 5
                       ^ missing `;` after this instruction
          exit;
        }
        }
        ^ this `}` closes nothing: remove it, or the `}` before it that closed the body too early
    "#]]
    .assert_eq(&render(".entry k() {\n  add.s32 %r1 %r2, 3;\n  mov.u32 %r1, 5\n  exit;\n}\n}\n"));
}
