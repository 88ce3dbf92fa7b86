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
    let Some(position) = FilePosition::new(db, file, offset) else { return in_empty_file(support) };
    if is_in_text(&position) {
        return Vec::new();
    }
    let proposals = (support.completions)(&position);
    let word = position.in_file(proposals.word);
    proposals.finish(if position.spaces > 0.into() { TextRange::empty(offset) } else { word })
}

fn in_empty_file(support: &LanguageSupport) -> Vec<CompletionItem> {
    let mut proposals = Proposals::replacing(TextRange::default());
    (support.file_completions)(&mut proposals);
    proposals.finish(TextRange::default())
}

#[cfg(test)]
pub(crate) mod tests;
