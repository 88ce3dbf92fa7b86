//! `textDocument/documentSymbol`.

use tower_lsp::ls_types::DocumentSymbolResponse;

use crate::lsp::request::Failure;
use crate::lsp::snapshot::Snapshot;
use crate::lsp::to_proto;

pub(crate) fn symbols(snapshot: &Snapshot) -> Result<Option<DocumentSymbolResponse>, Failure> {
    let symbols = snapshot.analysis.symbols(snapshot.file)?;
    Ok(Some(to_proto::symbols(snapshot, symbols)))
}
