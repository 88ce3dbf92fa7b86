//! Completion: opcodes at the start of a statement, then their modifiers in order, then operands by kind.

pub(crate) mod ptx;
mod snippet;
pub(crate) mod wave;

use text_size::{TextRange, TextSize};
use warplens_ide_db::answer::{CompletionItem, CompletionKind, TextEdit};
use warplens_ide_db::db::{Database, File};
use warplens_ide_db::languages::Known;
use warplens_ide_db::position::{FilePosition, token_covering};
use warplens_syntax::SyntaxKind;

pub(crate) use crate::completion::snippet::Snippet;

/// The completions at an offset; none in comments and strings.
pub(crate) fn completions(db: &Database, file: File, offset: TextSize) -> Vec<CompletionItem> {
    let Some(position) = FilePosition::new(db, file, offset) else { return in_empty_file(db, file) };
    if is_in_text(db, &position) {
        return Vec::new();
    }
    let proposals = match Known::of(position.language(db)) {
        Known::Ptx => ptx::proposals(db, &position),
        Known::Wave => wave::proposals(db, &position),
    };
    let word = position.in_file(proposals.word);
    proposals.finish(if position.spaces > 0.into() { TextRange::empty(offset) } else { word })
}

/// The first lines of a file.
fn in_empty_file(db: &Database, file: File) -> Vec<CompletionItem> {
    let mut proposals = Proposals::replacing(TextRange::default());
    match Known::of(file.language(db)) {
        Known::Ptx => ptx::module(&mut proposals),
        Known::Wave => wave::in_empty_file(&mut proposals),
    }
    proposals.finish(TextRange::default())
}

/// Whether the position is in a comment or a string.
pub(crate) fn is_in_text(db: &Database, position: &FilePosition<'_>) -> bool {
    let Some(before) = position.offset.checked_sub(1.into()) else { return false };
    let Some(token) = token_covering(&position.item.parse(db).syntax(), before) else { return false };
    let inside = token.text_range().end() > position.offset;
    match token.kind() {
        SyntaxKind::COMMENT => inside || !token.text().ends_with("*/"),
        SyntaxKind::STRING => inside,
        SyntaxKind::LINE_MARK | SyntaxKind::DWARF_LINE => true,
        _ => false,
    }
}

/// Proposals that replace the same word.
pub(crate) struct Proposals {
    /// The word being typed up to the cursor, relative to the item.
    word: TextRange,
    list: Vec<Proposal>,
}

/// A proposal without the range that it replaces.
pub(crate) struct Proposal {
    pub(crate) label: String,
    pub(crate) detail: Option<String>,
    pub(crate) kind: CompletionKind,
    pub(crate) insert: Snippet,
    /// The group of the proposal; the lowest is sorted first.
    pub(crate) rank: u32,
    /// Its name for [`crate::explain`].
    pub(crate) explain: Option<String>,
    pub(crate) deprecated: bool,
    /// Changes the white space before the word, for its indentation. In the file.
    pub(crate) moves: Option<TextEdit>,
}

impl Proposal {
    /// A proposal that inserts its label.
    pub(crate) fn word(label: impl Into<String>, kind: CompletionKind, rank: u32) -> Proposal {
        let label = label.into();
        let insert = Snippet::text(&label);
        Proposal { label, detail: None, kind, insert, rank, explain: None, deprecated: false, moves: None }
    }

    /// A word of the language, with documentation in [`crate::explain`].
    pub(crate) fn known(label: &str, summary: &str, kind: CompletionKind, rank: u32) -> Proposal {
        let detail = (!summary.is_empty()).then(|| summary.to_owned());
        Proposal { detail, explain: Some(label.to_owned()), ..Proposal::word(label, kind, rank) }
    }

    pub(crate) fn with_detail(self, detail: impl Into<String>) -> Proposal {
        Proposal { detail: Some(detail.into()), ..self }
    }
}

impl Proposals {
    /// Proposals that replace a word.
    pub(crate) fn replacing(word: TextRange) -> Proposals {
        Proposals { word, list: Vec::new() }
    }

    pub(crate) fn add(&mut self, proposal: Proposal) {
        self.list.push(proposal);
    }

    pub(crate) fn extend(&mut self, proposals: impl IntoIterator<Item = Proposal>) {
        self.list.extend(proposals);
    }

    fn finish(self, replace: TextRange) -> Vec<CompletionItem> {
        let mut list = self.list;
        list.sort_by_key(|proposal| proposal.rank);
        let numbered = list.into_iter().enumerate();
        numbered.map(|(index, proposal)| proposal.finish(index, replace)).collect()
    }
}

impl Proposal {
    fn finish(self, index: usize, replace: TextRange) -> CompletionItem {
        CompletionItem {
            label: self.label,
            detail: self.detail,
            kind: self.kind,
            plain: self.insert.plain(),
            snippet: self.insert.snippet(),
            replace,
            sort: format!("{index:05}"),
            explain: self.explain,
            deprecated: self.deprecated,
            moves: self.moves,
        }
    }
}

#[cfg(test)]
mod tests;
