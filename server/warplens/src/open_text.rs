//! Opens a text for analysis.

use warplens_ide::{AnalysisHost, FileId, Language};

/// The limit of one function in bytes, which takes more memory than several that are as long together.
const MAX_ITEM: usize = 64 << 20;

/// A text has a function that would take too much memory.
#[derive(Debug, thiserror::Error)]
#[error("has a function of {} MB; the limit of one is {} MB", .0 >> 20, MAX_ITEM >> 20)]
pub(crate) struct LargeItem(usize);

/// Opens a text, unless it has a function that would take too much memory.
pub(crate) fn open(host: &mut AnalysisHost, language: Language, text: &str) -> Result<FileId, LargeItem> {
    let file = FileId(0);
    match host.open(file, language, text) {
        largest if largest > MAX_ITEM => Err(LargeItem(largest)),
        _ => Ok(file),
    }
}
