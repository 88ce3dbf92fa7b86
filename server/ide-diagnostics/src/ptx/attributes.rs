//! Attributes of variables and functions: `.attribute`.

use text_size::TextRange;
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_syntax::Node;
use warplens_syntax::SyntaxKind::*;

use crate::codes;
use crate::ptx::needs;

pub(super) fn of_variable(variable: Node<'_>, module: &ModuleTarget) -> Option<Problem> {
    let attribute = variable.child(ATTRIBUTE)?;
    let space = variable.child(STATE_SPACE).and_then(|space| space.token(DOT_WORD));
    let is_global = space.is_none_or(|space| space.text == ".global");
    check(attribute, &[".managed", ".unified"], module).or_else(|| {
        let message = "only variables in `.global` can have attributes";
        (!is_global).then(|| invalid(attribute.range(), message))
    })
}

/// Checks the attributes of a function, and that its parameters have none if it has a body.
pub(super) fn of_function(function: Node<'_>, module: &ModuleTarget) -> Option<Problem> {
    let own = function.child(ATTRIBUTE).and_then(|attribute| check(attribute, &[".unified"], module));
    if own.is_some() {
        return own;
    }
    function.child(BLOCK)?;
    let lists = function.nodes().filter(|node| node.kind() == PARAM_LIST);
    let attribute = lists.flat_map(Node::nodes).find_map(|param| param.child(ATTRIBUTE))?;
    Some(invalid(attribute.range(), "only variables in `.global` and functions can have attributes"))
}

fn invalid(range: TextRange, message: impl Into<smol_str::SmolStr>) -> Problem {
    Problem::error(range, codes::INVALID_DECLARATION, message)
}

/// Checks an attribute where `allowed` may be written.
fn check(attribute: Node<'_>, allowed: &[&str], module: &ModuleTarget) -> Option<Problem> {
    let range = attribute.range();
    let too_old = needs::check_directive(range, ".attribute", module);
    if too_old.is_some() {
        return too_old;
    }
    let mut words = attribute.tokens_of([DOT_WORD]).skip(1).peekable();
    let written = |word: &&str| if *word == ".unified" { "`.unified(1, 2)`" } else { "`.managed`" };
    let list = allowed.iter().map(written).collect::<Vec<_>>().join(" and ");
    if words.peek().is_none() {
        return Some(invalid(range, format!("`.attribute` takes {list}")));
    }
    words.find_map(|word| match word.text {
        name if !allowed.contains(&name) => {
            Some(invalid(range, format!("unknown attribute `{name}`; `.attribute` takes {list}")))
        }
        ".unified" if attribute.tokens_of([INT_NUMBER]).count() != 2 => {
            Some(invalid(range, "`.unified` takes the two halves of an identifier, `.unified(1, 2)`"))
        }
        name => needs::check_feature(word.range(), name, module),
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
