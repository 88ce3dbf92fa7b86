//! Attributes of variables and functions: `.attribute`.

use text_size::TextRange;
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_syntax::SyntaxKind;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

use crate::codes;
use crate::ptx::needs;

pub(super) fn of_variable(variable: &ast::Variable, module: &ModuleTarget) -> Option<Problem> {
    let attribute = variable.attribute()?;
    let is_global = || {
        let space = variable.state_space().and_then(|space| space.word_token());
        space.is_none_or(|space| space.text() == ".global")
    };
    known(&attribute, module).or_else(|| words(&attribute, &[".managed", ".unified"], module)).or_else(|| {
        let message = "only variables in `.global` can have attributes";
        (!is_global()).then(|| invalid(attribute.syntax().text_range(), message))
    })
}

/// Checks the attributes of a function, and that its parameters have none if it has a body.
pub(super) fn of_function(function: &ast::Function, module: &ModuleTarget) -> Option<Problem> {
    if let Some(attribute) = function.attribute() {
        let found = known(&attribute, module).or_else(|| words(&attribute, &[".unified"], module));
        if found.is_some() {
            return found;
        }
    }
    function.body()?;
    let lists = function.syntax().children().filter(|node| node.kind() == SyntaxKind::PARAM_LIST);
    let params = lists.flat_map(|list| list.children());
    let attribute = params.flat_map(|param| param.children()).find_map(ast::Attribute::cast)?;
    Some(invalid(
        attribute.syntax().text_range(),
        "only variables in `.global` and functions can have attributes",
    ))
}

fn invalid(range: TextRange, message: impl Into<smol_str::SmolStr>) -> Problem {
    Problem::error(range, codes::INVALID_DECLARATION, message)
}

fn known(attribute: &ast::Attribute, module: &ModuleTarget) -> Option<Problem> {
    needs::check_directive(attribute.syntax().text_range(), ".attribute", module)
}

fn words(attribute: &ast::Attribute, taken: &[&str], module: &ModuleTarget) -> Option<Problem> {
    let range = attribute.syntax().text_range();
    let mut words = attribute.words().skip(1).peekable();
    let written = |word: &&str| if *word == ".unified" { "`.unified(1, 2)`" } else { "`.managed`" };
    let list = taken.iter().map(written).collect::<Vec<_>>().join(" and ");
    if words.peek().is_none() {
        return Some(invalid(range, format!("`.attribute` takes {list}")));
    }
    words.find_map(|word| match word.text() {
        name if !taken.contains(&name) => {
            Some(invalid(range, format!("unknown attribute `{name}`; `.attribute` takes {list}")))
        }
        ".unified" if attribute.values().count() != 2 => {
            Some(invalid(range, "`.unified` takes the two halves of an identifier, `.unified(1, 2)`"))
        }
        name => needs::check_feature(word.text_range(), name, module),
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn variables_and_functions() {
        check(
            "\
.version 8.0
.target sm_90
.global .attribute(.managed) .b32 a;
.attribute(.managed) .global .b32 b;
.shared .attribute(.managed) .b32 c;
.global .attribute(.mangled) .b32 d;
.global .attribute(.unified(1)) .b32 e;
.func .attribute(.unified(1, 2)) f();
.func .attribute(.managed) g();
.entry h(.param .attribute(.managed) .b32 x) { ret; }
",
            expect![[r#"
                5:`.attribute(.managed)` Error invalid-declaration: only variables in `.global` can have attributes
                6:`.attribute(.mangled)` Error invalid-declaration: unknown attribute `.mangled`; `.attribute` takes `.managed` and `.unified(1, 2)`
                7:`.attribute(.unified(1))` Error invalid-declaration: `.unified` takes the two halves of an identifier, `.unified(1, 2)`
                9:`.attribute(.managed)` Error invalid-declaration: unknown attribute `.managed`; `.attribute` takes `.unified(1, 2)`
                10:`.attribute(.managed)` Error invalid-declaration: only variables in `.global` and functions can have attributes
            "#]],
        );
    }

    #[test]
    fn old_modules() {
        check(
            "\
.version 7.8
.target sm_90
.global .attribute(.unified(1, 2)) .b32 a;
",
            expect![[r#"
                3:`.unified` Error needs-version: `.unified` needs PTX 8.0 or later; this module is written in PTX 7.8
            "#]],
        );
    }
}
