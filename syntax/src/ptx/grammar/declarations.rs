//! Variables and parameters, with their qualifiers, types and initializers.

use super::*;

/// Whether a declaration of a variable starts with this word.
pub(super) fn begins_variable(word: &str) -> bool {
    words::is_state_space(word) || words::is_linkage(word) || is_qualifier(word)
}

/// A word that is allowed before and after the state space.
fn is_qualifier(word: &str) -> bool {
    matches!(word, ".align" | ".attribute")
}

/// `.visible .global .align 4 .f32 a[2] = {1.0, 2.0}, b;`
pub(super) fn variable(p: &mut Parser<'_>) {
    let variable = p.start();
    linkage(p);
    qualifiers(p);
    if p.at(T![dot_word]) && words::is_state_space(p.current_text()) {
        leaf(p, STATE_SPACE);
    } else {
        p.error_after_previous("expected a state space such as `.global` after this word");
        if !p.at(T![dot_word]) || p.nth_starts_line(0) {
            variable.complete(p, VARIABLE);
            return;
        }
    }
    specifiers(p);
    // Without a name nothing is declared, but the assembler accepts it.
    if !p.at(T![;]) {
        variable_declarator(p);
    }
    while p.eat(T![,]) {
        variable_declarator(p);
    }
    semicolon(p, "missing `;` after this declaration");
    variable.complete(p, VARIABLE);
}

/// A parameter may be called `_`, a variable may not.
fn variable_declarator(p: &mut Parser<'_>) {
    if p.at(T!['_']) {
        p.error_of_its_own("`_` alone is not a name: add a letter or a digit");
    }
    declarator(p);
}

/// At most one linkage word.
pub(super) fn linkage(p: &mut Parser<'_>) {
    let mut first = true;
    while p.at(T![dot_word]) && words::is_linkage(p.current_text()) {
        if !first {
            p.error("only one linkage directive is allowed: remove this one");
        }
        leaf(p, LINKAGE);
        first = false;
    }
}

/// `.align 8`, `.attribute(.managed)`
fn qualifiers(p: &mut Parser<'_>) {
    while p.at(T![dot_word]) && is_qualifier(p.current_text()) {
        match p.current_text() {
            ".align" => alignment(p),
            _ => attribute(p),
        }
    }
}

/// The words between the state space and the name, in any order; reports a wrong order.
fn specifiers(p: &mut Parser<'_>) {
    let (mut sized, mut typed) = (false, false);
    while p.at(T![dot_word]) {
        match p.current_text() {
            word if is_qualifier(word) => {
                if sized || typed {
                    p.error(format!("`{word}` must precede the type and the vector length"));
                }
                qualifiers(p);
            }
            ".ptr" => pointer(p),
            word if words::is_vector_size(word) && !typed => {
                leaf(p, VECTOR_SIZE);
                sized = true;
            }
            _ => {
                if typed {
                    p.error("a second type: expected a name");
                }
                leaf(p, TYPE_NAME);
                typed = true;
            }
        }
    }
    if !typed {
        p.error_after_previous("missing type after this word, such as `.b32`");
    }
}

fn alignment(p: &mut Parser<'_>) {
    let alignment = p.start();
    p.bump();
    if p.at_any(&[T![int_number], T!['(']]) || p.current_text() == "WARP_SZ" {
        expressions::expression(p);
    } else {
        p.error_after_previous("`.align` takes a number of bytes");
    }
    alignment.complete(p, ALIGNMENT);
}

/// `.ptr .global .align 16`
fn pointer(p: &mut Parser<'_>) {
    let pointer = p.start();
    p.bump();
    if p.at(T![dot_word]) && p.current_text() != ".align" {
        if !matches!(p.current_text(), ".const" | ".global" | ".local" | ".shared") {
            p.error(
                "`.ptr` takes `.const`, `.global`, `.local` or `.shared`: write one of these, or remove this word",
            );
        }
        leaf(p, STATE_SPACE);
    }
    if p.at(T![dot_word]) && p.current_text() == ".align" {
        alignment(p);
    }
    pointer.complete(p, POINTER);
}

