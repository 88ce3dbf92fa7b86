//! Text of other languages and editors: names with dots, invisible characters, expressions that the assembler does not have.

use expect_test::expect;
use warplens_syntax::parse_file;

use crate::{check_bodies, check_modules};

#[test]
fn names_of_other_languages() {
    check_modules(
        &[
            ".extern .shared .align 4 .b8 anon.053e97c9.0[];",
            ".global .b8 std.fmt.digits[4] = {1,2,3,4};",
            ".global .b32 sym@v1;",
            ".func std.foo(.reg .b32 x);",
            ".global .u64 t = g.x;",
            ".global .u64 t[1] = {anon.1};",
            ".global .u64 t = generic(g.x);",
            ".alias a.b, f;",
            ".section .debug_info\n{\n.b64 __func__._Z3foo\n}",
        ],
        expect![[r#"
            .extern .shared .align 4 .b8 anon.053e97c9.0[];
                                             ^^^^^^^^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
            .global .b8 std.fmt.digits[4] = {1,2,3,4};
                           ^^^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
            .global .b32 sym@v1;
                            ^ a name cannot contain `@`; its characters are letters, digits, `_` and `$`
            --
            .func std.foo(.reg .b32 x);
                     ^^^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
            .global .u64 t = g.x;
                              ^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
            .global .u64 t[1] = {anon.1};
                                     ^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
            .global .u64 t = generic(g.x);
                                      ^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
            .alias a.b, f;
                    ^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
            .section .debug_info
            {
            .b64 __func__._Z3foo
                         ^^^^^^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            }
            --
        "#]],
    );
    check_bodies(
        &[
            "  bra L.1;",
            "  call llvm.trap, ();",
            "L.1:",
            "  mov.u64 %rd1, sym@v1;",
            "  mov.u64 %rd1, anon.0;",
        ],
        expect![[r#"
              bra L.1;
                   ^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
              call llvm.trap, ();
                       ^^^^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
            L.1:
             ^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
              mov.u64 %rd1, sym@v1;
                               ^ a name cannot contain `@`; its characters are letters, digits, `_` and `$`
            --
              mov.u64 %rd1, anon.0;
                                ^^ a name cannot contain `.`; its characters are letters, digits, `_` and `$`
            --
        "#]],
    );
    // Selectors are part of operands, and a missing `;` before a statement is another mistake.
    let text = ".func f() { mov.u32 %r1, v.x; vadd.u32.u32.u32 r, a.b0, b.h1, c; }";
    assert!(parse_file(warplens_syntax::ptx::LANGUAGE, text).errors().is_empty());
    check_bodies(
        &["  add.s32 %r1, %r2, 5@%p1 bra L;", "  exit bra.uni L;", "  add.s32 %r1, %r2, 5 @!p ret;"],
        expect![[r#"
              add.s32 %r1, %r2, 5@%p1 bra L;
                                ^ missing `;` after this instruction
            --
              exit bra.uni L;
                 ^ missing `;` after this instruction
            --
              add.s32 %r1, %r2, 5 @!p ret;
                                ^ missing `;` after this instruction
            --
        "#]],
    );
}

/// A `;` is missing only if a statement follows.
#[test]
fn what_follows_is_no_statement() {
    check_bodies(
        &[
            "  bra L@1;",
            "L@1:",
            "  bra L:1;",
            "  bra L:",
            "  call core::panic, ();",
            "  add.u32 %r1, %r2, %r3 @%p1;",
            "  mov.u32 %r1, 1.x;",
            "  @{%p1} ret;",
        ],
        expect![[r#"
              bra L@1;
                   ^ a name cannot contain `@`; its characters are letters, digits, `_` and `$`
            --
            L@1:
             ^ a name cannot contain `@`; its characters are letters, digits, `_` and `$`
            --
              bra L:1;
                   ^ unexpected `:`: expected `,` or `;`
            --
              bra L:
                   ^ unexpected `:`: expected `,` or `;`
            --
              call core::panic, ();
                       ^ unexpected `:`: expected `,` or `;`
            --
              add.u32 %r1, %r2, %r3 @%p1;
                                    ^ a guard is written before its instruction
            --
              mov.u32 %r1, 1.x;
                            ^^ unexpected `.x`: expected `,` or `;`
            --
              @{%p1} ret;
               ^ a guard is written without braces
            --
        "#]],
    );
    check_modules(
        &[".global .b32 a@1 = 4;", ".global .u64 t = g .x;"],
        expect![[r#"
        .global .b32 a@1 = 4;
                      ^ a name cannot contain `@`; its characters are letters, digits, `_` and `$`
        --
        .global .u64 t = g .x;
                           ^^ unexpected `.x`: expected `,` or `;`
        --
    "#]],
    );
}

#[test]
fn invisible_characters() {
    for (text, description) in [
        ("\u{feff}.version 7.0", "U+FEFF, a byte order mark,"),
        (".version\u{a0}7.0", "U+00A0, a no-break space,"),
        (".version 7.0\u{200b}", "U+200B, a zero-width space,"),
        (".version\u{b}7.0", "U+000B, a vertical tab,"),
        (".func f() { mov.u32\u{a0}%r1, 1; }", "U+00A0, a no-break space,"),
        (".func f() { mov.u32 %r1,\u{b}1; }", "U+000B, a vertical tab,"),
        (".func f() { .pragma \"nounroll\u{e9}\"; }", "`\u{e9}` is not ASCII"),
        (".file 1 \"\u{e9}.cu\"", "`\u{e9}` is not ASCII"),
    ] {
        let parse = parse_file(warplens_syntax::ptx::LANGUAGE, text);
        let messages: Vec<&str> = parse.errors().iter().map(|error| error.message.as_str()).collect();
        assert!(messages.len() == 1 && messages[0].starts_with(description), "{text:?}: {messages:?}");
    }
    for fine in [
        ".version 7.0 // \u{e9}\u{a0}",
        ".version 7.0\u{1a}",
        ".version\u{c}7.0",
        "// one\rtwo\n.version 7.0",
    ] {
        assert!(parse_file(warplens_syntax::ptx::LANGUAGE, fine).errors().is_empty(), "{fine:?}");
    }
}

#[test]
fn names_in_parentheses() {
    check_modules(
        &[
            ".global .u64 t = (g);",
            ".global .u64 t = (g+4);",
            ".global .u64 t = generic((g));",
            ".global .u64 t = generic(g+4);",
            ".global .u64 t = (generic(g));",
            ".global .u64 t[2] = {(g), 1};",
        ],
        expect![[r#"
            .global .u64 t = (g);
                             ^ only constants are allowed in parentheses: remove them from around `g`
            --
            .global .u64 t = (g+4);
                             ^ only constants are allowed in parentheses: remove them from around `g`
            --
            .global .u64 t = generic((g));
                                     ^ `generic` takes a name without parentheses
            --
            .global .u64 t = generic(g+4);
                                     ^ `generic` takes a name only; add the offset after the parenthesis
            --
            .global .u64 t = (generic(g));
                             ^ only constants are allowed in parentheses: remove them from around `generic`
            --
            .global .u64 t[2] = {(g), 1};
                                 ^ only constants are allowed in parentheses: remove them from around `g`
            --
        "#]],
    );
    check_bodies(
        &["  mov.u32 %r1, -(%r2);", "  ld.global.u32 %r1, [(%rd1)+4];"],
        expect![[r#"
          mov.u32 %r1, -(%r2);
                        ^ only constants are allowed in parentheses: remove them from around `%r2`
        --
          ld.global.u32 %r1, [(%rd1)+4];
                              ^ only constants are allowed in parentheses: remove them from around `%rd1`
        --
    "#]],
    );
    let text = ".global .u64 t = generic(g)+(4); .func f() { mov.u32 %r1, (5)+1; mov.u32 %r1, ((WARP_SZ)); }";
    assert!(parse_file(warplens_syntax::ptx::LANGUAGE, text).errors().is_empty());
}

#[test]
fn negative_numbers() {
    check_modules(
        &[
            ".entry k() .maxnreg -5 { ret; }",
            ".entry k() .reqntid -1, 2 { ret; }",
            ".func f() .abi_preserve -1;",
            ".global .align -4 .b32 x;",
        ],
        expect![[r#"
            .entry k() .maxnreg -5 { ret; }
                                ^ a negative number is not allowed here
            --
            .entry k() .reqntid -1, 2 { ret; }
                                ^ a negative number is not allowed here
            --
            .func f() .abi_preserve -1;
                                    ^ a negative number is not allowed here
            --
            .global .align -4 .b32 x;
                         ^ `.align` takes a number of bytes
            --
        "#]],
    );
}

#[test]
fn numbers_of_sections() {
    check_modules(
        &[
            ".section .debug_info\n{\n.b32 (5)\n}",
            ".section .debug_info\n{\n.b32 5+1\n}",
            ".section .debug_info\n{\n.b32 L-4\n}",
            ".section .debug_info\n{\n.b32 -1.5\n}",
        ],
        expect![[r#"
            .section .debug_info
            {
            .b32 (5)
                 ^ parentheses are not allowed in a section: write the number
            }
            --
            .section .debug_info
            {
            .b32 5+1
                 ^ an expression of numbers is not allowed in a section: write the sum
            }
            --
            .section .debug_info
            {
            .b32 L-4
                 ^ a number cannot be subtracted from a label: write `+` or another label
            }
            --
            .section .debug_info
            {
            .b32 -1.5
                 ^ a float is not allowed in a section: write its bits as an integer
            }
            --
        "#]],
    );
    let text =
        ".section .debug_info\n{\nL0:\n.b8 -1, 2\n.b32 L0+4\n.b32 L1-L0\n.b32 .debug_abbrev+4\nL1:\n.b8 1\n}";
    assert!(parse_file(warplens_syntax::ptx::LANGUAGE, text).errors().is_empty());
}
