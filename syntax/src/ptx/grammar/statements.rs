//! Statements: blocks, labels, tables, and instructions with any name.

use super::*;
use crate::SyntaxErrorKind;
use crate::chunks::Statements;

pub(crate) const STATEMENTS: Statements = Statements {
    statement,
    at_end: |p| p.at_any(&[T!['}'], EOF]),
    is_complete: |text| text.ends_with([';', '}']),
};

/// The body of a function. If its `{` is missing, the caller has reported that.
pub(super) fn body(p: &mut Parser<'_>) {
    let body = p.start();
    p.eat(T!['{']);
    STATEMENTS.body(p);
    let left_open = if p.at(T!['}']) { None } else { p.brace_closed_by_last(p.first_indentation()) };
    match left_open {
        Some(open) => p.error_at(
            open,
            "missing `}` for this `{`: the last `}` closes this block and leaves the function open",
        ),
        None => _ = p.expect(T!['}'], "missing `}`: the body of this function is not closed"),
    }
    body.complete(p, BLOCK);
}

pub(super) fn statement(p: &mut Parser<'_>) {
    match p.current() {
        T!['{'] => block(p),
        T![ident] if p.nth(1) == T![:] || at_invalid_label(p) => one_error(p, label_or_table),
        T![ident] | T![@] => one_error(p, instruction),
        T![!] if p.nth(1) == T![ident] => one_error(p, instruction),
        T![dot_word] => directive(p),
        T![dwarf_line] => directives::dwarf_line(p),
        T![;] => {
            p.error("empty statement: remove this `;`");
            leaf(p, ERROR);
        }
        _ => one_error(p, junk),
    }
}

fn block(p: &mut Parser<'_>) {
    if !p.enter() {
        p.error("this block is nested too deeply");
        return skip_block(p);
    }
    let block = p.start();
    p.bump();
    STATEMENTS.plain(p);
    // At the end of the text the body is not closed either, and reports it.
    p.eat(T!['}']);
    block.complete(p, BLOCK);
    p.leave();
}

/// A block nested too deeply for the tree, as an error node with its tokens.
fn skip_block(p: &mut Parser<'_>) {
    let skipped = p.start();
    let mut open = 0;
    loop {
        match p.current() {
            T!['{'] => open += 1,
            T!['}'] => open -= 1,
            EOF => break,
            _ => {}
        }
        p.bump();
        if open == 0 {
            break;
        }
    }
    skipped.complete(p, ERROR);
}

fn directive(p: &mut Parser<'_>) {
    if functions::at_prototype(p) {
        functions::prototype(p);
    } else if declarations::begins_variable(p.current_text()) {
        one_error(p, declarations::variable);
    } else if !directives::opt_directive(p) {
        one_error(p, directives::unknown);
    }
}

/// `L.1:` or `L@1:`, which are not allowed.
fn at_invalid_label(p: &Parser<'_>) -> bool {
    if p.nth(1) == T![@] && p.nth_is_joint(1) && p.nth_is_joint(2) {
        return matches!(p.nth(2), T![ident] | T![int_number]) && p.nth(3) == T![:];
    }
    let words = (1..).take_while(|n| p.nth(*n) == T![dot_word] && p.nth_is_joint(*n)).count();
    words > 0 && p.nth(words + 1) == T![:]
}

/// `L:`
pub(super) fn label(p: &mut Parser<'_>) {
    let label = p.start();
    declared_name(p);
    p.bump();
    label.complete(p, LABEL);
}

fn label_or_table(p: &mut Parser<'_>) {
    let kind = match p.nth_text(2) {
        ".branchtargets" => BRANCH_TARGETS,
        ".calltargets" => CALL_TARGETS,
        ".callprototype" => CALL_PROTOTYPE,
        _ => return label(p),
    };
    let table = p.start();
    label(p);
    let directive = p.current_text();
    p.bump();
    if kind == CALL_PROTOTYPE {
        prototype(p);
    } else {
        operands::operands(p, directive);
    }
    semicolon(p, "missing `;` after this table");
    table.complete(p, kind);
}

/// `(.param .b32 _) _ (.param .b64 _) .noreturn`
fn prototype(p: &mut Parser<'_>) {
    if p.at(T!['(']) {
        declarations::param_list(p, RETURN_LIST);
    }
    if !p.eat(T!['_']) {
        if p.at(T![ident]) {
            p.error("a `.callprototype` has `_` where a function has its name");
        }
        name(p, "expected `_` between the results and the parameters");
    }
    if p.at(T!['(']) {
        declarations::param_list(p, PARAM_LIST);
    }
    while p.at(T![dot_word]) && !p.nth_starts_line(0) {
        functions::function_directive(p);
    }
}

