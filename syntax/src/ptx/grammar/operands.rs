//! Operands of instructions and of tables.

use super::*;
use crate::parser::CompletedMarker;

/// `a, b, c`, up to the end of the statement that starts with the opcode or directive `word`.
pub(super) fn operands(p: &mut Parser<'_>, word: &str) {
    let first = p.position();
    loop {
        let after_comma = p.position() > first;
        if !at_operand(p) || after_comma && p.nth_starts_line(0) && at_statement(p, word) {
            missing_operand(p);
            if !p.at(T![,]) {
                return;
            }
        } else {
            operand(p);
        }
        if !p.eat(T![,]) {
            if p.at(T![;]) || !at_operand(p) || at_next_statement(p) {
                return;
            }
            missing_comma(p);
        }
    }
}

fn at_operand(p: &Parser<'_>) -> bool {
    p.at_any(&[
        T![ident],
        T![int_number],
        T![float_number],
        T![string],
        T!['['],
        T!['{'],
        T!['('],
        T!['_'],
        T![!],
        T![-],
        T![+],
        T![~],
    ])
}

/// Whether the next token starts another statement rather than an operand, so that the `;` before it is
/// missing.
pub(super) fn at_next_statement(p: &Parser<'_>) -> bool {
    match p.current() {
        T![@] => p.nth_starts_line(0) || at_guarded_instruction(p),
        T![dot_word] => p.nth_starts_line(0) || words::begins_item(p.current_text()),
        T!['}'] | T![dwarf_line] | EOF => true,
        T!['{'] => p.nth_starts_line(0),
        T![ident] if p.nth_starts_with(0, b'%') => false,
        T![ident] => match p.nth(1) {
            T![:] => p.nth_starts_line(0) || !at_path(p, 1) && starts_statement(p, 2),
            T![dot_word] => at_modified_opcode(p) && (p.nth_starts_line(0) || begins_operands(p)),
            T![,] => false,
            _ => p.nth_starts_line(0),
        },
        _ => false,
    }
}

/// `@%p1 bra`, `@!p ret`
fn at_guarded_instruction(p: &Parser<'_>) -> bool {
    let register = if p.nth(1) == T![!] { 2 } else { 1 };
    !at_version_of_name(p) && p.nth(register) == T![ident] && is_opcode(p, register + 1)
}

/// Whether a statement can start at the token `n`, which follows the `:` of a label.
fn starts_statement(p: &Parser<'_>, n: usize) -> bool {
    p.nth_starts_line(n) || is_opcode(p, n) || matches!(p.nth(n), T![@] | T!['}'] | EOF)
}

fn is_opcode(p: &Parser<'_>, n: usize) -> bool {
    p.nth(n) == T![ident] && !p.nth_starts_with(n, b'%')
}

/// Whether an opcode with a modifier is next, such as `add.s32`. A name before a selector, such as `v.b3` in a video instruction, looks the
/// same: it is an opcode only if operands follow.
pub(super) fn at_modified_opcode(p: &Parser<'_>) -> bool {
    p.at(T![ident])
        && !p.nth_starts_with(0, b'%')
        && p.nth(1) == T![dot_word]
        && p.nth_is_joint(1)
        && (!is_selector(p.nth_text(1)) || begins_operands(p))
}

/// `add.s32`, `bra L`, `ret;`, `L:`: at the start of a line, the statement before it, which starts with `word`, is unfinished.
fn at_statement(p: &Parser<'_>, word: &str) -> bool {
    let is_name = p.at(T![ident]) && !p.nth_starts_with(0, b'%');
    let is_plain = match p.nth(1) {
        T![:] => !at_path(p, 1) && starts_statement(p, 2),
        T![;] => {
            // They may be names of functions.
            matches!(p.current_text(), "ret" | "exit" | "trap") && !matches!(word, "call" | ".calltargets")
        }
        T![ident] => !p.nth_starts_line(1),
        _ => false,
    };
    at_modified_opcode(p) || is_name && is_plain
}

/// Whether the next token starts a line with another statement, although a bracket is open.
fn at_next_line(p: &Parser<'_>) -> bool {
    p.nth_starts_line(0) && at_statement(p, "")
}

