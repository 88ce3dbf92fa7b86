//! `textDocument/documentSymbol`.

use tower_lsp::ls_types::DocumentSymbolResponse;

use crate::lsp::documents::snapshot::{NullableAnswer, Snapshot};
use crate::lsp::to_proto;

pub(crate) fn symbols(snapshot: &Snapshot) -> NullableAnswer<DocumentSymbolResponse> {
    let symbols = snapshot.analysis.symbols(snapshot.file)?;
    Ok(Some(to_proto::symbols(snapshot, symbols)))
}
