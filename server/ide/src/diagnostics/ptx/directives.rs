//! Directives that do not exist.

use warplens_isa::ptx as isa;
use warplens_syntax::SyntaxToken;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

use super::super::problem::Mend;
use super::super::{Problem, codes};
use crate::db::{Db, Item};
use crate::similar::{did_you_mean, nearest};

pub(super) fn check(db: &dyn Db, item: Item<'_>, problems: &mut Vec<Problem>) {
    let Some(item) = ast::Item::cast(item.parse(db).syntax()) else { return };
    match item.declaration() {
        Some(ast::Declaration::UnknownDirective(directive)) => {
            problems.extend(unknown(directive.directive_token()));
        }
        Some(ast::Declaration::Function(function)) => {
            let directives = function.function_directives();
            problems.extend(directives.filter_map(|directive| unknown(directive.directive_token())));
            if let Some(body) = function.body() {
                check_block(&body, problems);
            }
        }
        _ => {}
    }
}

fn check_block(block: &ast::Block, problems: &mut Vec<Problem>) {
    for statement in block.statements() {
        match statement {
            ast::Statement::UnknownDirective(directive) => {
                problems.extend(unknown(directive.directive_token()))
            }
            ast::Statement::Block(block) => check_block(&block, problems),
            _ => {}
        }
    }
}

fn unknown(word: Option<SyntaxToken>) -> Option<Problem> {
    let word = word?;
    let name = word.text();
    if isa::directive(name).is_some() {
        return None;
    }
    let meant = nearest(name, isa::directives().iter().map(|directive| directive.name));
    let message = format!("`{name}` is not a directive{}", did_you_mean(meant));
    let problem = Problem::error(word.text_range(), codes::UNKNOWN_DIRECTIVE, message);
    Some(problem.with_fix(meant.map(|meant| Mend::replacement(word.text_range(), meant))))
}
