//! Ranges of the host file.

use std::ops::Range;

use text_size::{TextRange, TextSize};
use warplens_ide_db::{Diagnostic, Severity};

pub(super) fn text_range(range: &Range<usize>) -> TextRange {
    let at = |offset: usize| TextSize::new(u32::try_from(offset).unwrap_or(u32::MAX));
    TextRange::new(at(range.start), at(range.end))
}

pub(super) fn diagnostic(
    range: &Range<usize>,
    severity: Severity,
    code: &'static str,
    message: impl Into<String>,
) -> Diagnostic {
    Diagnostic::new(text_range(range), severity, code, message)
}
