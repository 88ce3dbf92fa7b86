//! Documents in the database.

use std::sync::Arc;

use text_size::{TextRange, TextSize};
use warplens_syntax::{EditSummary, ItemList};

/// The items of a document, shared and compared by pointer.
#[derive(Clone)]
pub struct Document(Arc<ItemList>);

impl Document {
    pub fn new(items: ItemList) -> Document {
        Document(Arc::new(items))
    }

    pub fn items(&self) -> &ItemList {
        &self.0
    }

    /// The document after an edit, sharing every unchanged item, and the effect of the edit. `None` if the
    /// range is outside of the document or splits a character.
    pub fn edited(&self, range: TextRange, insert: &str) -> Option<(Document, EditSummary)> {
        if !self.is_boundary(range.start()) || !self.is_boundary(range.end()) {
            return None;
        }
        let mut items = ItemList::clone(&self.0);
        let summary = items.edit(range, insert);
        Some((Document::new(items), summary))
    }

    fn is_boundary(&self, offset: TextSize) -> bool {
        if offset > self.0.text_len() {
            return false;
        }
        let Some(index) = self.0.item_at(offset) else { return true };
        self.0[index].text.is_char_boundary(usize::from(offset - self.0.start_of(index)))
    }
}
