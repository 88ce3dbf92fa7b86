//! SASS grammar: one node for each line of code, which ends with its line.

use crate::SyntaxKind::{self, *};
use crate::parser::Parser;

/// An item: any lines.
pub(crate) fn item(p: &mut Parser<'_>) {
    let item = p.start();
    while !p.at(EOF) {
        line(p);
    }
    item.complete(p, ITEM);
}

/// One line of code, or a single token of any other line.
fn line(p: &mut Parser<'_>) {
    match p.current() {
        ADDRESS_COMMENT if p.nth(1) == DOT_WORD => rest_of_line(p, DATA),
        ADDRESS_COMMENT if p.nth(1) == NEWLINE => p.bump(),
        ADDRESS_COMMENT | AT | L_BRACE => instruction(p),
        DOT_WORD => rest_of_line(p, DIRECTIVE),
        HEADER_WORD => header(p),
        IDENT if p.nth(1) == COLON => label(p),
        IDENT => instruction(p),
        _ => p.bump(),
    }
}

/// Everything up to the end of the line.
fn rest_of_line(p: &mut Parser<'_>, kind: SyntaxKind) {
    let node = p.start();
    while !matches!(p.current(), NEWLINE | ENCODING | EOF) {
        p.bump();
    }
    node.complete(p, kind);
}

fn label(p: &mut Parser<'_>) {
    let label = p.start();
    name(p);
    p.bump();
    label.complete(p, LABEL);
}

fn name(p: &mut Parser<'_>) {
    let name = p.start();
    p.bump();
    name.complete(p, NAME);
}

fn header(p: &mut Parser<'_>) {
    let header = p.start();
    p.bump();
    while !matches!(p.current(), NEWLINE | EOF) {
        if p.at(IDENT) { name(p) } else { p.bump() }
    }
    header.complete(p, HEADER);
}

fn instruction(p: &mut Parser<'_>) {
    let instruction = p.start();
    if p.eat(ADDRESS_COMMENT) {
        p.eat(ENCODING);
    }
    p.eat(L_BRACE);
    if p.at(AT) {
        guard(p);
    }
    p.eat(IDENT);
    while p.at(DOT_WORD) {
        p.bump();
    }
    while !at_end(p) {
        match p.current() {
            COMMA | NOTE => p.bump(),
            _ => operand(p),
        }
    }
    while matches!(p.current(), SEMICOLON | R_BRACE | NOTE) {
        p.bump();
    }
    instruction.complete(p, INSTRUCTION);
}

/// `@!P0`
fn guard(p: &mut Parser<'_>) {
    let guard = p.start();
    p.bump();
    p.eat(BANG);
    p.eat(IDENT);
    guard.complete(p, GUARD);
}

/// Whether the operands end here, with the statement, the line or the text.
fn at_end(p: &Parser<'_>) -> bool {
    matches!(p.current(), SEMICOLON | R_BRACE | NEWLINE | ENCODING | EOF)
}

/// The tokens up to a comma that is not in braces.
fn operand(p: &mut Parser<'_>) {
    let operand = p.start();
    let mut braces = 0_u32;
    while !at_end(p) || braces > 0 && p.at(R_BRACE) {
        match p.current() {
            L_BRACE => braces += 1,
            R_BRACE => braces -= 1,
            COMMA if braces == 0 => break,
            NOTE => break,
            _ => {}
        }
        p.bump();
    }
    operand.complete(p, OPERAND);
}
