//! WAVE grammar, by recursive descent.
//!
//! A statement ends with its line, or earlier if its operand list is complete: `mov_imm r0, 1 mov_imm r1, 2`
//! is two instructions. A word right after a mnemonic is its operand, as the assembler reads it (`call
//! helper`). If the word is followed by operands of its own (`else iadd r0, r0, r1`), it is read as an
//! instruction instead, with an error.

use crate::SyntaxKind::{self, *};
use crate::chunks::Statements;
use crate::parser::Parser;

use super::words::{is_end, is_kernel};

/// An item of the scanner, or any other text.
pub(crate) fn item(p: &mut Parser<'_>) {
    let item = p.start();
    while !p.at(EOF) {
        if at_directive(p, is_kernel) { kernel(p) } else { stray_code(p) }
    }
    item.complete(p, ITEM);
}

fn at_directive(p: &Parser<'_>, is: fn(&str) -> bool) -> bool {
    p.at(DOT_WORD) && is(p.current_text())
}

/// Whether the next token is `.kernel` or `.end`, which no statement contains.
fn at_boundary(p: &Parser<'_>) -> bool {
    at_directive(p, |word| is_kernel(word) || is_end(word))
}

fn kernel(p: &mut Parser<'_>) {
    let kernel = p.start();
    let opening = p.current_range();
    let name = kernel_header(p);
    let block = p.start();
    STATEMENTS.body(p);
    block.complete(p, BLOCK);
    if at_directive(p, is_end) {
        kernel_end(p);
    } else {
        p.error_at(name.unwrap_or(opening), "missing `.end`: this kernel is not closed");
    }
    kernel.complete(p, KERNEL);
}

/// `.kernel name`; returns the range of the name.
fn kernel_header(p: &mut Parser<'_>) -> Option<crate::TextRange> {
    let header = p.start();
    lower_case_directive(p);
    let range = p.current_range();
    let mut name = None;
    if p.nth_starts_line(0) {
        p.error_after_previous("missing name after `.kernel`");
    } else if p.at(IDENT) {
        let node = p.start();
        p.bump();
        node.complete(p, NAME);
        name = Some(range);
        if p.at(COLON) && !p.nth_starts_line(0) {
            skip(p, 1, "unexpected `:` after the name of a kernel: remove it");
        }
    } else if p.at_any(&[GENERAL_REGISTER, PREDICATE_REGISTER, SPECIAL_NAME]) {
        let message = format!("`{}` is a register, not a name for a kernel", p.current_text());
        skip(p, 1, message);
    } else {
        p.error_after_previous("missing name after `.kernel`");
    }
    header.complete(p, KERNEL_HEADER);
    name
}

fn kernel_end(p: &mut Parser<'_>) {
    let end = p.start();
    lower_case_directive(p);
    end.complete(p, KERNEL_END);
}

/// Consumes `.kernel` or `.end`; reports upper case.
fn lower_case_directive(p: &mut Parser<'_>) {
    let word = p.current_text();
    if word.contains(|c: char| c.is_ascii_uppercase()) {
        p.error(format!("directives are lower case: write `{}`", word.to_ascii_lowercase()));
    }
    p.bump();
}

/// Code outside a kernel, up to the next kernel. Labels and directives are allowed; errors are at the first
/// instruction and at the first `.end`.
fn stray_code(p: &mut Parser<'_>) {
    let stray = p.start();
    let (mut end_reported, mut instruction_reported) = (false, false);
    while !p.at(EOF) && !at_directive(p, is_kernel) {
        if at_directive(p, is_end) {
            if !std::mem::replace(&mut end_reported, true) {
                p.error_of_its_own("unmatched `.end`: no kernel is open here, remove it");
            }
            kernel_end(p);
            continue;
        }
        let instruction = p.at_any(&[AT, IDENT]) && !at_label(p);
        if instruction && !std::mem::replace(&mut instruction_reported, true) {
            p.error_of_its_own("instruction outside a kernel: add `.kernel name` before it");
        }
        statement(p);
    }
    stray.complete(p, STRAY_CODE);
}

pub(super) const STATEMENTS: Statements =
    Statements { statement, at_end: |p| p.at(EOF) || at_boundary(p), is_complete: |_| true };

fn statement(p: &mut Parser<'_>) {
    match p.current() {
        DOT_WORD => directive(p),
        _ if at_label(p) => label(p),
        IDENT | AT => instruction(p),
        _ => {
            let message = if is_foreign(p.current()) {
                unexpected(p)
            } else {
                "expected an instruction, a directive or a label".to_owned()
            };
            if p.nth_starts_line(0) {
                p.error_of_its_own(message);
            } else {
                p.error(message);
            }
            let rest = rest_of_line(p);
            skip_silently(p, rest.max(1));
        }
    }
}

/// `.registers 16`
fn directive(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
    if !p.nth_starts_line(0) && starts_operand(p, 0) && !p.at(DOT_WORD) {
        operands(p);
    }
    directive.complete(p, DIRECTIVE);
}

