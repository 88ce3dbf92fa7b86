//! `textDocument/foldingRange`.

use ls_types::FoldingRange;

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::to_proto;

pub(crate) fn folds(snapshot: &Snapshot) -> NullableAnswer<Vec<FoldingRange>> {
    let folds = snapshot.analysis.folds(snapshot.file)?;
    Ok(Some(folds.into_iter().filter_map(|fold| to_proto::fold(snapshot, fold)).collect()))
}
