//! Directives that declare nothing: of the module, of debugging, and pragmas.

use super::*;

/// A directive that the grammar knows, if one starts here.
pub(super) fn opt_directive(p: &mut Parser<'_>) -> bool {
    let rule = match p.current_text() {
        ".version" => version,
        ".target" => target,
        ".address_size" => address_size,
        ".file" => file,
        ".loc" => loc,
        ".section" => section,
        ".pragma" => pragma,
        ".alias" => alias,
        _ => return false,
    };
    one_error(p, rule);
    true
}

pub(super) fn dwarf_line(p: &mut Parser<'_>) {
    leaf(p, DWARF_DIRECTIVE);
}

fn version(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
    if p.at(T![int_number]) {
        p.error("a version has two numbers, such as `8.5`");
        p.bump();
    } else {
        p.expect(T![float_number], "`.version` takes a version such as `8.5`");
    }
    directive.complete(p, VERSION_DIRECTIVE);
}

fn target(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
    p.expect(T![ident], "`.target` takes a target such as `sm_90`");
    while p.eat(T![,]) {
        p.expect(T![ident], "expected a target or an option after this `,`");
    }
    directive.complete(p, TARGET_DIRECTIVE);
}

fn address_size(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
    p.expect(T![int_number], "`.address_size` takes 32 or 64");
    directive.complete(p, ADDRESS_SIZE_DIRECTIVE);
}

fn file(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
    if p.expect(T![int_number], "`.file` takes a number and a name in quotes")
        && p.expect(T![string], "expected the file's name in quotes")
    {
        while p.at(T![,]) && p.nth(1) == T![int_number] {
            p.bump();
            p.bump();
        }
    }
    directive.complete(p, FILE_DIRECTIVE);
}

/// `.loc 1 20 5, function_name $L__info_string0, inlined_at 1 30 3`
fn loc(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
    for _ in 0..3 {
        if !p.expect(T![int_number], "`.loc` takes a file, a line and a column") {
            break;
        }
    }
    while p.at(T![,]) {
        loc_attribute(p);
    }
    directive.complete(p, LOC_DIRECTIVE);
}

fn loc_attribute(p: &mut Parser<'_>) {
    let attribute = p.start();
    p.bump();
    match p.current_text() {
        "function_name" => {
            p.bump();
            if p.at(T![ident]) {
                expressions::expression(p);
            } else {
                p.error_after_previous("expected a label of `.debug_str` after `function_name`");
            }
        }
        "inlined_at" => {
            p.bump();
            for _ in 0..3 {
                if !p.expect(T![int_number], "`inlined_at` takes a file, a line and a column") {
                    break;
                }
            }
        }
        _ => p.error_after_previous("expected `function_name` or `inlined_at` after this `,`"),
    }
    attribute.complete(p, LOC_ATTRIBUTE);
}

/// `.section .debug_str { ... }`
fn section(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
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
    directive.complete(p, SECTION_DIRECTIVE);
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
    loop {
        match p.current() {
            T![int_number] if matches!(p.nth(1), T![,] | T![dot_word] | T!['}']) => p.bump(),
            T![ident] | T![int_number] | T![dot_word] | T!['('] | T![-] => {
                expressions::expression(p);
            }
            _ => {
                p.error_after_previous("expected a number or a name");
                break;
            }
        }
        if !p.eat(T![,]) {
            break;
        }
    }
    data.complete(p, SECTION_DATA);
}

pub(super) fn pragma(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
    p.expect(T![string], "`.pragma` takes a string such as `\"nounroll\"`");
    while p.eat(T![,]) {
        p.expect(T![string], "expected a string after this `,`");
    }
    semicolon(p, "missing `;` after this pragma");
    directive.complete(p, PRAGMA_DIRECTIVE);
}

fn alias(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
    if p.at(T![ident]) {
        leaf(p, NAME_REF);
        p.expect(T![,], "missing `,` between the alias and the function it stands for");
    }
    if p.at(T![ident]) {
        leaf(p, NAME_REF);
    } else {
        p.error_after_previous("`.alias` takes two function names");
    }
    semicolon(p, "missing `;` after this alias");
    directive.complete(p, ALIAS_DIRECTIVE);
}

/// A directive without a rule: everything up to its `;` or the end of its line. Whether there is such a
/// directive is not for the grammar to say.
pub(super) fn unknown(p: &mut Parser<'_>) {
    let directive = p.start();
    p.bump();
    while !p.at_any(&[T![;], T!['{'], T!['}'], EOF]) && !p.nth_starts_line(0) {
        p.bump();
    }
    p.eat(T![;]);
    directive.complete(p, UNKNOWN_DIRECTIVE);
}
