//! The declarations of a module's symbols.

use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{Declaration, Function, ModuleSymbol, NameId, SymbolKind};
use warplens_ide_db::ptx::ptx_header;
use warplens_ide_db::{Db, File, Item, items};
use warplens_syntax::{Node, Token};

pub(super) fn declaration<'db>(db: &'db dyn Db, file: File, symbol: &ModuleSymbol) -> &'db Declaration {
    let item = items(db, file)[symbol.item as usize];
    &ptx_header(db, item).declarations[symbol.declaration as usize]
}

/// The range of a declaration's name, in the file.
pub(super) fn name_range(db: &dyn Db, file: File, symbol: &ModuleSymbol) -> TextRange {
    let start = file.document(db).items().start_of(symbol.item as usize);
    declaration(db, file, symbol).name_range + start
}

pub(super) fn local(function: &Function, name: NameId) -> Option<&SymbolKind> {
    function.symbol_kind(function.name(name).resolution)
}

/// The start of an item's text, after its comments.
pub(super) fn first_token(db: &dyn Db, item: Item<'_>) -> TextRange {
    let parse = item.parse(db);
    let token = parse.root().nodes().next().and_then(Node::first_token);
    token.map_or(TextRange::empty(TextSize::new(0)), Token::range)
}
