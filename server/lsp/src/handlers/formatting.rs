//! `textDocument/formatting`, `rangeFormatting` and `onTypeFormatting`.

use ls_types::{DocumentOnTypeFormattingParams, DocumentRangeFormattingParams, TextEdit};

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::to_proto;

/// The characters that trigger formatting: the ends of a statement, and the last letters of `else`, `endif`, `endloop` and `.end` in WAVE.
pub(crate) const TRIGGERS: [&str; 6] = [";", "\n", "e", "f", "p", "d"];

pub(crate) fn document(snapshot: &Snapshot) -> NullableAnswer<Vec<TextEdit>> {
    Ok(Some(to_proto::edits(snapshot, snapshot.analysis.format(snapshot.file)?.edits)))
}

pub(crate) fn range(
    snapshot: &Snapshot,
    params: &DocumentRangeFormattingParams,
) -> NullableAnswer<Vec<TextEdit>> {
    let range = snapshot.text_range(params.range);
    Ok(Some(to_proto::edits(snapshot, snapshot.analysis.format_range(snapshot.file, range)?.edits)))
}

pub(crate) fn on_type(
    snapshot: &Snapshot,
    params: &DocumentOnTypeFormattingParams,
) -> NullableAnswer<Vec<TextEdit>> {
    let at = snapshot.offset(params.text_document_position.position);
    Ok(Some(to_proto::edits(snapshot, snapshot.analysis.format_typed(snapshot.file, at)?)))
}
