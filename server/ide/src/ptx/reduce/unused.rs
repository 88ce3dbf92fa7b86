//! Declarations, labels and blocks that the statements of a function do not use.

use rustc_hash::{FxHashMap, FxHashSet};
use text_size::TextRange;
use warplens_hir::ptx::{Function, Resolution, Role, SymbolId, SymbolKind};
use warplens_ide_db::TextEdit;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{SyntaxKind, SyntaxNode};

/// The edits that remove unused declarations, labels and blocks, in text order.
pub(super) fn edits(tree: &SyntaxNode, function: &Function) -> Vec<TextEdit> {
    let used = Used::of(function);
    let mut edits = Vec::new();
    let Some(body) = function.body else { return edits };
    for node in tree.descendants().filter(|node| body.contains_range(node.text_range())) {
        let edit = match node.kind() {
            SyntaxKind::VARIABLE => variable(&node, function, &used),
            SyntaxKind::LABEL => label(&node, function, &used),
            SyntaxKind::BLOCK => empty_block(&node, body),
            _ => None,
        };
        edits.extend(edit);
    }
    edits
}

/// The symbols that are named apart from their declarations; for ranges of registers, the largest number.
#[derive(Default)]
struct Used {
    symbols: FxHashSet<SymbolId>,
    largest: FxHashMap<SymbolId, u32>,
    by_range: FxHashMap<TextRange, SymbolId>,
}

impl Used {
    fn of(function: &Function) -> Used {
        let mut used = Used::default();
        for (index, symbol) in function.symbols().iter().enumerate() {
            used.by_range.insert(symbol.range, SymbolId::new(index));
        }
        for name in function.names().filter(|name| !matches!(name.role, Role::Declaration | Role::Debug)) {
            used.symbols.extend(name.resolution.symbol());
            if let Resolution::Indexed { symbol, index } = name.resolution {
                let largest = used.largest.entry(symbol).or_default();
                *largest = index.max(*largest);
            }
        }
        used
    }
}

/// Removes unused declarators from a declaration, and shortens a range of registers to the registers that are
/// used.
fn variable(node: &SyntaxNode, function: &Function, used: &Used) -> Option<TextEdit> {
    let variable = ast::Variable::cast(node.clone())?;
    let all: Vec<ast::Declarator> = variable.declarators().collect();
    let mut kept = Vec::new();
    for declarator in &all {
        let name = declarator.name()?;
        let symbol = *used.by_range.get(&name.syntax().text_range())?;
        if !used.symbols.contains(&symbol) {
            continue;
        }
        let text = declarator.syntax().text().to_string();
        kept.push(match (&function.symbol(symbol).kind, used.largest.get(&symbol)) {
            (SymbolKind::RegisterRange { count, .. }, Some(largest)) if largest + 1 < *count => {
                format!("{}<{}>", name.syntax(), largest + 1)
            }
            _ => text.trim().to_owned(),
        });
    }
    if kept.is_empty() {
        return Some(TextEdit { range: node.text_range(), insert: String::new() });
    }
    let (first, last) = (all.first()?, all.last()?);
    let range = TextRange::new(first.syntax().text_range().start(), last.syntax().text_range().end());
    let start = usize::from(range.start() - node.text_range().start());
    let end = usize::from(range.end() - node.text_range().start());
    let insert = kept.join(", ");
    (node.text().to_string()[start..end] != insert).then_some(TextEdit { range, insert })
}

fn label(node: &SyntaxNode, function: &Function, used: &Used) -> Option<TextEdit> {
    use SyntaxKind::{BRANCH_TARGETS, CALL_PROTOTYPE, CALL_TARGETS};
    if let BRANCH_TARGETS | CALL_TARGETS | CALL_PROTOTYPE = node.parent()?.kind() {
        return None;
    }
    let name = ast::Label::cast(node.clone())?.name()?;
    let symbol = *used.by_range.get(&name.syntax().text_range())?;
    let is_label = matches!(function.symbol(symbol).kind, SymbolKind::Label { .. });
    (is_label && !used.symbols.contains(&symbol))
        .then(|| TextEdit { range: node.text_range(), insert: String::new() })
}

fn empty_block(node: &SyntaxNode, body: TextRange) -> Option<TextEdit> {
    let is_code =
        |child: SyntaxNode| child.kind() == SyntaxKind::CHUNK || ast::Statement::can_cast(child.kind());
    let is_empty = node.kind() == SyntaxKind::BLOCK && !node.children().any(is_code);
    let is_inner = node.text_range().start() > body.start();
    (is_empty && is_inner).then(|| TextEdit { range: node.text_range(), insert: String::new() })
}