/// `@!%p1 add.s32 %r1, %r2, 3;`
fn instruction(p: &mut Parser<'_>) {
    let instruction = p.start();
    guard(p);
    if !p.at(T![ident]) || p.nth(1) == T![:] {
        if p.at(T!['{']) {
            p.error(
                "a guard is not allowed before a block: guard each instruction, or branch over the block",
            );
            p.last_error_is(SyntaxErrorKind::GuardedBlock);
        } else {
            p.error_after_previous(if p.at(T![ident]) {
                "the label must precede the guard"
            } else {
                "expected an instruction after the guard"
            });
        }
        p.eat(T![;]);
        instruction.complete(p, INSTRUCTION);
        return;
    }
    if at_label_without_colon(p) {
        leaf(p, NAME);
        p.error_after_previous("missing `:` after this label");
        instruction.complete(p, LABEL);
        return;
    }
    let opcode = p.current_text();
    p.bump();
    while p.at(T![dot_word]) && !at_directive_line(p) {
        p.bump();
    }
    // On the same line, `L` of `bra L:` is an operand rather than a label after an instruction without operands.
    let at_operand = p.at(T![ident]) && p.nth(1) == T![:] && !p.nth_starts_line(0);
    if at_operand || p.at(T!['{']) || !p.at(T![;]) && !operands::at_next_statement(p) {
        operands::operands(p, opcode);
    }
    semicolon(p, "missing `;` after this instruction");
    instruction.complete(p, INSTRUCTION);
}

/// A directive at the start of a line: the statement before it has no `;`. State spaces are also modifiers,
/// but then another modifier is attached to them, or operands follow.
fn at_directive_line(p: &Parser<'_>) -> bool {
    if !p.nth_starts_line(0) {
        return false;
    }
    let word = p.current_text();
    words::begins_item(word) && (!words::is_memory(word) || !p.nth_is_joint(1) && declares_variable(p))
}

/// `.shared .align 4 .b8 x[4];` rather than `.shared .b32 %r1, [x];`
fn declares_variable(p: &Parser<'_>) -> bool {
    let mut n = 1;
    while matches!(p.nth(n), T![dot_word] | T![int_number]) {
        n += 1;
    }
    let is_operand = p.nth_starts_with(n, b'%') || p.nth(n + 1) == T![,] && p.nth(n + 2) == T!['['];
    p.nth(n) == T![ident] && !is_operand
}

fn guard(p: &mut Parser<'_>) {
    let marked = p.at(T![@]);
    let unmarked =
        p.at(T![!]) || p.nth(1) == T![ident] && !p.nth_starts_line(1) && p.nth_starts_with(0, b'%');
    if !marked && !unmarked {
        return;
    }
    let guard = p.start();
    if !p.eat(T![@]) {
        p.error("a guard starts with `@`");
    }
    p.eat(T![!]);
    // `@ bra L` has no register; `@ %p1 bra L` has one.
    if p.at(T![ident]) && (p.nth_is_joint(0) || p.nth_starts_with(0, b'%')) {
        leaf(p, NAME_REF);
    } else if p.at(T!['{']) && p.nth(1) == T![ident] && p.nth(2) == T!['}'] {
        p.error("a guard is written without braces");
        let braces = p.start();
        (0..3).for_each(|_| p.bump());
        braces.complete(p, ERROR);
    } else {
        p.error_after_previous("expected a predicate register after `@`");
    }
    guard.complete(p, GUARD);
}

/// A word alone on its line that is not an opcode.
fn at_label_without_colon(p: &Parser<'_>) -> bool {
    p.nth_starts_line(1)
        && p.nth(1) != T![;]
        && p.current_text().contains(|letter: char| letter == '$' || letter.is_ascii_uppercase())
}

/// Text that does not start a statement, up to a token that can start one.
fn junk(p: &mut Parser<'_>) {
    let junk = p.start();
    p.error(format!("unexpected `{}`: expected an instruction, a label or a declaration", p.current_text()));
    p.bump();
    while !at_statement_end(p) && !p.at(T![;]) {
        p.bump();
    }
    p.eat(T![;]);
    junk.complete(p, ERROR);
}
