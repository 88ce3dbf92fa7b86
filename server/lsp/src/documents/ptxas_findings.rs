//! The results of ptxas that a document shows.

use std::sync::Arc;

use text_size::TextRange;
use warplens_tools::ptxas::{Message, Resources};

use crate::documents::document::Edit;

/// The results of ptxas for one document.
#[derive(Debug, Clone, Default)]
pub(crate) struct PtxasFindings {
    /// Errors and warnings, with the ranges of their lines.
    pub(crate) messages: Arc<Vec<(TextRange, Message)>>,
    /// The resources of the kernels, until the text is edited.
    pub(crate) resources: Arc<Vec<Resources>>,
}

impl PtxasFindings {
    /// Updates the results after an edit of the text.
    pub(crate) fn edit(&mut self, edits: &[Edit]) {
        if !self.messages.is_empty() {
            move_messages(Arc::make_mut(&mut self.messages), edits);
        }
        if !edits.is_empty() {
            self.resources = Arc::default();
        }
    }
}

/// Moves messages that follow an edit, and removes messages on edited lines.
pub(crate) fn move_messages(messages: &mut Vec<(TextRange, Message)>, edits: &[Edit]) {
    for edit in edits {
        messages.retain(|(range, _)| range.intersect(edit.range).is_none());
        for (range, _) in messages.iter_mut().filter(|(range, _)| range.start() >= edit.range.end()) {
            *range = (*range - edit.range.len()) + edit.inserted;
        }
    }
}

#[cfg(test)]
mod tests {
    use warplens_ide::Severity;

    use super::*;

    fn edit(start: u32, end: u32, inserted: u32) -> Edit {
        Edit { range: TextRange::new(start.into(), end.into()), inserted: inserted.into(), largest_item: 0 }
    }

    #[test]
    fn messages_move_with_the_text_and_are_removed_when_it_is_edited() {
        let message = Message { line: None, severity: Severity::Error, text: "wrong".into() };
        let mut messages = vec![(TextRange::new(10.into(), 20.into()), message)];
        move_messages(&mut messages, &[edit(30, 31, 5)]);
        assert_eq!(messages[0].0, TextRange::new(10.into(), 20.into()));
        move_messages(&mut messages, &[edit(2, 4, 7)]);
        assert_eq!(messages[0].0, TextRange::new(15.into(), 25.into()));
        move_messages(&mut messages, &[edit(25, 25, 1)]);
        assert!(messages.is_empty());
    }
}
