//! `invalid-debug-information`: an invalid `.file` or `.section`.

use rustc_hash::FxHashSet;
use text_size::TextRange;
use warplens_hir::ptx::{Directive, Header};
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::ModuleTarget;
use warplens_syntax::SyntaxKind;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

use crate::codes;
use crate::ptx::needs;

/// Checks a section: the first mistake is reported.
pub(super) fn section(section: &ast::SectionDirective, module: &ModuleTarget) -> Option<Problem> {
    let mut labels = FxHashSet::default();
    section.section_lines().find_map(|line| match line {
        ast::SectionLine::Label(label) => {
            let name = label.name()?.ident_token()?;
            let message = format!("duplicate label `{}` in this section", name.text());
            let is_second = !labels.insert(name.text().to_owned());
            is_second.then(|| error(name.text_range(), message))
        }
        ast::SectionLine::SectionData(data) => values(&data, module),
    })
}

/// A `.file` with a number that is too large, or that one before has. `files` are the numbers so far.
pub(super) fn file_number(
    header: &Header,
    files: &mut Vec<u64>,
    range: impl FnOnce() -> TextRange,
) -> Option<Problem> {
    let Some(Directive::File { index: Some(index), .. }) = &header.directive else { return None };
    let message = if *index > u64::from(u32::MAX) {
        format!("the file number {index} does not fit into 32 bits")
    } else if files.contains(index) {
        format!("duplicate file number {index}; give each file its own")
    } else {
        files.push(*index);
        return None;
    };
    Some(Problem::error(range(), codes::INVALID_DEBUG, message))
}

fn error(range: TextRange, message: impl Into<smol_str::SmolStr>) -> Problem {
    Problem::error(range, codes::INVALID_DEBUG, message)
}

fn values(data: &ast::SectionData, module: &ModuleTarget) -> Option<Problem> {
    let word = data.type_token()?;
    // The assembler compares the lower 32 bits.
    let most = match word.text() {
        ".b8" => u32::from(u8::MAX),
        ".b16" => u32::from(u16::MAX),
        ".b32" | ".b64" => u32::MAX,
        other => {
            let message =
                format!("`{other}` is not allowed in a section; use `.b8`, `.b16`, `.b32` or `.b64`");
            return Some(error(word.text_range(), message));
        }
    };
    let is_large = |value: u64| (value & u64::from(u32::MAX)) > u64::from(most);
    let large =
        data.values().find(|value| warplens_ide_db::notation::parsed(value.text()).is_some_and(is_large));
    if let Some(value) = large {
        let message = format!("{} does not fit into `{}`", value.text(), word.text());
        return Some(error(value.text_range(), message));
    }
    data.exprs().find_map(|value| {
        if most < u32::MAX && matches!(value, ast::Expr::NameRef(_) | ast::Expr::BinExpr(_)) {
            let message = format!("an address does not fit into `{}`; use `.b32` or `.b64`", word.text());
            return Some(error(value.syntax().text_range(), message));
        }
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
        needs::check_feature(value.syntax().text_range(), feature, module)
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::tests::check;

    #[test]
    fn data() {
        check(
            "\
.version 8.0
.target sm_90
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
                6:`300` Error invalid-debug-information: 300 does not fit into `.b8`
                10:`.u32` Error invalid-debug-information: `.u32` is not allowed in a section; use `.b8`, `.b16`, `.b32` or `.b64`
            "#]],
        );
    }
}