fn at_label(p: &Parser<'_>) -> bool {
    p.at_any(&[IDENT, GENERAL_REGISTER, PREDICATE_REGISTER, SPECIAL_NAME]) && colon_follows(p, 0)
}

fn colon_follows(p: &Parser<'_>, n: usize) -> bool {
    p.nth(n + 1) == COLON && !p.nth_starts_line(n + 1)
}

/// `helper:`
fn label(p: &mut Parser<'_>) {
    let label = p.start();
    if p.at(IDENT) {
        let name = p.start();
        p.bump();
        name.complete(p, NAME);
    } else if is_register(p.current_text()) {
        let message = format!("`{}` is a register, not a name for a label", p.current_text());
        skip(p, 1, message);
    } else {
        // The lexer has reported why this is not a name.
        skip_silently(p, 1);
    }
    p.bump();
    label.complete(p, LABEL);
}

/// Whether a word that lexes as a register is one, rather than a longer word that starts like one.
fn is_register(word: &str) -> bool {
    word.starts_with("sr_") || word[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// `@!p1 device_load.u32.cached r0, r1`
fn instruction(p: &mut Parser<'_>) {
    let instruction = p.start();
    let errors = p.error_count();
    let guarded = p.at(AT);
    if guarded {
        guard(p);
    }
    if p.at(IDENT) && !at_label(p) && !(guarded && p.nth_starts_line(0)) {
        p.bump();
        suffixes(p);
        if !p.nth_starts_line(0) && starts_operand(p, 0) {
            if word_is_instruction(p) {
                p.error(
                    "the assembler reads this word as an operand of the instruction before it: put it on a line of its own",
                );
            } else {
                operands(p);
            }
        } else if p.at(COMMA) && !p.nth_starts_line(0) {
            operands(p);
        } else if at_boundary(p) && !p.nth_starts_line(0) {
            p.error("the assembler reads this word as an operand of the instruction before it: put it on a line of its own");
        }
    } else if p.error_count() == errors {
        p.error_after_previous("missing instruction after the guard");
    }
    instruction.complete(p, INSTRUCTION);
}

/// `@p1`, `@!p1`
fn guard(p: &mut Parser<'_>) {
    let guard = p.start();
    p.bump();
    let mut joint = p.nth_is_joint(0);
    if p.at(BANG) && !p.nth_starts_line(0) {
        p.bump();
        joint &= p.nth_is_joint(0);
    }
    let same_line = !p.nth_starts_line(0);
    if p.at(PREDICATE_REGISTER) && same_line {
        if !joint {
            p.error("a guard contains no spaces: write `@p1` or `@!p1`");
        }
        p.bump();
    } else {
        let message = "a guard names a predicate register: `@p1` or `@!p1`";
        let meant = !p.at(IDENT) || p.nth(1) == IDENT && !p.nth_starts_line(1);
        if same_line && meant { skip(p, 1, message) } else { p.error_after_previous(message) }
    }
    guard.complete(p, GUARD);
}

/// `.lt`, `.u32.cached`. A word after a space counts as a suffix if an operand follows it without a comma.
fn suffixes(p: &mut Parser<'_>) {
    while p.at(DOT_WORD) && !at_boundary(p) {
        let operand_follows = !p.nth_starts_line(0)
            && !p.nth_starts_line(1)
            && starts_operand(p, 1)
            && !matches!(p.nth(1), IDENT | DOT_WORD)
            && !is_foreign(p.nth(1));
        if !p.nth_is_joint(0) && !operand_follows {
            break;
        }
        p.bump();
    }
}

/// Whether the word in the position of the first operand has operands of its own.
fn word_is_instruction(p: &Parser<'_>) -> bool {
    if !p.at(IDENT) {
        return false;
    }
    let mut next = 1;
    while p.nth(next) == DOT_WORD && p.nth_is_joint(next) {
        next += 1;
    }
    let operand =
        matches!(p.nth(next), GENERAL_REGISTER | PREDICATE_REGISTER | SPECIAL_NAME | BANG | L_BRACKET);
    operand && !p.nth_starts_line(next)
}

/// Whether the token `n` after the next one can start an operand.
fn starts_operand(p: &Parser<'_>, n: usize) -> bool {
    match p.nth(n) {
        IDENT => !colon_follows(p, n),
        DOT_WORD => !(is_kernel(p.nth_text(n)) || is_end(p.nth_text(n))),
        AT | COMMA | COLON | R_BRACKET | EOF => false,
        _ => true,
    }
}

/// Whether no WAVE statement contains such a token.
fn is_foreign(kind: SyntaxKind) -> bool {
    !matches!(
        kind,
        IDENT
            | DOT_WORD
            | GENERAL_REGISTER
            | PREDICATE_REGISTER
            | SPECIAL_NAME
            | INT_NUMBER
            | FLOAT_NUMBER
            | BANG
            | AT
            | COMMA
            | COLON
            | L_BRACKET
            | R_BRACKET
            | EOF
    )
}

/// Operands and the commas between them, up to the end of the list or of the line.
fn operands(p: &mut Parser<'_>) {
    let mut wanted = true;
    while !p.nth_starts_line(0) {
        if p.at(COMMA) {
            if wanted {
                p.error("missing operand before this comma");
            }
            p.bump();
            wanted = true;
        } else if !starts_operand(p, 0) || !wanted && p.at_any(&[IDENT, DOT_WORD]) {
            break;
        } else {
            if !wanted && !p.at(L_BRACKET) && !is_foreign(p.current()) {
                p.error("missing comma before this operand");
            }
            operand(p);
            wanted = false;
        }
    }
    if wanted {
        p.error_at_line_end("missing operand after this comma: an operand list ends with its line");
    }
    if p.at_any(&[R_BRACKET, COLON]) && !p.nth_starts_line(0) {
        let message = unexpected(p);
        let rest = rest_of_line(p);
        skip(p, rest, message);
    }
}

fn operand(p: &mut Parser<'_>) {
    let operand = p.start();
    let kind = match p.current() {
        GENERAL_REGISTER => {
            p.bump();
            half(p);
            REGISTER
        }
        PREDICATE_REGISTER => {
            p.bump();
            PREDICATE
        }
        BANG => {
            p.bump();
            if p.nth_starts_line(0) || !p.eat(PREDICATE_REGISTER) {
                p.error_after_previous("missing predicate register after `!`: write for example `!p0`");
            }
            PREDICATE
        }
        SPECIAL_NAME => {
            p.bump();
            SPECIAL_REGISTER
        }
        DOT_WORD => {
            p.bump();
            SCOPE
        }
        IDENT => {
            p.bump();
            NAME_REF
        }
        L_BRACKET => {
            operand.abandon(p);
            return bracket(p);
        }
        INT_NUMBER | FLOAT_NUMBER => {
            p.bump();
            LITERAL
        }
        _ => {
            operand.abandon(p);
            let message = unexpected(p);
            let rest = rest_of_operand(p);
            return skip(p, rest, message);
        }
    };
    operand.complete(p, kind);
}

/// `.lo` or `.hi`
fn half(p: &mut Parser<'_>) {
    if p.at(DOT_WORD) && p.nth_is_joint(0) && at_boundary(p) {
        p.error("the assembler reads this word as a half of the register: put it on a line of its own");
    } else if p.at(DOT_WORD) && p.nth_is_joint(0) {
        if !matches!(p.current_text(), ".lo" | ".hi") {
            p.error("a half of a register is `.lo` or `.hi`");
        }
        p.bump();
    }
}

/// `[r1 + 4]`, as other languages write addresses. The register becomes the operand, the rest is skipped.
fn bracket(p: &mut Parser<'_>) {
    let register = p.nth(1) == GENERAL_REGISTER && !p.nth_starts_line(1);
    skip(p, 1, "an address is a register alone, without brackets or offset");
    if register {
        operand(p);
    }
    let rest = rest_of_operand(p);
    if rest > 0 {
        skip_silently(p, rest);
    }
}

fn unexpected(p: &Parser<'_>) -> String {
    let text = p.current_text();
    match text.as_bytes().first() {
        Some(b'"' | b'\'') => "WAVE has no strings".to_owned(),
        Some(b'(' | b')') => "WAVE has no parentheses".to_owned(),
        _ if text == "." => "missing name after this dot".to_owned(),
        _ => format!("unexpected `{text}`"),
    }
}

/// The number of tokens left on this line.
fn rest_of_line(p: &Parser<'_>) -> usize {
    tokens_until(p, |_| false)
}

/// The number of tokens left before the next comma or the end of the line.
fn rest_of_operand(p: &Parser<'_>) -> usize {
    tokens_until(p, |kind| kind == COMMA)
}

fn tokens_until(p: &Parser<'_>, stops: impl Fn(SyntaxKind) -> bool) -> usize {
    let mut n = 0;
    loop {
        let kind = p.nth(n);
        let boundary = kind == DOT_WORD && (is_kernel(p.nth_text(n)) || is_end(p.nth_text(n)));
        if kind == EOF || boundary || stops(kind) || n > 0 && p.nth_starts_line(n) {
            return n;
        }
        n += 1;
    }
}

/// Puts `tokens` tokens, but at least one, into an error node.
fn skip(p: &mut Parser<'_>, tokens: usize, message: impl Into<smol_str::SmolStr>) {
    p.error(message);
    skip_silently(p, tokens.max(1));
}

fn skip_silently(p: &mut Parser<'_>, tokens: usize) {
    let error = p.start();
    for _ in 0..tokens {
        p.bump();
    }
    error.complete(p, ERROR);
}
