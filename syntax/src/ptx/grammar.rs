//! PTX grammar: one file per level of the language.
//!
//! A statement has at most one error; later ones in the same statement would be consequences.

mod declarations;
mod directives;
mod expressions;
mod functions;
mod operands;
mod statements;

pub(super) use self::statements::STATEMENTS;
use super::words;
use crate::SyntaxKind::*;
use crate::T;
use crate::parser::Parser;

/// Parses one item of the scanner as the root of its tree.
pub(crate) fn item(p: &mut Parser<'_>) {
    let item = p.start();
    if !p.at(EOF) {
        declaration(p);
        leftovers(p);
    }
    item.complete(p, ITEM);
}

fn declaration(p: &mut Parser<'_>) {
    if !p.at(T![dot_word]) {
        return match p.current() {
            T![dwarf_line] => directives::dwarf_line(p),
            _ => stray_code(p),
        };
    }
    if functions::at_function(p) {
        return functions::function(p);
    }
    if p.current_text() == ".param" {
        return stray_code(p);
    }
    if declarations::begins_variable(p.current_text()) {
        return one_error(p, declarations::variable);
    }
    if !directives::opt_directive(p) {
        one_error(p, directives::unknown);
    }
}

/// Statements or parameters outside a function: one error for all of them.
fn stray_code(p: &mut Parser<'_>) {
    let stray = p.start();
    let message = match p.current() {
        T![dot_word] => {
            "`.param` is only allowed in parameter lists and functions: is the line with `.entry` or `.func` missing?"
        }
        T!['}'] => "unmatched `}`: remove it, or the earlier `}` that closes the body too soon",
        T![;] => "empty statement: remove this `;`",
        _ => "statement outside a function: is there an extra `}`, or a missing `{`, before it?",
    };
    p.error(message);
    let errors = p.error_count();
    while !p.at(EOF) {
        if p.at(T!['}']) {
            p.bump();
        } else {
            statements::statement(p);
        }
    }
    p.truncate_errors(errors);
    stray.complete(p, STRAY_CODE);
}

/// The tokens of the item that no rule has consumed.
fn leftovers(p: &mut Parser<'_>) {
    if p.at(EOF) {
        return;
    }
    let rest = p.start();
    if p.error_count() > 0 {
        // This is a consequence of the error already reported.
    } else if p.at(T![;]) {
        p.error("unexpected `;`: the directive before it takes none");
    } else {
        p.error(format!("unexpected `{}` here", p.current_text()));
    }
    while !p.at(EOF) {
        p.bump();
    }
    rest.complete(p, ERROR);
}

/// Runs a rule and keeps only its first error.
fn one_error(p: &mut Parser<'_>, rule: impl FnOnce(&mut Parser<'_>)) {
    let before = p.error_count();
    rule(p);
    p.truncate_errors(before + 1);
}

/// The `;` of a statement. If it is missing, reports that and skips the rest of the line.
fn semicolon(p: &mut Parser<'_>, message: &'static str) {
    if p.eat(T![;]) {
        return;
    }
    if at_statement_end(p) || operands::at_next_statement(p) {
        p.error_after_previous(message);
        return;
    }
    let rest = p.start();
    match p.current() {
        T![@] if p.nth(1) == T![ident] => p.error("a guard is written before its instruction"),
        _ => p.error(format!("unexpected `{}`: expected `,` or `;`", p.current_text())),
    }
    while !at_statement_end(p) && !p.at(T![;]) {
        p.bump();
    }
    rest.complete(p, ERROR);
    p.eat(T![;]);
}

/// Whether the statement must end here because the line, the block or the text ends.
fn at_statement_end(p: &Parser<'_>) -> bool {
    p.at_any(&[T!['}'], T!['{'], EOF]) || p.nth_starts_line(0)
}

/// A declared name. If there is none, reports `message`.
fn name(p: &mut Parser<'_>, message: &'static str) {
    // `add.s32` on the next line is not a name.
    if p.at(T![ident]) && !(p.nth_starts_line(0) && operands::at_modified_opcode(p)) {
        declared_name(p);
    } else {
        p.error_after_previous(message);
    }
}

/// A name that is declared. Any name is allowed except the predefined constant.
fn declared_name(p: &mut Parser<'_>) {
    if p.current_text() == "WARP_SZ" {
        p.error_of_its_own("`WARP_SZ` is a predefined constant; choose another name");
    }
    if p.current_text() == "$" {
        p.error_of_its_own("`$` alone is not a name: add a letter, a digit, `_` or `$`");
    }
    leaf(p, NAME);
    rest_of_name(p);
}

/// A name that is used. It may name anything.
fn name_ref(p: &mut Parser<'_>) {
    leaf(p, NAME_REF);
    rest_of_name(p);
}

/// `.x`, `@x` or `::x` right after a name, as in names of other languages.
fn rest_of_name(p: &mut Parser<'_>) {
    if at_rest_of_name(p) {
        let rest = p.start();
        invalid_name(p);
        while at_rest_of_name(p) {
            while p.eat(T![@]) || p.eat(T![:]) {}
            p.bump();
        }
        rest.complete(p, ERROR);
    }
}

fn at_rest_of_name(p: &Parser<'_>) -> bool {
    p.nth_is_joint(0) && p.at(T![dot_word]) || at_version_of_name(p) || at_path(p, 0)
}

/// `@v1` right after a name. `%r1@%p2 bra L` and `0@p bra L` lack a `;` instead.
fn at_version_of_name(p: &Parser<'_>) -> bool {
    p.at(T![@])
        && p.nth_is_joint(0)
        && p.nth_is_joint(1)
        && (p.nth(1) == T![ident] && !p.nth_starts_with(1, b'%') || p.nth(1) == T![int_number])
        && p.nth(2) != T![ident]
}

/// `::panic` after a name that ends before the token `n`, as in `core::panic`.
fn at_path(p: &Parser<'_>, n: usize) -> bool {
    p.nth(n) == T![:]
        && p.nth(n + 1) == T![:]
        && p.nth(n + 2) == T![ident]
        && (n..n + 3).all(|n| p.nth_is_joint(n))
}

fn invalid_name(p: &mut Parser<'_>) {
    let first = match p.current() {
        T![@] => '@',
        T![:] => ':',
        _ => '.',
    };
    p.error(format!("a name cannot contain `{first}`; its characters are letters, digits, `_` and `$`"));
}

/// Wraps the next token in a node.
fn leaf(p: &mut Parser<'_>, kind: crate::SyntaxKind) -> crate::parser::CompletedMarker {
    let leaf = p.start();
    p.bump();
    leaf.complete(p, kind)
}
