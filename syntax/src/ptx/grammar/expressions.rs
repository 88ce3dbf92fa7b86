//! Expressions: constants, names with offsets, and the operators of constant expressions.

use super::*;
use crate::SyntaxKind;
use crate::parser::CompletedMarker;

pub(super) fn expression(p: &mut Parser<'_>) {
    binary(p, 1, true);
}

/// An expression inside `<` and `>`, which are therefore not operators.
pub(super) fn without_angles(p: &mut Parser<'_>) {
    binary(p, 9, true);
}

/// An expression as an operand, in which `|` after a name forms a pair.
pub(super) fn operand(p: &mut Parser<'_>) -> Option<CompletedMarker> {
    binary(p, 1, false)
}

/// How many tokens are searched for the end of a parenthesis. Expressions that may be parsed are shorter.
const MAX_TOKENS: usize = 1024;

/// Whether an operator follows the parenthesis that opens here, so that it starts an expression.
pub(super) fn at_parenthesised_expression(p: &Parser<'_>) -> bool {
    let mut open = 0;
    let mut n = 0;
    loop {
        match p.nth(n) {
            T!['('] => open += 1,
            T![')'] => open -= 1,
            T![;] | T!['{'] | T!['}'] | EOF => return false,
            _ => {}
        }
        n += 1;
        if n == MAX_TOKENS {
            return false;
        }
        if open == 0 {
            return p.nth(n) == T![?] || strength(p.nth(n)) > 0;
        }
    }
}

/// The precedence of an operator; 0 if the token is not an operator.
fn strength(kind: SyntaxKind) -> u8 {
    match kind {
        T![||] => 1,
        T![&&] => 2,
        T![|] => 3,
        T![^] => 4,
        T![&] => 5,
        T![==] | T![!=] => 6,
        T![<] | T![<=] | T![>] | T![>=] => 7,
        T![<<] | T![>>] => 8,
        T![+] | T![-] => 9,
        T![*] | T![/] | T![%] => 10,
        _ => 0,
    }
}

fn binary(p: &mut Parser<'_>, weakest: u8, in_constant: bool) -> Option<CompletedMarker> {
    if !p.enter() {
        p.error("this is nested too deeply");
        leaf(p, ERROR);
        return None;
    }
    let result = unary(p, in_constant).map(|left| operators(p, left, weakest, in_constant));
    p.leave();
    result
}

/// The operators after `left`. Every operator adds a nesting level, so long chains are limited like deep
/// ones.
fn operators(
    p: &mut Parser<'_>,
    mut left: CompletedMarker,
    weakest: u8,
    in_constant: bool,
) -> CompletedMarker {
    let mut levels = 0;
    loop {
        let kind = p.current();
        let strength = strength(kind);
        let pairs = kind == T![|] && !in_constant && matches!(left.kind(), NAME_REF | MEMBER);
        let is_binary = strength > 0 && strength >= weakest && !pairs;
        let is_ternary = kind == T![?] && weakest <= 1;
        if !is_binary && !is_ternary {
            break;
        }
        if !p.enter() {
            p.error("this expression is too long");
            break;
        }
        levels += 1;
        let around = left.precede(p);
        p.bump();
        left = if is_binary {
            value(p, strength + 1);
            around.complete(p, BIN_EXPR)
        } else {
            value(p, 1);
            p.expect(T![:], "missing `:` and the other value after `?`");
            value(p, 1);
            around.complete(p, TERNARY_EXPR)
        };
    }
    for _ in 0..levels {
        p.leave();
    }
    left
}

/// What an operator takes, which no word with a point is: only the labels of sections start with one.
fn value(p: &mut Parser<'_>, weakest: u8) {
    if p.at(T![dot_word]) {
        p.error(format!("unexpected `{}`: expected a value", p.current_text()));
    }
    binary(p, weakest, true);
}

fn unary(p: &mut Parser<'_>, in_constant: bool) -> Option<CompletedMarker> {
    match p.current() {
        T![-] | T![+] | T![!] | T![~] => {
            let prefix = p.start();
            p.bump();
            if is_bit_pattern(p) {
                p.error("a bit pattern takes no sign: set its highest bit instead");
            }
            binary(p, 11, in_constant);
            Some(prefix.complete(p, PREFIX_EXPR))
        }
        T!['('] if p.nth(1) == T![dot_word] => {
            let cast = p.start();
            p.bump();
            if !matches!(p.current_text(), ".s64" | ".u64") {
                p.error(format!("`{}` is not a cast: constants have `.s64` or `.u64`", p.current_text()));
            }
            p.bump();
            p.expect(T![')'], "missing `)` after the type");
            binary(p, 11, true);
            Some(cast.complete(p, CAST_EXPR))
        }
        _ => atom(p, in_constant),
    }
}

