//! Renumbers the registers of ranges from 1, in the order of their first occurrence.

use rustc_hash::FxHashMap;
use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{Function, Resolution, Role, SymbolId, SymbolKind};
use warplens_ide_db::TextEdit;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;
use warplens_syntax::{SyntaxKind, SyntaxNode};

/// The edits that renumber the registers; none if they already have these numbers.
pub(super) fn edits(tree: &SyntaxNode, function: &Function) -> Vec<TextEdit> {
    let mut numbers: FxHashMap<SymbolId, FxHashMap<u32, u32>> = FxHashMap::default();
    let mut edits = Vec::new();
    for name in function.names() {
        let Resolution::Indexed { symbol, index } = name.resolution else { continue };
        if matches!(name.role, Role::Declaration | Role::Debug) {
            continue;
        }
        let known = numbers.entry(symbol).or_default();
        let next = known.len() as u32 + 1;
        let number = *known.entry(index).or_insert(next);
        if number != index {
            let prefix = TextSize::of(&*function.symbol(symbol).name);
            let range = TextRange::new(name.range.start() + prefix, name.range.end());
            edits.push(TextEdit { range, insert: number.to_string() });
        }
    }
    if edits.is_empty() {
        return edits;
    }
    for declarator in tree.descendants().filter(|node| node.kind() == SyntaxKind::DECLARATOR) {
        edits.extend(count(&declarator, function, &numbers));
    }
    edits
}

fn count(
    declarator: &SyntaxNode,
    function: &Function,
    numbers: &FxHashMap<SymbolId, FxHashMap<u32, u32>>,
) -> Option<TextEdit> {
    let declarator = ast::Declarator::cast(declarator.clone())?;
    let (name, count) = (declarator.name()?.syntax().text_range(), declarator.name_count()?);
    let index = function.symbols().iter().position(|symbol| symbol.range == name)?;
    let symbol = SymbolId::new(index);
    let SymbolKind::RegisterRange { .. } = function.symbol(symbol).kind else { return None };
    let used = numbers.get(&symbol)?.len();
    Some(TextEdit { range: count.syntax().text_range(), insert: format!("<{}>", used + 1) })
}
