//! Opens a text for analysis, unless it needs too much memory.

use warplens_ide::{AnalysisHost, FileId, Language};

/// The size limit of a function in bytes. One function needs more memory than several functions of the same
/// total length.
const MAX_ITEM: usize = 64 << 20;

/// A function that would need too much memory.
#[derive(Debug, thiserror::Error)]
#[error("has a function of {} MB; the limit of one is {} MB", .0 >> 20, MAX_ITEM >> 20)]
pub struct LargeItem(usize);

/// Opens a text, unless one of its functions would need too much memory.
pub fn open(host: &mut AnalysisHost, language: Language, text: &str) -> Result<FileId, LargeItem> {
    let file = FileId(0);
    match host.open(file, language, text) {
        largest if largest > MAX_ITEM => Err(LargeItem(largest)),
        _ => Ok(file),
    }
}
