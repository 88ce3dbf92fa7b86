//! Kernels and device functions: the header and the braces of the body.

use super::*;

/// Whether a function starts here. A mistyped `.entry` or `.func` counts too.
pub(super) fn at_function(p: &Parser<'_>) -> bool {
    let mut n = 0;
    while p.nth(n) == T![dot_word] && n < 4 {
        if words::is_function(p.nth_text(n)) {
            return true;
        }
        n += 1;
    }
    // `.visible .entyr saxpy(`
    p.nth(n) == T![ident]
        && p.nth(n + 1) == T!['(']
        && !words::is_state_space(p.nth_text(0))
        && (n == 1 || n == 2 && words::is_linkage(p.nth_text(0)) && !words::is_state_space(p.nth_text(1)))
}

/// `.visible .entry saxpy(...) .maxntid 128 { ... }`
pub(super) fn function(p: &mut Parser<'_>) {
    let function = p.start();
    let is_kernel = (0..4).any(|n| p.nth_text(n) == ".entry");
    one_error(p, header);
    match p.current() {
        T!['{'] => statements::body(p),
        T![;] => p.bump(),
        // Old compilers wrote function declarations without a `;`.
        EOF if !is_kernel => {}
        EOF => p.error_after_previous("expected `{` and the body of this kernel"),
        _ => {
            p.error_after_previous("missing `{` before the body of this function");
            statements::body(p);
        }
    }
    function.complete(p, FUNCTION);
}

/// Whether a prototype starts here, between statements. It declares a function of the module from there on.
pub(super) fn at_prototype(p: &Parser<'_>) -> bool {
    p.current_text() == ".func" || words::is_linkage(p.current_text()) && p.nth_text(1) == ".func"
}

/// `.extern .func f (.param .b32 x);` in a body. A nested function body is not allowed.
pub(super) fn prototype(p: &mut Parser<'_>) {
    let function = p.start();
    one_error(p, header);
    p.expect(T![;], "missing `;` after this prototype");
    function.complete(p, FUNCTION);
}

/// Everything before the body or the `;`.
fn header(p: &mut Parser<'_>) {
    declarations::linkage(p);
    let is_kernel = p.current_text() == ".entry";
    directive_word(p);
    if p.at(T![dot_word]) && p.current_text() == ".attribute" {
        if is_kernel {
            p.error("a kernel takes no `.attribute`: remove it");
        }
        declarations::attribute(p);
    }
    if p.at(T!['(']) {
        let list = p.current_range();
        declarations::param_list(p, RETURN_LIST);
        if is_kernel && p.at(T![ident]) {
            p.error_at(list, "a kernel returns nothing: remove the list before its name");
        }
    }
    if p.at(T![dot_word]) && !words::is_state_space(p.current_text()) {
        p.error(format!("`{}` must follow the parameters", p.current_text()));
        function_directive(p);
    }
    name(p, "missing name of this function");
    let params_without_paren = p.at(T![dot_word]) && matches!(p.current_text(), ".param");
    if p.at(T!['(']) || params_without_paren {
        declarations::param_list(p, PARAM_LIST);
    }
    while p.at(T![dot_word]) && !words::begins_body(p.current_text()) {
        function_directive(p);
    }
    if !p.at_any(&[T!['{'], T![;], EOF]) && !at_body_without_brace(p) {
        let rest = p.start();
        p.error(format!("unexpected `{}` before the body of this function", p.current_text()));
        while !p.at_any(&[T!['{'], T![;], EOF]) && !at_body_without_brace(p) {
            p.bump();
        }
        rest.complete(p, ERROR);
    }
}

/// `.entry` or `.func`, and any invalid words before it.
fn directive_word(p: &mut Parser<'_>) {
    while p.at(T![dot_word]) && !words::is_function(p.current_text()) {
        let last = p.nth(1) != T![dot_word];
        if last {
            p.error(format!(
                "unknown directive `{}`: a function starts with `.entry` or `.func`",
                p.current_text()
            ));
            break;
        }
        p.error(format!(
            "unknown linkage directive `{}`: expected `.visible`, `.extern` or `.weak`",
            p.current_text()
        ));
        leaf(p, LINKAGE);
    }
    p.bump();
}

/// Whether a statement starts here, so that the `{` of the body is missing.
fn at_body_without_brace(p: &Parser<'_>) -> bool {
    match p.current() {
        T![ident] | T![@] => p.nth_starts_line(0),
        T![dot_word] => words::begins_body(p.current_text()),
        _ => false,
    }
}

/// `.maxntid 16, 16`, `.noreturn`, or a pragma.
pub(super) fn function_directive(p: &mut Parser<'_>) {
    if p.current_text() == ".pragma" {
        return directives::directive(p, PRAGMA_DIRECTIVE, directives::pragma);
    }
    let directive = p.start();
    p.bump();
    if p.at(T![-]) {
        negative_number(p);
    } else if at_value(p) {
        value(p);
        while p.eat(T![,]) {
            if p.at(T![-]) {
                negative_number(p);
                break;
            }
            value(p);
        }
    }
    directive.complete(p, FUNCTION_DIRECTIVE);
}

/// `-5`, which is not allowed.
pub(super) fn negative_number(p: &mut Parser<'_>) {
    let negative = p.start();
    p.error("a negative number is not allowed here");
    p.bump();
    while p.at_any(&[T![int_number], T![float_number], T![,], T![-]]) {
        p.bump();
    }
    negative.complete(p, ERROR);
}

fn at_value(p: &Parser<'_>) -> bool {
    p.at_any(&[T![int_number], T!['('], T![string], T![-], T![float_number]]) || p.current_text() == "WARP_SZ"
}

fn value(p: &mut Parser<'_>) {
    if p.at(T![string]) {
        leaf(p, LITERAL);
    } else {
        expressions::expression(p);
    }
}