/// Reports a name in the parentheses that open here. Only constants may be in parentheses.
fn name_in_parentheses(p: &mut Parser<'_>) {
    let mut open = 0;
    for n in 0.. {
        match p.nth(n) {
            T!['('] => open += 1,
            T![')'] => open -= 1,
            T![ident] if p.nth_text(n) != "WARP_SZ" => {
                let name = p.nth_text(n);
                return p.error(format!(
                    "only constants are allowed in parentheses: remove them from around `{name}`"
                ));
            }
            T![;] | T!['{'] | T!['}'] | EOF => return,
            _ => {}
        }
        if open == 0 {
            return;
        }
    }
}

fn is_bit_pattern(p: &Parser<'_>) -> bool {
    p.at(T![float_number]) && matches!(p.current_text().as_bytes(), [b'0', b'f' | b'F' | b'd' | b'D', ..])
}

fn atom(p: &mut Parser<'_>, in_constant: bool) -> Option<CompletedMarker> {
    match p.current() {
        T![ident] if p.nth_starts_line(0) && operands::at_modified_opcode(p) => {
            p.error_after_previous("expected a value after this");
            None
        }
        T![ident] => Some(named(p, in_constant)),
        T![int_number] | T![float_number] | T![string] => {
            let literal = leaf(p, LITERAL);
            Some(if p.at(T!['(']) { call(p, literal) } else { literal })
        }
        T![dot_word] => Some(leaf(p, WORD_OPERAND)),
        T!['('] => {
            let paren = p.start();
            name_in_parentheses(p);
            p.bump();
            expression(p);
            p.expect(T![')'], "missing `)` after this expression");
            Some(paren.complete(p, PAREN_EXPR))
        }
        _ if at_statement_end(p) || p.at(T![;]) => {
            p.error_after_previous("expected a value after this");
            None
        }
        _ => {
            p.error(format!("unexpected `{}`: expected a value", p.current_text()));
            None
        }
    }
}

/// A name and what may follow it directly: selectors, a count, an index, an argument.
fn named(p: &mut Parser<'_>, in_constant: bool) -> CompletedMarker {
    let text = p.current_text();
    let (is_register, is_number) = (text.starts_with('%'), text == "WARP_SZ");
    let name = leaf(p, NAME_REF);
    match p.current() {
        T![@] if at_version_of_name(p) => {
            rest_of_name(p);
            name
        }
        T![dot_word] if p.nth_is_joint(0) => {
            if is_register && in_constant {
                p.error("a register is not a constant");
            } else if is_number {
                p.error("`WARP_SZ` is a number: it has no components");
            } else if !is_register && (in_constant || !operands::is_selector(p.current_text())) {
                invalid_name(p);
            }
            let member = name.precede(p);
            p.bump();
            if p.at(T![dot_word]) && p.nth_is_joint(0) {
                p.error(format!("unexpected `{}`: an operand has one component", p.current_text()));
            }
            while p.at(T![dot_word]) && p.nth_is_joint(0) {
                p.bump();
            }
            member.complete(p, MEMBER)
        }
        T!['['] => {
            let index = name.precede(p);
            p.bump();
            value(p, 1);
            p.expect(T![']'], "missing `]` after the index");
            index.complete(p, INDEX_EXPR)
        }
        T![<] if p.nth(1) == T![int_number] && p.nth(2) == T![>] => {
            let range = name.precede(p);
            declarations::name_count(p);
            range.complete(p, NAME_RANGE)
        }
        T!['('] if text == "generic" => call(p, name),
        _ => name,
    }
}

/// `generic(sym)`, `0xff00(sym)`
fn call(p: &mut Parser<'_>, function: CompletedMarker) -> CompletedMarker {
    let call = function.precede(p);
    let is_generic = function.kind() == NAME_REF;
    p.bump();
    if is_generic && p.at(T![ident]) && matches!(p.nth(1), T![+] | T![-]) {
        p.error("`generic` takes a name only; add the offset after the parenthesis");
    } else if is_generic && p.at(T!['(']) {
        p.error("`generic` takes a name without parentheses");
    }
    expression(p);
    p.expect(T![')'], "missing `)` after the argument");
    call.complete(p, CALL_EXPR)
}
