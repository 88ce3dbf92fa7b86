//! The errors that Warplens reports in a text.

use anyhow::Result;
use warplens_ide::{Accepts, AnalysisHost, FileId, Severity};
use warplens_syntax::Language;

pub(crate) struct Error {
    /// Counted from 1.
    pub(crate) line: usize,
    /// `code: message`
    pub(crate) message: String,
}

/// The errors in a PTX text, in text order.
pub(crate) fn errors(text: &str) -> Result<Vec<Error>> {
    errors_in(warplens_syntax::ptx::LANGUAGE, text)
}

/// The errors in a WAVE text checked against the toolchain's dialect, in text order.
pub(crate) fn wave_errors(text: &str) -> Result<Vec<Error>> {
    errors_in(warplens_syntax::wave::LANGUAGE, text)
}

fn errors_in(language: Language, text: &str) -> Result<Vec<Error>> {
    let mut host = AnalysisHost::new();
    host.set_accepts(Accepts::Toolchain);
    host.open(FileId(0), language, text);
    let found = host.snapshot().diagnostics(FileId(0))?;
    let mut line = 1;
    let mut read = 0;
    let errors = found.into_iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    Ok(errors
        .map(|diagnostic| {
            let start = usize::from(diagnostic.range.start());
            line += text[read..start].matches('\n').count();
            read = start;
            Error { line, message: format!("{}: {}", diagnostic.code, diagnostic.message) }
        })
        .collect())
}
