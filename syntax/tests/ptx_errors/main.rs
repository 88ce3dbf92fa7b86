//! One mistake gives one error, at the mistake: the message and its range. Every case also checks that the
//! text after the mistake is understood.

mod foreign_text;
mod unfinished;

use expect_test::{Expect, expect};
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{Parse, parse_file};

/// The source with each error under its line.
fn render(source: &str, parse: &Parse) -> String {
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

/// Mistakes in a body: exactly one error each, and `ret` after it is still an instruction.
fn check_bodies(bodies: &[&str], expect: Expect) {
    let mut all = String::new();
    for body in bodies {
        let source = format!(".entry k() {{\n{body}\n  ret;\n}}\n");
        let parse = parse_file(warplens_syntax::ptx::LANGUAGE, &source);
        let rendered = render(&source, &parse);
        let instructions = parse.syntax().descendants().filter_map(ast::Instruction::cast);
        let mut opcodes = instructions.filter_map(|it| it.opcode_token());
        assert!(opcodes.any(|opcode| opcode.text() == "ret"), "{rendered}");
        assert_eq!(parse.errors().len(), 1, "{rendered}");
        let around = rendered.trim_start_matches(".entry k() {\n").trim_end_matches("  ret;\n}\n");
        all.push_str(around);
        all.push_str("--\n");
    }
    expect.assert_eq(&all);
}

/// Mistakes in a module: exactly one error each, and the kernel after it is still a kernel.
fn check_modules(modules: &[&str], expect: Expect) {
    const AFTER: &str = ".visible .entry after() { ret; }\n";
    let mut all = String::new();
    for module in modules {
        let source = format!("{module}\n{AFTER}");
        let parse = parse_file(warplens_syntax::ptx::LANGUAGE, &source);
        let rendered = render(&source, &parse);
        let functions = parse.syntax().descendants().filter_map(ast::Function::cast);
        let mut names = functions.filter_map(|it| it.name()?.ident_token());
        assert!(names.any(|name| name.text() == "after"), "{rendered}");
        assert_eq!(parse.errors().len(), 1, "{rendered}");
        all.push_str(rendered.trim_end_matches(AFTER));
        all.push_str("--\n");
    }
    expect.assert_eq(&all);
}

#[test]
fn missing_semicolon() {
    check_bodies(
        &[
            "  add.s32 %r1, %r2, %r3",
            "  add.s32 %r1, %r2, %r3\n  mov.u32 %r4, 5;",
            "  add.s32 %r1, %r2, %r3 mov.u32 %r4, 5;",
            "  bar.sync 0 // all\n  @%p1 bra L;",
            "  exit\nL:",
            "  add.s32 %r1, %r2, 1\n  { exit; }",
            "  .reg .u32 %r1\n  mov.u32 %r1, 5;",
            "  .pragma \"nounroll\"",
            "  call (%r1), f, (%r2)",
        ],
        expect![[r#"
              add.s32 %r1, %r2, %r3
                                  ^ missing `;` after this instruction
            --
              add.s32 %r1, %r2, %r3
                                  ^ missing `;` after this instruction
              mov.u32 %r4, 5;
            --
              add.s32 %r1, %r2, %r3 mov.u32 %r4, 5;
                                  ^ missing `;` after this instruction
            --
              bar.sync 0 // all
                       ^ missing `;` after this instruction
              @%p1 bra L;
            --
              exit
                 ^ missing `;` after this instruction
            L:
            --
              add.s32 %r1, %r2, 1
                                ^ missing `;` after this instruction
              { exit; }
            --
              .reg .u32 %r1
                          ^ missing `;` after this declaration
              mov.u32 %r1, 5;
            --
              .pragma "nounroll"
                               ^ missing `;` after this pragma
            --
              call (%r1), f, (%r2)
                                 ^ missing `;` after this instruction
            --
        "#]],
    );
}

#[test]
fn missing_comma_or_operand() {
    check_bodies(
        &[
            "  add.s32 %r1 %r2, %r3;",
            "  add.s32 %r1, %r2\n    %r3;",
            "  add.s32 %r1, %r2, %r3\n  not.b32 r, r;",
            "  vadd2.u32.u32.u32 r, a, b\n  v.b32, c;",
            "  add s32 %r1, %r2, %r3;",
            "  add.s32 %r1,, %r2;",
            "  add.s32 %r1, %r2,;",
            "  add.s32 %r1, %r2,\n  mov.u32 %r1, 5;",
            "  add.s32 , %r1;",
            "  setp.eq.s32 %p1|, %r1, 2;",
            "  mov.u32 %r1, 3 +;",
            "  mov.u32 %r1, 3 + * 4;",
            "  mov.u32 %r1, 1 ? 2;",
        ],
        expect![[r#"
              add.s32 %r1 %r2, %r3;
                        ^ missing `,` after this operand
            --
              add.s32 %r1, %r2
                             ^ missing `,` after this operand
                %r3;
            --
              add.s32 %r1, %r2, %r3
                                  ^ missing `;` after this instruction
              not.b32 r, r;
            --
              vadd2.u32.u32.u32 r, a, b
                                      ^ missing `,` after this operand
              v.b32, c;
            --
              add s32 %r1, %r2, %r3;
                    ^ missing `.` before `s32`
            --
              add.s32 %r1,, %r2;
                          ^ expected an operand before this `,`: remove one `,`, or write the missing operand
            --
              add.s32 %r1, %r2,;
                              ^ expected an operand after this `,`
            --
              add.s32 %r1, %r2,
                              ^ expected an operand after this `,`
              mov.u32 %r1, 5;
            --
              add.s32 , %r1;
                      ^ expected an operand before this `,`: remove one `,`, or write the missing operand
            --
              setp.eq.s32 %p1|, %r1, 2;
                             ^ expected a register or `_` after `|`
            --
              mov.u32 %r1, 3 +;
                             ^ expected a value after this
            --
              mov.u32 %r1, 3 + * 4;
                               ^ unexpected `*`: expected a value
            --
              mov.u32 %r1, 1 ? 2;
                               ^ missing `:` and the other value after `?`
            --
        "#]],
    );
}

#[test]
fn unclosed_operands() {
    check_bodies(
        &[
            "  ld.global.u32 %r1, [%rd1+4;",
            "  ld.global.u32 %r1, [%rd1\n  add.s32 %r1, %r1, 1;",
            "  mov.b64 %rd1, {%r1, %r2;",
            "  call (%r1, f, (%r2);",
            "  mov.u32 %r1, (3 + 4;",
            "  ld.global.u32 %r1, [];",
            "  mov.u32 %r1, %r2];",
            "  mov.u32 %r1, %r2);",
        ],
        expect![[r#"
              ld.global.u32 %r1, [%rd1+4;
                                       ^ missing `]` after the address
            --
              ld.global.u32 %r1, [%rd1
                                     ^ missing `]` after the address
              add.s32 %r1, %r1, 1;
            --
              mov.b64 %rd1, {%r1, %r2;
                                    ^ missing `}` after the elements
            --
              call (%r1, f, (%r2);
                                ^ missing `)` after the arguments
            --
              mov.u32 %r1, (3 + 4;
                                ^ missing `)` after the arguments
            --
              ld.global.u32 %r1, [];
                                 ^ expected an address after `[`
            --
              mov.u32 %r1, %r2];
                              ^ unexpected `]`: expected `,` or `;`
            --
              mov.u32 %r1, %r2);
                              ^ unexpected `)`: expected `,` or `;`
            --
        "#]],
    );
}

#[test]
fn guards_and_labels() {
    check_bodies(
        &[
            "  %p1 bra L;",
            "  !%p1 bra L;",
            "  @ bra L;",
            "  @%p1;",
            "  @%p1 L: exit;",
            "  @%p1 { mov.b32 x, {a, b}; }",
            "  @!p\n  {\n    exit;\n  }",
            "$L_end\n  exit;",
        ],
        expect![[r#"
              %p1 bra L;
              ^^^ a guard starts with `@`
            --
              !%p1 bra L;
              ^ a guard starts with `@`
            --
              @ bra L;
              ^ expected a predicate register after `@`
            --
              @%p1;
                 ^ expected an instruction after the guard
            --
              @%p1 L: exit;
                 ^ the label must precede the guard
            --
              @%p1 { mov.b32 x, {a, b}; }
                   ^ a guard is not allowed before a block: guard each instruction, or branch over the block
            --
              @!p
              {
              ^ a guard is not allowed before a block: guard each instruction, or branch over the block
                exit;
              }
            --
            $L_end
                 ^ missing `:` after this label
              exit;
            --
        "#]],
    );
}

#[test]
fn what_starts_no_statement() {
    check_bodies(
        &["  ;", "  exit;;", "  ) exit;", "  5 exit;", "  = 5;"],
        expect![[r#"
              ;
              ^ empty statement: remove this `;`
            --
              exit;;
                   ^ empty statement: remove this `;`
            --
              ) exit;
              ^ unexpected `)`: expected an instruction, a label or a declaration
            --
              5 exit;
              ^ unexpected `5`: expected an instruction, a label or a declaration
            --
              = 5;
              ^ unexpected `=`: expected an instruction, a label or a declaration
            --
        "#]],
    );
}

#[test]
fn characters_and_literals() {
    check_bodies(
        &[
            "  mov.u32 %r1, §;",
            "  mov.u32 %r1, 'a';",
            "  mov.u32 \\ %r1, 5;",
            "  mov.u32 %r1, 5u;",
            "  mov.u32 %r1, 089;",
            "  mov.u32 %r1, 0xyz;",
            "  mov.f32 %f1, 1.5f;",
            "  mov.f32 %f1, 0f3F80;",
            "  mov.f32 %f1, -0f3F800000;",
            "#define N 5",
        ],
        expect![[r#"
              mov.u32 %r1, §;
                           ^ invalid character in PTX: remove it
            --
              mov.u32 %r1, 'a';
                           ^^^ PTX has no character literals: write the character's number
            --
              mov.u32 \ %r1, 5;
                      ^ invalid character in PTX: remove it
            --
              mov.u32 %r1, 5u;
                           ^^ invalid number: integers are decimal, 0 octal, 0x hexadecimal or 0b binary, with an optional `U` suffix
            --
              mov.u32 %r1, 089;
                           ^^^ invalid number: integers are decimal, 0 octal, 0x hexadecimal or 0b binary, with an optional `U` suffix
            --
              mov.u32 %r1, 0xyz;
                           ^^^^ invalid number: integers are decimal, 0 octal, 0x hexadecimal or 0b binary, with an optional `U` suffix
            --
              mov.f32 %f1, 1.5f;
                           ^^^^ invalid number: a decimal fraction takes no suffix
            --
              mov.f32 %f1, 0f3F80;
                           ^^^^^^ a single-precision bit pattern has exactly 8 hexadecimal digits after `0f`
            --
              mov.f32 %f1, -0f3F800000;
                            ^^^^^^^^^^ a bit pattern takes no sign: set its highest bit instead
            --
            #define N 5
            ^^^^^^^^^^^ PTX has no preprocessor: only line marks (`# 12 "file.cu"`) may start with `#`
            --
        "#]],
    );
}

#[test]
fn comments_and_strings_end_with_their_line() {
    check_bodies(
        &["  exit; /* no end", "  add.s32 %r1, /* no end\n  exit;", "  .pragma \"nounroll;\n  exit;"],
        expect![[r#"
              exit; /* no end
                    ^^^^^^^^^ unterminated comment: close it with `*/`
            --
              add.s32 %r1, /* no end
                           ^^^^^^^^^ unterminated comment: close it with `*/`
              exit;
            --
              .pragma "nounroll;
                      ^^^^^^^^^^ unterminated string: close it with `"` on the same line
              exit;
            --
        "#]],
    );
}

#[test]
fn declarations_in_a_body() {
    check_bodies(
        &[
            "  .reg %r1;",
            "  .reg .u32 ,x;",
            "  .reg .u32 %r<5;",
            "  .reg .u32 %r<>;",
            "  .reg .u32 .f32 x;",
            "  .shared .b8 .align 4 x[4];",
            "  .shared .align .b8 x[4];",
            "  .shared .b8 x[4;",
            "  .loc 1 2",
            "  .loc 1 2 3, inlined_at 1 2 3",
            "  .loc 1 2 3, function_name x",
            "  .loc 1 2 3, function_name x, inlined_at 1 2",
            "  .align 8",
            "  .extern .func f(.param .b32 x)",
            "t: .branchtargets a, b",
            "p: .callprototype (.param .b32 _) (.param .b32 _);",
        ],
        expect![[r#"
              .reg %r1;
                 ^ missing type after this word, such as `.b32`
            --
              .reg .u32 ,x;
                      ^ expected a name to declare
            --
              .reg .u32 %r<5;
                           ^ missing `>` after the number of names
            --
              .reg .u32 %r<>;
                          ^ expected the number of names after `<`
            --
              .reg .u32 .f32 x;
                        ^^^^ a second type: expected a name
            --
              .shared .b8 .align 4 x[4];
                          ^^^^^^ `.align` must precede the type and the vector length
            --
              .shared .align .b8 x[4];
                           ^ `.align` takes a number of bytes
            --
              .shared .b8 x[4;
                            ^ missing `]` after the size
            --
              .loc 1 2
                     ^ `.loc` takes a file, a line and a column
            --
              .loc 1 2 3, inlined_at 1 2 3
                        ^ expected `function_name` after this `,`, and then `inlined_at`
            --
              .loc 1 2 3, function_name x
                                        ^ `function_name` requires `, inlined_at` with a file, a line and a column
            --
              .loc 1 2 3, function_name x, inlined_at 1 2
                                                        ^ `inlined_at` takes a file, a line and a column
            --
              .align 8
                     ^ expected a state space such as `.global` after this word
            --
              .extern .func f(.param .b32 x)
                                           ^ missing `;` after this prototype
            --
            t: .branchtargets a, b
                                 ^ missing `;` after this table
            --
            p: .callprototype (.param .b32 _) (.param .b32 _);
                                            ^ expected `_` between the results and the parameters
            --
        "#]],
    );
}

#[test]
fn module_directives() {
    check_modules(
        &[
            ".version",
            ".version 8",
            ".version 8.5;",
            ".target",
            ".target sm_90,",
            ".address_size",
            ".file \"a.cu\"",
            ".section .debug_str {\n.b8 1,\n}",
            ".section .debug_str {\n.b8 1\n",
            ".section .debug_loc {\n.b32 -x\n.b32 y-x-x\n.b32 .debug_str-x\n.b32 x, 4\n.b32 4, x\n.b32 x[1]\n}",
            ".alias f;",
            ".extern .visible .global .u32 x;",
            ".global .u32 x",
            ".global .u32 a[2] = {1, 2;",
            ".global .u32 a[2] = {1 2};",
            ".global .u32 a =;",
            ".visible .u32 a;",
        ],
        expect![[r#"
            .version
                   ^ `.version` takes a version such as `8.5`
            --
            .version 8
                     ^ a version has two numbers, such as `8.5`
            --
            .version 8.5;
                        ^ unexpected `;`: the directive before it takes none
            --
            .target
                  ^ `.target` takes a target such as `sm_90`
            --
            .target sm_90,
                         ^ expected a target or an option after this `,`
            --
            .address_size
                        ^ `.address_size` takes 32 or 64
            --
            .file "a.cu"
                ^ `.file` takes a number and a name in quotes
            --
            .section .debug_str {
            .b8 1,
                 ^ expected a number or a name
            }
            --
            .section .debug_str {
            .b8 1
                ^ missing `}`: this section is not closed

            --
            .section .debug_loc {
            .b32 -x
                 ^ only a number can be negative in a section
            .b32 y-x-x
            .b32 .debug_str-x
            .b32 x, 4
            .b32 4, x
            .b32 x[1]
            }
            --
            .alias f;
                   ^ missing `,` between the alias and the function it stands for
            --
            .extern .visible .global .u32 x;
                    ^^^^^^^^ only one linkage directive is allowed: remove this one
            --
            .global .u32 x
                         ^ missing `;` after this declaration
            --
            .global .u32 a[2] = {1, 2;
                                    ^ missing `}` after the values
            --
            .global .u32 a[2] = {1 2};
                                 ^ missing `,` between these values
            --
            .global .u32 a =;
                           ^ expected a value after this
            --
            .visible .u32 a;
                   ^ expected a state space such as `.global` after this word
            --
        "#]],
    );
}

#[test]
fn functions() {
    check_modules(
        &[
            ".entry k(.param .u64 a .param .u64 b) { ret; }",
            ".entry k(.param .u64 a { ret; }",
            ".entry k .param .u64 a) { ret; }",
            ".entry k(.u64 a) { ret; }",
            ".entry k(.param a) { ret; }",
            ".entry (.param .u32 r) k() { ret; }",
            ".entry () { ret; }",
            ".entry k()",
            ".entry k()\n  .reg .u32 %r1;\n  ret;\n}",
            ".entry k()\n  ret;\n}",
            ".entry k() .maxntid -1 { ret; }",
            ".entry k() 5 { ret; }",
            ".visible .entyr k() { ret; }",
            ".vsible .entry k() { ret; }",
        ],
        expect![[r#"
            .entry k(.param .u64 a .param .u64 b) { ret; }
                                 ^ missing `,` between these parameters
            --
            .entry k(.param .u64 a { ret; }
                                 ^ missing `)` after the parameters
            --
            .entry k .param .u64 a) { ret; }
                   ^ missing `(` before the parameters
            --
            .entry k(.u64 a) { ret; }
                     ^^^^ a parameter starts with `.param` or `.reg`
            --
            .entry k(.param a) { ret; }
                          ^ missing type after this word, such as `.b32`
            --
            .entry (.param .u32 r) k() { ret; }
                   ^ a kernel returns nothing: remove the list before its name
            --
            .entry () { ret; }
                    ^ missing name of this function
            --
            .entry k()
                     ^ expected `{` and the body of this kernel
            --
            .entry k()
                     ^ missing `{` before the body of this function
              .reg .u32 %r1;
              ret;
            }
            --
            .entry k()
                     ^ missing `{` before the body of this function
              ret;
            }
            --
            .entry k() .maxntid -1 { ret; }
                                ^ a negative number is not allowed here
            --
            .entry k() 5 { ret; }
                       ^ unexpected `5` before the body of this function
            --
            .visible .entyr k() { ret; }
                     ^^^^^^ unknown directive `.entyr`: a function starts with `.entry` or `.func`
            --
            .vsible .entry k() { ret; }
            ^^^^^^^ unknown linkage directive `.vsible`: expected `.visible`, `.extern` or `.weak`
            --
        "#]],
    );
}

#[test]
fn braces() {
    check_modules(
        &[
            ".entry k() {\n  ret;\n",
            ".entry k() {\n  { ret;\n}",
            ".entry k() {\n  ret;\n}\n}",
            ".entry k() {\n  exit; }\n  mov.u32 %r1, 5;\n  ret;\n}",
            "mov.u32 %r1, 5;\nret;",
            ".entry k() {\n  mov.b64 {%r1, %r2, %rd1;\n  ret;\n}",
            ".entry k() {\n  mov.b64 %rd1, {%r1,\n  ret;\n}",
        ],
        expect![[r#"
            .entry k() {
              ret;
                 ^ missing `}`: the body of this function is not closed

            --
            .entry k() {
              { ret;
              ^ missing `}` for this `{`: the last `}` closes this block and leaves the function open
            }
            --
            .entry k() {
              ret;
            }
            }
            ^ unmatched `}`: remove it, or the earlier `}` that closes the body too soon
            --
            .entry k() {
              exit; }
              mov.u32 %r1, 5;
              ^^^ statement outside a function: is there an extra `}`, or a missing `{`, before it?
              ret;
            }
            --
            mov.u32 %r1, 5;
            ^^^ statement outside a function: is there an extra `}`, or a missing `{`, before it?
            ret;
            --
            .entry k() {
              mov.b64 {%r1, %r2, %rd1;
                                    ^ missing `}` after the elements
              ret;
            }
            --
            .entry k() {
              mov.b64 %rd1, {%r1,
                                ^ expected an operand after this `,`
              ret;
            }
            --
        "#]],
    );
}

#[test]
fn several_mistakes_give_several_errors() {
    let source = ".entry k() {\n  add.s32 %r1 %r2, 3;\n  mov.u32 %r1, 5\n  exit;\n}\n}\n";
    expect![[r#"
        .entry k() {
          add.s32 %r1 %r2, 3;
                    ^ missing `,` after this operand
          mov.u32 %r1, 5
                       ^ missing `;` after this instruction
          exit;
        }
        }
        ^ unmatched `}`: remove it, or the earlier `}` that closes the body too soon
    "#]]
    .assert_eq(&render(source, &parse_file(warplens_syntax::ptx::LANGUAGE, source)));
}

#[test]
fn a_vector_and_a_predicate_are_a_pair() {
    let text = ".func f() { tex.1d.v4.u32.f32 {a, b, c, d}|p, [t, {x}]; }";
    assert!(parse_file(warplens_syntax::ptx::LANGUAGE, text).errors().is_empty());
}
