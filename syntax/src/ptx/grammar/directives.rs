//! Directives that declare nothing: module directives, debug information and pragmas.

use super::*;

/// Parses a directive that has a rule, if one starts here.
pub(super) fn opt_directive(p: &mut Parser<'_>) -> bool {
    let (kind, rule): (_, fn(&mut Parser<'_>)) = match p.current_text() {
        ".version" => (VERSION_DIRECTIVE, version),
        ".target" => (TARGET_DIRECTIVE, target),
        ".address_size" => (ADDRESS_SIZE_DIRECTIVE, address_size),
        ".file" => (FILE_DIRECTIVE, file),
        ".loc" => (LOC_DIRECTIVE, loc),
        ".section" => (SECTION_DIRECTIVE, section),
        ".pragma" => (PRAGMA_DIRECTIVE, pragma),
        ".alias" => (ALIAS_DIRECTIVE, alias),
        _ => return false,
    };
    one_error(p, |p| directive(p, kind, rule));
    true
}

/// A directive whose word is next; `rule` parses the rest.
pub(super) fn directive(p: &mut Parser<'_>, kind: crate::SyntaxKind, rule: fn(&mut Parser<'_>)) {
    let directive = p.start();
    p.bump();
    rule(p);
    directive.complete(p, kind);
}

pub(super) fn dwarf_line(p: &mut Parser<'_>) {
    leaf(p, DWARF_DIRECTIVE);
}

fn version(p: &mut Parser<'_>) {
    if p.at(T![int_number]) || p.at(T![float_number]) && !is_version(p.current_text()) {
        p.error("a version has two numbers, such as `8.5`");
        p.bump();
    } else {
        p.expect(T![float_number], "`.version` takes a version such as `8.5`");
    }
}

