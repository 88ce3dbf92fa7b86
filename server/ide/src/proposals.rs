//! Completion proposals, as a language creates them.

use text_size::TextRange;
use warplens_ide_db::{CompletionItem, CompletionKind, TextEdit};

use crate::snippet::Snippet;

/// Proposals that replace the same word.
pub struct Proposals {
    /// The word being typed up to the cursor, relative to the item.
    pub(crate) word: TextRange,
    list: Vec<Proposal>,
}

/// A proposal, without the range that it replaces.
pub struct Proposal {
    pub label: String,
    pub detail: Option<String>,
    pub kind: CompletionKind,
    pub insert: Snippet,
    /// Proposals are sorted by rank, lowest first.
    pub rank: u32,
    /// The name that [`crate::explain`] documents.
    pub explain: Option<String>,
    pub deprecated: bool,
    /// See [`CompletionItem::continues`].
    pub continues: bool,
    /// An edit of the white space before the word, which indents it. Relative to the file.
    pub moves: Option<TextEdit>,
}

impl Proposal {
    pub fn word(label: impl Into<String>, kind: CompletionKind, rank: u32) -> Proposal {
        let label = label.into();
        let insert = Snippet::text(&label);
        Proposal {
            label,
            detail: None,
            kind,
            insert,
            rank,
            explain: None,
            deprecated: false,
            continues: false,
            moves: None,
        }
    }

    /// Proposes a word of the language that [`crate::explain`] documents.
    pub fn known(label: &str, summary: &str, kind: CompletionKind, rank: u32) -> Proposal {
        let detail = (!summary.is_empty()).then(|| summary.to_owned());
        Proposal { detail, explain: Some(label.to_owned()), ..Proposal::word(label, kind, rank) }
    }

    pub fn with_detail(self, detail: impl Into<String>) -> Proposal {
        Proposal { detail: Some(detail.into()), ..self }
    }
}

impl Proposals {
    pub fn replacing(word: TextRange) -> Proposals {
        Proposals { word, list: Vec::new() }
    }

    pub fn add(&mut self, proposal: Proposal) {
        self.list.push(proposal);
    }

    pub fn extend(&mut self, proposals: impl IntoIterator<Item = Proposal>) {
        self.list.extend(proposals);
    }

    /// Among proposals of the same rank, puts these first.
    pub(crate) fn put_first(&mut self, is_first: impl Fn(&str) -> bool) {
        self.list.sort_by_key(|proposal| !is_first(&proposal.label));
    }

    pub(crate) fn finish(self, replace: TextRange) -> Vec<CompletionItem> {
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
            continues: self.continues,
            moves: self.moves,
        }
    }
}
