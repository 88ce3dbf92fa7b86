//! Outlines of PTX.

use text_size::TextRange;
use warplens_hir::ptx::{
    DeclarationKind, Directive, Function, FunctionKind, Symbol as Local, SymbolKind as Is,
};
use warplens_ide_db::ptx::{declared, ptx_function, ptx_header};
use warplens_ide_db::{Db, Item, Symbol, SymbolKind, demangled, token_covering};
use warplens_syntax::{SyntaxKind, SyntaxNode};

pub(super) fn symbols<'db>(db: &'db dyn Db, item: Item<'db>) -> Vec<Symbol> {
    let header = ptx_header(db, item);
    let tree = item.parse(db).syntax();
    let function = ptx_function(db, item);
    let declarations = header.declarations.iter().map(|declaration| {
        let focus = declaration.name_range;
        Symbol {
            name: demangled(&declaration.name).unwrap_or_else(|| declaration.name.to_string()),
            detail: Some(declared::module_kind(&declaration.kind).replace('`', "")),
            kind: kind(&declaration.kind),
            range: declared::declaration_range(&tree, focus),
            focus,
            children: function.as_deref().map(|function| locals(function, &tree)).unwrap_or_default(),
        }
    });
    declarations.chain(section(&header.directive, &tree)).collect()
}

pub(super) fn kind(kind: &DeclarationKind) -> SymbolKind {
    match kind {
        DeclarationKind::Variable(_) => SymbolKind::Variable,
        DeclarationKind::SectionLabel => SymbolKind::Label,
        DeclarationKind::Function { kind: FunctionKind::Entry, .. } => SymbolKind::Kernel,
        DeclarationKind::Function { .. } | DeclarationKind::Alias { .. } => SymbolKind::Function,
    }
}

/// `.section .debug_str { … }`
fn section(directive: &Option<Directive>, tree: &SyntaxNode) -> Option<Symbol> {
    let Some(Directive::Other(word)) = directive else { return None };
    if word != "section" {
        return None;
    }
    use warplens_syntax::ast::AstNode;
    let node = tree.children().find_map(warplens_syntax::ptx::ast::SectionDirective::cast)?;
    let words = node.syntax().children_with_tokens().filter_map(|element| element.into_token());
    // The first word is the directive itself.
    let name = words.filter(|token| token.kind() == SyntaxKind::DOT_WORD).nth(1)?;
    let range = node.syntax().text_range();
    Some(Symbol { range, ..Symbol::leaf(name.text(), SymbolKind::Section, name.text_range()) })
}

/// The declarations of a function, in text order and nested in their blocks. Registers are omitted: there are too many,
/// and their uses lead to them.
fn locals(function: &Function, tree: &SyntaxNode) -> Vec<Symbol> {
    let mut of_scopes: Vec<Vec<Symbol>> = vec![Vec::new(); function.scopes().len()];
    for symbol in function.symbols() {
        of_scopes[symbol.scope.index()].extend(local(function, symbol));
    }
    // Nested scopes follow the enclosing ones.
    for (index, scope) in function.scopes().iter().enumerate().rev() {
        let mut symbols = std::mem::take(&mut of_scopes[index]);
        symbols.sort_by_key(|symbol| symbol.focus.start());
        let Some(parent) = scope.parent else { return symbols };
        if function.body == Some(scope.range) {
            of_scopes[parent.index()].extend(symbols);
        } else if !symbols.is_empty() {
            of_scopes[parent.index()].push(block(tree, scope.range, symbols));
        }
    }
    Vec::new()
}

/// A block with declarations. Its detail is the comment after its brace, in which compilers describe the
/// purpose.
fn block(tree: &SyntaxNode, range: TextRange, children: Vec<Symbol>) -> Symbol {
    let brace = token_covering(tree, range.start());
    let after = brace.as_ref().and_then(|brace| token_covering(tree, brace.text_range().end()));
    let spaces = after.filter(|token| token.kind() == SyntaxKind::WHITESPACE && !token.text().contains('\n'));
    let comment = spaces.and_then(|spaces| token_covering(tree, spaces.text_range().end()));
    let comment = comment.filter(|token| token.kind() == SyntaxKind::COMMENT);
    Symbol {
        name: "{ }".into(),
        detail: comment.map(|comment| comment.text().trim_start_matches('/').trim().to_owned()),
        kind: SymbolKind::Block,
        range,
        focus: brace.map_or(range, |brace| brace.text_range()),
        children,
    }
}

fn local(function: &Function, symbol: &Local) -> Option<Symbol> {
    let kind = match symbol.kind {
        Is::Register { .. } | Is::RegisterRange { .. } => return None,
        Is::Variable(_) => SymbolKind::Variable,
        Is::Param { .. } => SymbolKind::Parameter,
        Is::Label { .. } | Is::Table { .. } | Is::Prototype(_) => SymbolKind::Label,
    };
    let detail = Some(declared::kind(function, &symbol.kind).replace('`', ""));
    Some(Symbol { detail, ..Symbol::leaf(symbol.name.as_str(), kind, symbol.range) })
}
