//! Words that a text does not have: after an edit of a long text without them, only the edited part is searched for them.

use std::marker::PhantomData;
use std::sync::Arc;

use memchr::memmem;
use text_size::TextSize;
use warplens_syntax::Language;

use crate::db::Cache;
use crate::last_edit::EditStep;

/// The words of a search.
pub trait Words: Send + 'static {
    const WORDS: &'static [&'static str];
}

/// From this offset on, a text has none of the words.
struct Absent<W> {
    from: TextSize,
    words: PhantomData<W>,
}

impl<W> Clone for Absent<W> {
    fn clone(&self) -> Self {
        Absent { ..*self }
    }
}

impl<W: Words> Absent<W> {
    /// Whether the same holds from `from` on after an edit.
    fn holds_after(&self, step: &EditStep, text: &str, from: TextSize) -> bool {
        let edit = &step.edit;
        if edit.old.end() <= self.from {
            return edit.offset(self.from) == from;
        }
        if edit.old.start() < self.from || from != self.from {
            return false;
        }
        let longest = W::WORDS.iter().map(|word| word.len()).max().unwrap_or(0);
        let start = usize::from(edit.new.start()).saturating_sub(longest).max(usize::from(from));
        let end = (usize::from(edit.new.end()) + longest).min(text.len());
        !has_word::<W>(&text.as_bytes()[start..end])
    }
}

impl Cache {
    /// Whether the text of an item has one of the words from an offset on.
    pub fn has_word<W: Words>(&self, language: Language, text: &Arc<str>, from: TextSize) -> bool {
        if self.is_edited(text) {
            // From the tree follows what the edit changed.
            self.tree(language, text);
        }
        let is_known = self
            .before_edit::<Absent<W>>(text)
            .is_some_and(|(absent, step)| absent.holds_after(&step, text, from));
        let is_absent = is_known || !has_word::<W>(&text.as_bytes()[usize::from(from)..]);
        if is_absent {
            self.keep_for_edit(text, || Absent::<W> { from, words: PhantomData });
        }
        !is_absent
    }
}

fn has_word<W: Words>(text: &[u8]) -> bool {
    W::WORDS.iter().any(|word| memmem::find(text, word.as_bytes()).is_some())
}
