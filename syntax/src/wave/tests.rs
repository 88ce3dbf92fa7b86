//! Trees and errors of the WAVE grammar: the source, then the parsed result.

use std::fmt::Write;

use expect_test::{Expect, expect};

use crate::{SyntaxError, SyntaxNode, WalkEvent, parse_file, parse_item, reparse_item};

/// Shows nodes in brackets with their tokens, one statement per line, then the errors under the text they
/// point at.
fn check(text: &str, expected: Expect) {
    let parse = parse_file(crate::wave::LANGUAGE, text);
    let root = parse.syntax();
    assert_eq!(root.text().to_string(), text);
    expected.assert_eq(&(shape(&root) + &errors(text, parse.errors())));
}

fn shape(root: &SyntaxNode) -> String {
    let mut out = String::new();
    for event in root.preorder_with_tokens() {
        match event {
            WalkEvent::Enter(rowan::NodeOrToken::Node(node)) => {
                let kind = format!("{:?}", node.kind());
                if matches!(
                    kind.as_str(),
                    "KERNEL" | "STRAY_CODE" | "KERNEL_END" | "DIRECTIVE" | "LABEL" | "INSTRUCTION"
                ) {
                    out.push('\n');
                }
                if !matches!(kind.as_str(), "SOURCE_FILE" | "ITEM") {
                    write!(out, "{kind}(").expect("a string takes text");
                }
            }
            WalkEvent::Enter(rowan::NodeOrToken::Token(token)) => {
                if !token.kind().is_trivia() {
                    write!(out, "{} ", token.text()).expect("a string takes text");
                }
            }
            WalkEvent::Leave(rowan::NodeOrToken::Node(node)) => {
                if !matches!(format!("{:?}", node.kind()).as_str(), "SOURCE_FILE" | "ITEM") {
                    out.truncate(out.trim_end_matches(' ').len());
                    out.push_str(") ");
                }
            }
            WalkEvent::Leave(_) => {}
        }
    }
    let lines: Vec<_> = out.trim_start().lines().map(str::trim_end).collect();
    lines.join("\n") + "\n"
}

fn errors(text: &str, errors: &[SyntaxError]) -> String {
    let mut out = String::new();
    for error in errors {
        writeln!(out, "`{}`: {}", &text[error.range], error.message).expect("a string takes text");
    }
    out
}

/// Only the errors of statements in a kernel.
fn check_errors(statements: &str, expected: Expect) {
    let text = format!(".kernel k\n{statements}\n.end\n");
    let parse = parse_file(crate::wave::LANGUAGE, &text);
    assert_eq!(parse.syntax().text().to_string(), text);
    expected.assert_eq(&errors(&text, parse.errors()));
}