/// `.attribute(.managed)`, `.attribute(.unified(1, 2))`
pub(super) fn attribute(p: &mut Parser<'_>) {
    let attribute = p.start();
    p.bump();
    let mut open = 0;
    loop {
        match p.current() {
            T!['('] => open += 1,
            T![')'] if open > 0 => open -= 1,
            T![dot_word] | T![int_number] | T![,] if open > 0 => {}
            _ => break,
        }
        p.bump();
        if open == 0 {
            break;
        }
    }
    if open > 0 {
        p.error_after_previous("missing `)` after the attributes");
    }
    attribute.complete(p, ATTRIBUTE);
}

/// `x<3>`, `a[2] = {1, 2}`
fn declarator(p: &mut Parser<'_>) {
    let declarator = p.start();
    if !p.eat(T!['_']) {
        name(p, "expected a name to declare");
    }
    if p.at(T![<]) {
        name_count(p);
    }
    while p.at(T!['[']) {
        dimension(p);
    }
    if p.at(T![=]) {
        initializer(p);
    }
    declarator.complete(p, DECLARATOR);
}

/// `<100>`
pub(super) fn name_count(p: &mut Parser<'_>) {
    let count = p.start();
    p.bump();
    if p.at(T![>]) {
        p.error_after_previous("expected the number of names after `<`");
    } else {
        expressions::without_angles(p);
    }
    p.expect(T![>], "missing `>` after the number of names");
    count.complete(p, NAME_COUNT);
}

fn dimension(p: &mut Parser<'_>) {
    let dimension = p.start();
    p.bump();
    match p.current() {
        T![']'] => {}
        T![-] if p.nth(1) == T![int_number] => functions::negative_number(p),
        _ => expressions::expression(p),
    }
    p.expect(T![']'], "missing `]` after the size");
    dimension.complete(p, DIMENSION);
}

fn initializer(p: &mut Parser<'_>) {
    let initializer = p.start();
    p.bump();
    initializer_value(p);
    initializer.complete(p, INITIALIZER);
}

fn initializer_value(p: &mut Parser<'_>) {
    if !p.at(T!['{']) {
        expressions::expression(p);
        // `addr_mode_0 = wrap` of a sampler
        if p.eat(T![=]) {
            expressions::expression(p);
        }
    } else if p.enter() {
        initializer_list(p);
        p.leave();
    } else {
        p.error("this is nested too deeply");
        p.bump();
    }
}

fn initializer_list(p: &mut Parser<'_>) {
    let list = p.start();
    p.bump();
    while !p.at_any(&[T!['}'], T![;], EOF]) {
        let before = p.position();
        initializer_value(p);
        if !p.at_any(&[T!['}'], T![;], EOF])
            && p.expect(T![,], "missing `,` between these values")
            && p.at(T!['}'])
        {
            p.error_after_previous("expected another value after this `,`");
        }
        if p.position() == before {
            p.bump();
        }
    }
    p.expect(T!['}'], "missing `}` after the values");
    list.complete(p, INITIALIZER_LIST);
}

/// `(.param .u64 x, .param .align 8 .b8 y[16])`, as a list node of this kind.
pub(super) fn param_list(p: &mut Parser<'_>, kind: crate::SyntaxKind) {
    let list = p.start();
    p.expect(T!['('], "missing `(` before the parameters");
    while !at_list_end(p) {
        let before = p.position();
        param(p);
        if !at_list_end(p) && p.expect(T![,], "missing `,` between these parameters") && p.at(T![')']) {
            p.error_after_previous("expected another parameter after this `,`");
        }
        if p.position() == before {
            leaf(p, ERROR);
        }
    }
    p.expect(T![')'], "missing `)` after the parameters");
    list.complete(p, kind);
}

fn at_list_end(p: &Parser<'_>) -> bool {
    p.at_any(&[T![')'], T!['{'], T!['}'], T![;], EOF])
}

fn param(p: &mut Parser<'_>) {
    let param = p.start();
    qualifiers(p);
    if p.at(T![dot_word]) && words::is_state_space(p.current_text()) {
        leaf(p, STATE_SPACE);
    } else {
        p.error("a parameter starts with `.param` or `.reg`");
    }
    specifiers(p);
    declarator(p);
    param.complete(p, PARAM);
}
