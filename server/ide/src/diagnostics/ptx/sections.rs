//! The data of `.section`, and what `.attribute` gives variables.

use rustc_hash::FxHashSet;
use text_size::TextRange;
use warplens_syntax::SyntaxKind;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

use super::super::{Problem, codes};
use super::needs;
use crate::module_target::ModuleTarget;

/// Checks a section: the first mistake is told.
pub(super) fn section(section: &ast::SectionDirective, module: &ModuleTarget) -> Option<Problem> {
    let mut labels = FxHashSet::default();
    section.section_lines().find_map(|line| match line {
        ast::SectionLine::Label(label) => {
            let name = label.name()?.ident_token()?;
            let message = format!("the section has a label `{}` already", name.text());
            let is_second = !labels.insert(name.text().to_owned());
            is_second.then(|| error(name.text_range(), message))
        }
        ast::SectionLine::SectionData(data) => values(&data, module),
    })
}

fn error(range: TextRange, message: impl Into<smol_str::SmolStr>) -> Problem {
    Problem::error(range, codes::INVALID_DEBUG, message)
}

fn values(data: &ast::SectionData, module: &ModuleTarget) -> Option<Problem> {
    let word = data.type_token()?;
    let most: u64 = match word.text() {
        ".b8" => u64::from(u8::MAX),
        ".b16" => u64::from(u16::MAX),
        ".b32" => u64::from(u32::MAX),
        ".b64" => u64::MAX,
        other => {
            let message = format!("a section holds `.b8`, `.b16`, `.b32` and `.b64`, no `{other}`");
            return Some(error(word.text_range(), message));
        }
    };
    let large =
        data.values().find(|value| crate::notation::parsed(value.text()).is_some_and(|value| value > most));
    if let Some(value) = large {
        let message = format!("{} does not fit into `{}`", value.text(), word.text());
        return Some(error(value.text_range(), message));
    }
    data.exprs().find_map(|value| {
        let feature = match &value {
            ast::Expr::BinExpr(sum)
                if sum.syntax().children_with_tokens().any(|it| it.kind() == SyntaxKind::MINUS) =>
            {
                "section-difference"
            }
            ast::Expr::BinExpr(_) => "section-sum",
            ast::Expr::PrefixExpr(_) => "section-negative",
            _ => return None,
        };
        needs::unmet_feature(value.syntax().text_range(), feature, module)
    })
}

/// Checks the attributes of a variable of the module.
pub(super) fn attributes(variable: &ast::Variable, module: &ModuleTarget) -> Option<Problem> {
    let attribute = variable.attribute()?;
    let range = attribute.syntax().text_range();
    let known = warplens_isa::ptx::directive(".attribute")?;
    if let Some(problem) = needs::unmet(range, "`.attribute`", known.need, module) {
        return Some(problem);
    }
    let invalid = |message: &str| Some(Problem::error(range, codes::INVALID_DECLARATION, message));
    let mut words = attribute.words().skip(1).peekable();
    if words.peek().is_none() {
        return invalid("`.attribute` takes `.managed`, `.unified(1, 2)` or both");
    }
    words.find_map(|word| match word.text() {
        ".managed" | ".unified" => {
            let space = variable.state_space().and_then(|space| space.word_token());
            if space.is_some_and(|space| space.text() != ".global") {
                return invalid("only variables in `.global` have attributes");
            }
            needs::unmet_feature(word.text_range(), word.text(), module)
        }
        other => {
            invalid(&format!("there is no attribute `{other}`; there are `.managed` and `.unified(1, 2)`"))
        }
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::super::super::tests::check;

    #[test]
    fn data_and_attributes() {
        check(
            "\
.version 7.4
.target sm_90
.global .attribute(.managed) .b32 a;
.shared .attribute(.managed) .b32 b;
.global .attribute(.mangled) .b32 c;
.global .attribute(.unified(1, 2)) .b32 d;
.section .debug_str
{
x:  .b8 97, 0
    .b8 300
}
.section .debug_info
{
    .u32 1
}
.section .debug_loc
{
x:  .b32 1
y:  .b32 y-x
}
",
            expect![[r#"
                2:`sm_90` Error needs-version: sm_90 came with PTX 7.8; this module is written in 7.4
                4:`.attribute(.managed)` Error invalid-declaration: only variables in `.global` have attributes
                5:`.attribute(.mangled)` Error invalid-declaration: there is no attribute `.mangled`; there are `.managed` and `.unified(1, 2)`
                10:`300` Error invalid-debug-information: 300 does not fit into `.b8`
                14:`.u32` Error invalid-debug-information: a section holds `.b8`, `.b16`, `.b32` and `.b64`, no `.u32`
            "#]],
        );
    }
}
