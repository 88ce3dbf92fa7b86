//! `textDocument/foldingRange`.

use tower_lsp::ls_types::FoldingRange;

use crate::lsp::documents::snapshot::{NullableAnswer, Snapshot};
use crate::lsp::to_proto;

pub(crate) fn folds(snapshot: &Snapshot) -> NullableAnswer<Vec<FoldingRange>> {
    let folds = snapshot.analysis.folds(snapshot.file)?;
    Ok(Some(folds.into_iter().filter_map(|fold| to_proto::fold(snapshot, fold)).collect()))
}