/// Whether an operand follows this opcode on its line. A name with a dot, `anon.1`, is no opcode.
fn begins_operands(p: &Parser<'_>) -> bool {
    let words = (1..).take_while(|n| p.nth(*n) == T![dot_word] && p.nth_is_joint(*n)).count();
    let next = words + 1;
    !p.nth_starts_line(next)
        && !p.nth_is_joint(next)
        && matches!(p.nth(next), T![ident] | T![int_number] | T!['['] | T!['{'])
}

/// `.x` of a vector, `.b0` of a video operand.
pub(super) fn is_selector(word: &str) -> bool {
    matches!(word, ".x" | ".y" | ".z" | ".w" | ".r" | ".g" | ".b" | ".a")
        || matches!(word.as_bytes(), [b'.', b'b' | b'h', b'0'..=b'3', ..])
}

fn missing_operand(p: &mut Parser<'_>) {
    match p.current() {
        T![,] => p.error("expected an operand before this `,`: remove one `,`, or write the missing operand"),
        _ if p.previous_text() == "," && (p.at(T![;]) || at_statement_end(p)) => {
            p.error_after_previous("expected an operand after this `,`");
        }
        _ if at_statement_end(p) => p.error_after_previous("expected an operand"),
        _ => {
            p.error(format!("unexpected `{}`: expected an operand", p.current_text()));
        }
    }
}

fn missing_comma(p: &mut Parser<'_>) {
    let type_without_point = p.previous_text();
    if words::is_type_without_point(type_without_point) {
        p.error_after_previous(format!("missing `.` before `{type_without_point}`"));
    } else {
        p.error_after_previous("missing `,` after this operand");
    }
}

pub(super) fn operand(p: &mut Parser<'_>) {
    if !p.enter() {
        p.error("this is nested too deeply");
        leaf(p, ERROR);
        return;
    }
    let first = match p.current() {
        // A texture read has two results: a vector, and a predicate that says whether the texel is resident.
        T!['{'] => Some(vector(p)),
        T!['['] => {
            address(p);
            None
        }
        T!['('] if p.nth(1) != T![dot_word] => {
            arguments(p);
            None
        }
        T!['_'] => Some(leaf(p, SINK)),
        _ => expressions::operand(p),
    };
    if let Some(first) = first
        && p.at(T![|])
    {
        pair(p, first);
    }
    p.leave();
}

/// `%p1|%p2`
fn pair(p: &mut Parser<'_>, first: CompletedMarker) {
    let pair = first.precede(p);
    p.bump();
    match p.current() {
        T!['_'] => {
            leaf(p, SINK);
        }
        T![ident] | T![!] => {
            expressions::operand(p);
        }
        _ => p.error_after_previous("expected a register or `_` after `|`"),
    }
    pair.complete(p, PAIR);
}

/// `{%r1, %r2}`
fn vector(p: &mut Parser<'_>) -> CompletedMarker {
    let vector = p.start();
    p.bump();
    list(p, T!['}'], "missing `}` after the elements");
    vector.complete(p, VECTOR)
}

/// `[%rd1+4]`, `[tex, {%f1, %f2}]`
fn address(p: &mut Parser<'_>) {
    let address = p.start();
    p.bump();
    if p.at(T![']']) || at_next_line(p) {
        p.error_after_previous("expected an address after `[`");
    }
    list(p, T![']'], "missing `]` after the address");
    address.complete(p, ADDRESS);
}

/// `(%r1, %r2)`, or the start of an expression if an operator follows.
fn arguments(p: &mut Parser<'_>) {
    if expressions::at_parenthesised_expression(p) {
        expressions::expression(p);
        return;
    }
    let arguments = p.start();
    p.bump();
    list(p, T![')'], "missing `)` after the arguments");
    arguments.complete(p, ARG_LIST);
}

/// Operands separated by `,` and the closing token.
fn list(p: &mut Parser<'_>, close: crate::SyntaxKind, unclosed: &'static str) {
    if !p.at(close) && !at_next_line(p) && (at_operand(p) || p.at(T![,])) {
        operands(p, "");
    }
    p.expect(close, unclosed);
}
