//! `textDocument/selectionRange`.

use ls_types::{Position, Range, SelectionRange, SelectionRangeParams};

use crate::documents::snapshot::{Failure, NullableAnswer, Snapshot};
use crate::to_proto;

pub(crate) fn selection_ranges(
    snapshot: &Snapshot,
    params: &SelectionRangeParams,
) -> NullableAnswer<Vec<SelectionRange>> {
    params.positions.iter().map(|&at| selection_range(snapshot, at)).collect::<Result<_, _>>().map(Some)
}

/// The ranges around a position, or an empty range if there are none.
fn selection_range(snapshot: &Snapshot, at: Position) -> Result<SelectionRange, Failure> {
    let ranges = snapshot.analysis.selection(snapshot.file, snapshot.offset(at))?;
    let empty = || SelectionRange { range: Range { start: at, end: at }, parent: None };
    Ok(to_proto::selection(snapshot, &ranges).unwrap_or_else(empty))
}