/// Accepts `8.5`, but neither `8.` nor `8e5`.
fn is_version(word: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    word.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

fn target(p: &mut Parser<'_>) {
    p.expect(T![ident], "`.target` takes a target such as `sm_90`");
    while p.eat(T![,]) {
        p.expect(T![ident], "expected a target or an option after this `,`");
    }
}

fn address_size(p: &mut Parser<'_>) {
    p.expect(T![int_number], "`.address_size` takes 32 or 64");
}

fn file(p: &mut Parser<'_>) {
    if p.expect(T![int_number], "`.file` takes a number and a name in quotes")
        && p.expect(T![string], "expected the file's name in quotes")
    {
        // The time and the size of the file come together.
        for _ in 0..2 {
            if !p.eat(T![,]) {
                break;
            }
            p.expect(T![int_number], "`.file` takes the file's time and size as two numbers");
        }
    }
}

/// `.loc 1 20 5, function_name $L__info_string0, inlined_at 1 30 3`
fn loc(p: &mut Parser<'_>) {
    for _ in 0..3 {
        if p.at(T![-]) {
            return functions::negative_number(p);
        }
        if !p.expect(T![int_number], "`.loc` takes a file, a line and a column") {
            break;
        }
    }
    if p.at(T![,]) {
        loc_attributes(p);
    }
}

/// `, function_name $L__info_string0+4, inlined_at 1 30 3`: both attributes, in this order.
fn loc_attributes(p: &mut Parser<'_>) {
    let attribute = p.start();
    p.bump();
    let named = p.current_text() == "function_name";
    if named {
        p.bump();
        function_name(p);
    } else {
        p.error_after_previous("expected `function_name` after this `,`, and then `inlined_at`");
    }
    attribute.complete(p, LOC_ATTRIBUTE);
    if !named || p.nth_text(1) != "inlined_at" {
        if named {
            p.error_after_previous(
                "`function_name` requires `, inlined_at` with a file, a line and a column",
            );
        }
        return skip_line(p);
    }
    let attribute = p.start();
    p.bump();
    p.bump();
    for _ in 0..3 {
        if !p.expect(T![int_number], "`inlined_at` takes a file, a line and a column") {
            break;
        }
    }
    attribute.complete(p, LOC_ATTRIBUTE);
    if p.at(T![,]) {
        p.error("unexpected text after `inlined_at`: remove it");
        skip_line(p);
    }
}

/// `$L__info_string0+4`
fn function_name(p: &mut Parser<'_>) {
    if !p.at(T![ident]) {
        return p.error_after_previous("expected a label of `.debug_str` after `function_name`");
    }
    let name = leaf(p, NAME_REF);
    rest_of_name(p);
    if p.at(T![+]) {
        let sum = name.precede(p);
        p.bump();
        if p.at(T![int_number]) {
            leaf(p, LITERAL);
        } else {
            p.error_after_previous("expected a number after this `+`");
        }
        sum.complete(p, BIN_EXPR);
    }
}

/// Skips the rest of a line after an error.
fn skip_line(p: &mut Parser<'_>) {
    let rest = p.start();
    while !at_statement_end(p) && !p.at(T![;]) {
        p.bump();
    }
    rest.complete(p, ERROR);
}

/// `.section .debug_str { ... }`
fn section(p: &mut Parser<'_>) {
    p.expect(T![dot_word], "`.section` takes a name such as `.debug_info`");
    while !p.at_any(&[T!['{'], T!['}'], T![;], EOF]) && !p.nth_starts_line(0) {
        p.bump();
    }
    if p.expect(T!['{'], "expected `{` and the section's data") {
        while !p.at_any(&[T!['}'], EOF]) {
            section_line(p);
        }
        p.expect(T!['}'], "missing `}`: this section is not closed");
    }
}

fn section_line(p: &mut Parser<'_>) {
    if p.at(T![ident]) && p.nth(1) == T![:] {
        statements::label(p);
    } else if p.at(T![dot_word]) {
        section_data(p);
    } else {
        p.error(format!(
            "unexpected `{}`: a section holds labels and data such as `.b8 1, 2`",
            p.current_text()
        ));
        leaf(p, ERROR);
    }
}

/// `.b8 1,2,3`, `.b32 .debug_abbrev`, `.b64 $L1-$L0`
fn section_data(p: &mut Parser<'_>) {
    let data = p.start();
    p.bump();
    let mut is_list = false;
    loop {
        let is_address = matches!(p.current(), T![ident] | T![dot_word]);
        if is_address && is_list {
            p.error(ONE_ADDRESS);
        }
        section_value(p);
        if !p.at(T![,]) {
            break;
        }
        if is_address && !is_list {
            p.error(ONE_ADDRESS);
        }
        is_list = true;
        p.bump();
    }
    data.complete(p, SECTION_DATA);
}

const ONE_ADDRESS: &str = "only numbers can be listed in a section: write each address on a line of its own";

fn section_value(p: &mut Parser<'_>) {
    match p.current() {
        T![int_number] if matches!(p.nth(1), T![,] | T![dot_word] | T!['}']) => return p.bump(),
        T!['('] => p.error("parentheses are not allowed in a section: write the number"),
        T![int_number] if !p.nth_starts_line(1) && !matches!(p.nth(1), T![ident] | EOF) => {
            p.error("an expression of numbers is not allowed in a section: write the sum");
        }
        T![-] if p.nth(1) == T![float_number] => {
            p.error("a float is not allowed in a section: write its bits as an integer");
        }
        T![-] if p.nth(1) != T![int_number] => {
            p.error("only a number can be negative in a section");
        }
        T![ident] if p.nth(1) == T![-] && p.nth(2) == T![int_number] => {
            p.error("a number cannot be subtracted from a label: write `+` or another label");
        }
        T![ident] | T![dot_word] => address(p),
        T![int_number] | T![-] => {}
        _ => return p.error_after_previous("expected a number or a name"),
    }
    expressions::expression(p);
}

/// Reports what is neither `.debug_abbrev` nor `$L0+4` nor `$L1-$L0`.
fn address(p: &mut Parser<'_>) {
    let length = match (p.current(), p.nth(1), p.nth(2)) {
        (_, T![+], T![int_number]) | (T![ident], T![-], T![ident]) => 3,
        _ => 1,
    };
    if matches!(p.nth(length), T![+] | T![-] | T![*] | T![/] | T!['['] | T!['(']) {
        p.error(
            "an address in a section is a name, a name and a number (`x+4`), or the difference of two labels",
        );
    }
}

pub(super) fn pragma(p: &mut Parser<'_>) {
    p.expect(T![string], "`.pragma` takes a string such as `\"nounroll\"`");
    while p.eat(T![,]) {
        p.expect(T![string], "expected a string after this `,`");
    }
    semicolon(p, "missing `;` after this pragma");
}

fn alias(p: &mut Parser<'_>) {
    if p.at(T![ident]) {
        name_ref(p);
        p.expect(T![,], "missing `,` between the alias and the function it stands for");
    }
    if p.at(T![ident]) {
        name_ref(p);
    } else {
        p.error_after_previous("`.alias` takes two function names");
    }
    semicolon(p, "missing `;` after this alias");
}

/// A directive without a rule: everything up to its `;` or the end of its line. The grammar does not check
/// whether the directive exists.
pub(super) fn unknown(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
    while !p.at_any(&[T![;], T!['{'], T!['}'], EOF]) && !p.nth_starts_line(0) {
        p.bump();
    }
    p.eat(T![;]);
    directive.complete(p, UNKNOWN_DIRECTIVE);
}
