//! `textDocument/documentSymbol`.

use ls_types::DocumentSymbolResponse;

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::to_proto;

pub(crate) fn symbols(snapshot: &Snapshot) -> NullableAnswer<DocumentSymbolResponse> {
    let symbols = snapshot.analysis.symbols(snapshot.file)?;
    Ok(Some(to_proto::symbols(snapshot, symbols)))
}
