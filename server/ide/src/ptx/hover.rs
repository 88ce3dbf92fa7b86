//! Hovers of PTX.

mod behavior;
mod literal;
mod statement;
#[cfg(test)]
mod tests;

use text_size::TextRange;
use warplens_hir::ptx::{DeclarationKind, FunctionKind, ModuleKind};
use warplens_ide_db::markdown::code;
use warplens_ide_db::ptx::{module_names, module_target, occupancy, ptx_header};
use warplens_ide_db::{FilePosition, Subject, names};
use warplens_isa::ptx as isa;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::ptx::explain;

pub(super) fn hover(position: &FilePosition<'_>) -> Option<(TextRange, String)> {
    let token = position.token()?;
    if let Some(markdown) = word(position, &token) {
        let implied = occupancy_of(position, &token).unwrap_or_default();
        return Some((token.text_range(), markdown + &implied));
    }
    let named = names::named(position)?;
    let markdown = match &named.subject {
        Subject::Special(name) => explain::special_register(isa::special_register(name)?),
        Subject::Local(_) => {
            let declared = warplens_ide_db::ptx::declared::local(position)?;
            match behavior::of_name(position) {
                Some(behavior) => format!("{declared}\n\n{behavior}"),
                None => declared,
            }
        }
        Subject::Module(_, name) => {
            let declared = warplens_ide_db::ptx::declared::of_module(position, name)?;
            let symbol = module_names(position.db, position.file).definition(name);
            let is_variable = symbol.is_some_and(|it| matches!(it.kind, ModuleKind::Variable { .. }));
            if is_variable && let Some(list) = behavior::of_table(&token) {
                return Some((named.range, format!("{declared}\n\n{list}")));
            }
            let is_declared_here = position.token().is_some_and(|token| is_in(&token, SyntaxKind::NAME));
            declared + &occupancy(position).filter(|_| is_declared_here).unwrap_or_default()
        }
    };
    Some((named.range, markdown))
}

/// The combined effect of a kernel's performance directives, if the token is one of them.
fn occupancy_of(position: &FilePosition<'_>, token: &SyntaxToken) -> Option<String> {
    let word = ast::FunctionDirective::cast(token.parent()?)?.directive_token()?;
    let is_of_size = isa::directive(word.text()).is_some_and(|known| known.group == "performance");
    if is_of_size { occupancy(position) } else { None }
}

/// The combined effect of the performance directives of the kernel at a position.
fn occupancy(position: &FilePosition<'_>) -> Option<String> {
    let header = ptx_header(position.db, position.item);
    let Some(DeclarationKind::Function { kind: FunctionKind::Entry, signature, .. }) =
        header.declarations.first().map(|declaration| &declaration.kind)
    else {
        return None;
    };
    let implied = occupancy::markdown(signature, module_target(position.db, position.file))?;
    Some(crate::explain::page::RULE.to_owned() + &implied)
}

/// The explanation of a word of the language; `None` for a name.
fn word(position: &FilePosition<'_>, token: &SyntaxToken) -> Option<String> {
    match token.kind() {
        SyntaxKind::DOT_WORD => dot_word(token),
        SyntaxKind::FLOAT_NUMBER if is_in(token, SyntaxKind::VERSION_DIRECTIVE) => release(token.text()),
        SyntaxKind::INT_NUMBER | SyntaxKind::FLOAT_NUMBER => literal::number(token),
        SyntaxKind::STRING => pragma(token),
        SyntaxKind::AT => explain::explain("@"),
        SyntaxKind::BANG if is_in(token, SyntaxKind::GUARD) => explain::explain("@"),
        SyntaxKind::L_BRACE | SyntaxKind::R_BRACE if is_in(token, SyntaxKind::BLOCK) => {
            explain::explain("{}")
        }
        SyntaxKind::IDENT => statement::opcode(position.db, position.file, token),
        _ => None,
    }
}

/// The toolkit that brought a version of PTX.
fn release(version: &str) -> Option<String> {
    let release = isa::versions().iter().find(|release| release.version.to_string() == version)?;
    let note = if release.note.is_empty() { String::new() } else { format!("\n\n{}", release.note) };
    let toolkit = if release.toolkit.is_empty() { "no toolkit" } else { release.toolkit };
    Some(format!("**PTX {version}** · introduced by {toolkit}{note}"))
}

fn is_in(token: &SyntaxToken, kind: SyntaxKind) -> bool {
    token.parent().is_some_and(|parent| parent.kind() == kind)
}

fn pragma(token: &SyntaxToken) -> Option<String> {
    let text = token.text().trim_matches('"');
    let name = text.split_whitespace().next().unwrap_or_default();
    if isa::pragma(name).is_some() {
        return explain::explain(name);
    }
    is_in(token, SyntaxKind::PRAGMA_DIRECTIVE).then(|| {
        format!(
            "{} is not a pragma. The assembler warns of it and ignores it on a kernel or in its body; \
             at module scope its code generation fails.",
            code(text)
        )
    })
}

fn dot_word(token: &SyntaxToken) -> Option<String> {
    let parent = token.parent()?;
    if let Some(instruction) = ast::Instruction::cast(parent.clone()) {
        return statement::modifier(&instruction, token);
    }
    match parent.kind() {
        SyntaxKind::MEMBER => component(&ast::Member::cast(parent)?),
        SyntaxKind::TYPE_NAME => explain::type_(token.text()),
        SyntaxKind::STATE_SPACE => explain::space(token.text()),
        SyntaxKind::VERSION_DIRECTIVE => {
            let version = parent.children_with_tokens().filter_map(|child| child.into_token());
            let version = version
                .filter(|token| token.kind() == SyntaxKind::FLOAT_NUMBER)
                .find_map(|token| release(token.text()));
            let page = explain::explain(token.text())?;
            Some(
                version
                    .map_or(page.clone(), |version| format!("{page}{}{version}", crate::explain::page::RULE)),
            )
        }
        _ => explain::explain(token.text()),
    }
}

/// `.x` of `%tid.x`, explained on the page of the register.
fn component(member: &ast::Member) -> Option<String> {
    let name = member.base()?.ident_token()?;
    Some(explain::special_register(isa::special_register(name.text())?))
}