#[test]
fn both_dialects() {
    check(
        ".kernel k
    .workgroup_size 256 ; one number
    icmp.lt p0, r0, 0x7fff_ffff
    icmp_lt p0, r0, r1
    device_load.u32.cached r0, r1
    device_load_u32 .cached r0.lo, sr_lane_id
    @!p1 break !p0
    fence_release.workgroup
    atomic_add r0, r1, r2, .device
    fence_acquire workgroup
next:
    call next
.end",
        expect![[r#"
            KERNEL(KERNEL_HEADER(.kernel NAME(k)) BLOCK(
            DIRECTIVE(.workgroup_size LITERAL(256))
            INSTRUCTION(icmp .lt PREDICATE(p0) , REGISTER(r0) , LITERAL(0x7fff_ffff))
            INSTRUCTION(icmp_lt PREDICATE(p0) , REGISTER(r0) , REGISTER(r1))
            INSTRUCTION(device_load .u32 .cached REGISTER(r0) , REGISTER(r1))
            INSTRUCTION(device_load_u32 .cached REGISTER(r0 .lo) , SPECIAL_REGISTER(sr_lane_id))
            INSTRUCTION(GUARD(@ ! p1) break PREDICATE(! p0))
            INSTRUCTION(fence_release .workgroup)
            INSTRUCTION(atomic_add REGISTER(r0) , REGISTER(r1) , REGISTER(r2) , SCOPE(.device))
            INSTRUCTION(fence_acquire NAME_REF(workgroup))
            LABEL(NAME(next) :)
            INSTRUCTION(call NAME_REF(next)))
            KERNEL_END(.end))
        "#]],
    );
}

#[test]
fn several_statements_on_a_line() {
    check(
        ".kernel k .registers 4 .local_memory 64 mov_imm r0, 1 mov_imm r1, -2.5e-3 a: if p0 @p1 nop
call a halt
fence_release workgroup .end",
        expect![[r#"
            KERNEL(KERNEL_HEADER(.kernel NAME(k)) BLOCK(
            DIRECTIVE(.registers LITERAL(4))
            DIRECTIVE(.local_memory LITERAL(64))
            INSTRUCTION(mov_imm REGISTER(r0) , LITERAL(1))
            INSTRUCTION(mov_imm REGISTER(r1) , LITERAL(-2.5e-3))
            LABEL(NAME(a) :)
            INSTRUCTION(if PREDICATE(p0))
            INSTRUCTION(GUARD(@ p1) nop)
            INSTRUCTION(call NAME_REF(a))
            INSTRUCTION(halt)
            INSTRUCTION(fence_release NAME_REF(workgroup)))
            KERNEL_END(.end))
        "#]],
    );
}

#[test]
fn a_word_after_a_mnemonic_is_its_operand_unless_it_has_operands() {
    check(
        ".kernel k
    endif endif
    else iadd r0, r0, r1
    else icmp.lt p0, r0, r1 endif
.end",
        expect![[r#"
            KERNEL(KERNEL_HEADER(.kernel NAME(k)) BLOCK(
            INSTRUCTION(endif NAME_REF(endif))
            INSTRUCTION(else)
            INSTRUCTION(iadd REGISTER(r0) , REGISTER(r0) , REGISTER(r1))
            INSTRUCTION(else)
            INSTRUCTION(icmp .lt PREDICATE(p0) , REGISTER(r0) , REGISTER(r1))
            INSTRUCTION(endif))
            KERNEL_END(.end))
            `iadd`: the assembler reads this word as an operand of the instruction before it: put it on a line of its own
            `icmp`: the assembler reads this word as an operand of the instruction before it: put it on a line of its own
        "#]],
    );
}

#[test]
fn code_outside_of_kernels() {
    check(
        ".registers 4\nhelper:\nnop\nhalt\n.kernel a\n.end\n.end\n; the end\n",
        expect![[r#"
            STRAY_CODE(
            DIRECTIVE(.registers LITERAL(4))
            LABEL(NAME(helper) :)
            INSTRUCTION(nop)
            INSTRUCTION(halt))
            KERNEL(KERNEL_HEADER(.kernel NAME(a)) BLOCK()
            KERNEL_END(.end))
            STRAY_CODE(
            KERNEL_END(.end))
            `nop`: instruction outside a kernel: add `.kernel name` before it
            `.end`: unmatched `.end`: no kernel is open here, remove it
        "#]],
    );
}

#[test]
fn an_open_kernel_ends_at_the_next() {
    check(
        ".kernel a\nhalt\n.kernel\nhalt\n.END\n.Kernel b: .end .kernel r1\n.end",
        expect![[r#"
            KERNEL(KERNEL_HEADER(.kernel NAME(a)) BLOCK(
            INSTRUCTION(halt)))
            KERNEL(KERNEL_HEADER(.kernel) BLOCK(
            INSTRUCTION(halt))
            KERNEL_END(.END))
            KERNEL(KERNEL_HEADER(.Kernel NAME(b) ERROR(:)) BLOCK()
            KERNEL_END(.end))
            KERNEL(KERNEL_HEADER(.kernel ERROR(r1)) BLOCK()
            KERNEL_END(.end))
            `a`: missing `.end`: this kernel is not closed
            `l`: missing name after `.kernel`
            `.END`: directives are lower case: write `.end`
            `.Kernel`: directives are lower case: write `.kernel`
            `:`: unexpected `:` after the name of a kernel: remove it
            `r1`: `r1` is a register, not a name for a kernel
        "#]],
    );
}

#[test]
fn one_mistake_one_error() {
    check_errors(
        "// a comment
    iadd r0, [r1 + 4], r2
    iadd r0 r1, r2
    iadd r0,, r2
    iadd r0, r1,
    @ p1 nop
    @r1 nop
    @p1
    mov_imm r0, (1 + 2)
    mov r0, r1.low
    if !
    mov r0, \"text\", r1
    ) ( ] iadd r0
    r1, r2
    /* block */ nop
    .registers 4 5
    a : nop ]
    iadd r0, r1,
    r2x: nop",
        expect![[r#"
            `//`: invalid comment: a comment starts with `;` or `#` and ends with its line
            `[`: an address is a register alone, without brackets or offset
            `r1`: missing comma before this operand
            `,`: missing operand before this comma
            `,`: missing operand after this comma: an operand list ends with its line
            `p1`: a guard contains no spaces: write `@p1` or `@!p1`
            `r1`: a guard names a predicate register: `@p1` or `@!p1`
            `1`: missing instruction after the guard
            `(`: WAVE has no parentheses
            `.low`: a half of a register is `.lo` or `.hi`
            `!`: missing predicate register after `!`: write for example `!p0`
            `"text"`: WAVE has no strings
            `)`: WAVE has no parentheses
            `r1`: expected an instruction, a directive or a label
            `/*`: invalid comment: a comment starts with `;` or `#` and ends with its line
            `5`: missing comma before this operand
            `]`: expected an instruction, a directive or a label
            `,`: missing operand after this comma: an operand list ends with its line
            `r2x`: `r2x` is neither a register nor a name: no name begins with `r` and a digit
        "#]],
    );
}

#[test]
fn numbers() {
    check_errors(
        "mov_imm r0, -1_000
    mov_imm r0, 0xFFFF_FFFF
    mov_imm r0, 1.
    mov_imm r0, -.5
    mov_imm r0, 1e+3
    mov_imm r0, .5
    mov_imm r0, +5
    mov_imm r0, 1.5f
    mov_imm r0, 0b101
    mov_imm r0, 0X1F
    mov_imm r0, -0x10
    mov_imm r0, 0x
    mov_imm r0, 0xfg
    mov_imm r0, 99999999999999999999
    mov_imm r0, 1e",
        expect![[r#"
            `.5`: a number begins with a digit: write `0.5`
            `+5`: a number takes no `+`: write `5`
            `1.5f`: a float takes no suffix: write `1.5`
            `0b101`: `0b101` is not a number: write it in decimal, or in hexadecimal as `0x1f`
            `0X1F`: hexadecimal numbers begin with a small `x`: write `0x1F`
            `-0x10`: a hexadecimal number takes no sign: write its two's complement, or write it in decimal
            `0x`: a hexadecimal number needs digits after `0x`
            `0xfg`: `0xfg` is not a hexadecimal number
            `99999999999999999999`: `99999999999999999999` does not fit into 64 bits with a sign
            `1e`: `1e` is not a number: floats look like `1.5` or `2e-3`
        "#]],
    );
}

#[test]
fn words() {
    check_errors(
        "émov r0, r1
    mov r0,\u{a0}srx
    mov r0, r1é
    größe: nop",
        expect![[r#"
            `émov`: a name cannot begin with `é`: its first letter must be one of ASCII
            ` `: the assembler does not read this white space character (U+00A0): remove it
            `srx`: `srx` is not a name: words that begin with `sr` are special registers
            `r1é`: `r1é` is neither a register nor a name: no name begins with `r` and a digit
        "#]],
    );
}

/// A kernel of more than 64 KB whose statements differ.
fn long_kernel() -> String {
    let mut text = String::from("; long\n.kernel long\n");
    for number in 0..2000u32 {
        let (d, a, b) = (number % 31, number * 7 % 29, number * 13 % 23);
        writeln!(text, "    iadd r{d}, r{a}, {number} ; comment {a}\n    @p1 fadd r{b}, r{d}, r{a}")
            .expect("a string takes text");
    }
    text + "    halt\n.end\n"
}

/// Checks that an edit of a long kernel reparses at most one chunk, and that the tree equals the tree of a
/// full parse.
fn check_reparse(range: std::ops::Range<usize>, insert: &str) -> bool {
    let old_text = long_kernel();
    let old = parse_item(crate::wave::LANGUAGE, &old_text);
    // An editor has requested it, so it is kept up to date.
    old.green();
    let mut text = old_text.clone();
    text.replace_range(range, insert);
    let reparsed = reparse_item(crate::wave::LANGUAGE, old.clone(), &text.as_str().into(), None);
    let fresh = parse_item(crate::wave::LANGUAGE, &text);
    assert_eq!(reparsed.errors(), fresh.errors());
    assert!(reparsed.green() == fresh.green());
    let chunks = |parse: &crate::Parse| -> Vec<_> {
        let chunks = parse.syntax().descendants().filter(|node| node.kind() == crate::SyntaxKind::CHUNK);
        chunks.map(|chunk| std::ptr::from_ref::<rowan::GreenNodeData>(chunk.green())).collect()
    };
    let (old, new) = (chunks(&old), chunks(&reparsed));
    assert!(old.len() > 5);
    old.len() == new.len() && old.iter().zip(&new).filter(|(old, new)| old != new).count() <= 1
}

#[test]
fn an_edit_in_a_long_kernel_parses_one_chunk() {
    let text = long_kernel();
    let places: Vec<_> = text.match_indices("fadd").step_by(40).map(|(place, _)| place).collect();
    let local = places.iter().filter(|place| check_reparse(**place..**place + 4, "fsub")).count();
    assert!(local * 10 > places.len() * 9, "{local} of {} edits stayed in their chunk", places.len());
}

mod any_text {
    use proptest::prelude::*;

    use crate::{parse_file, parse_item};

    /// Fragments that make the parser leave its usual paths.
    const PIECES: &[&str] = &[
        ".kernel ",
        ".end",
        ".end\n",
        "k",
        "\n",
        " ",
        ",",
        ":",
        "@",
        "!",
        "p0",
        "r1",
        "r1.hi",
        ".lo",
        "sr_lane_id",
        "if",
        "icmp",
        ".lt",
        "1",
        "-1.5e",
        "0x",
        "[",
        "]",
        "; c\n",
        "//",
        "/*",
        "*/",
        "\"",
        "é",
        "\u{feff}",
        "\r\n",
        "\t",
        ".",
        "+",
        "$",
    ];

    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop_oneof![9 => prop::sample::select(PIECES).prop_map(str::to_owned), 1 => ".{0,3}"];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20, ..ProptestConfig::default() })]

        #[test]
        fn edits_of_a_long_kernel(place in 0usize..100_000, length in 0usize..30, insert in pieces()) {
            let end = super::long_kernel().len();
            let start = place.min(end);
            super::check_reparse(start..(start + length).min(end), &insert);
        }
    }

    proptest! {
        #[test]
        fn the_tree_is_the_text(text in pieces()) {
            let parse = parse_file(crate::wave::LANGUAGE, &text);
            prop_assert_eq!(parse.syntax().text().to_string(), text.clone());
            for error in parse.errors() {
                prop_assert!(text.get(std::ops::Range::<usize>::from(error.range)).is_some());
            }
            prop_assert_eq!(parse_item(crate::wave::LANGUAGE, &text).syntax().text().to_string(), text);
        }
    }
}
