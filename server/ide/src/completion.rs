//! Completion: opcodes at the start of a statement, then their modifiers in order, then operands by kind.

use text_size::{TextRange, TextSize};
use warplens_ide_db::{CompletionItem, Database, File, FilePosition};

use crate::completion_context::is_in_text;
use crate::language::LanguageSupport;
use crate::proposals::Proposals;

/// The completions at an offset; none in comments and strings.
pub(crate) fn completions(
    db: &Database,
    file: File,
    support: &LanguageSupport,
    offset: TextSize,
) -> Vec<CompletionItem> {
    match FilePosition::new(db, file, offset) {
        Some(position) => completions_at(&position, support, |_| false),
        None => in_empty_file(support),
    }
}

/// The completions at a position. Among those of equal rank, the ones that `is_first` accepts by their label come first.
pub(crate) fn completions_at(
    position: &FilePosition<'_>,
    support: &LanguageSupport,
    is_first: impl Fn(&str) -> bool,
) -> Vec<CompletionItem> {
    if is_in_text(position) {
        return Vec::new();
    }
    let mut proposals = (support.completions)(position);
    proposals.put_first(is_first);
    let word = position.in_file(proposals.word);
    let offset = position.start + position.offset + position.spaces;
    proposals.finish(if position.spaces > 0.into() { TextRange::empty(offset) } else { word })
}

fn in_empty_file(support: &LanguageSupport) -> Vec<CompletionItem> {
    let mut proposals = Proposals::replacing(TextRange::default());
    (support.file_completions)(&mut proposals);
    proposals.finish(TextRange::default())
}

#[cfg(test)]
pub(crate) mod tests;
