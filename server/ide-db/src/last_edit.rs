//! How the last tree that was made from an earlier one differs from it, for the values that are adapted in the same way.

use std::sync::{Arc, Mutex, PoisonError};

use warplens_syntax::TreeEdit;

/// The last such step.
#[derive(Default)]
pub(crate) struct LastEdit(Mutex<Option<Arc<EditStep>>>);

/// A text, the text before, and the part of the tree in which they differ.
pub struct EditStep {
    pub(crate) before: Arc<str>,
    after: Arc<str>,
    /// The difference.
    pub edit: TreeEdit,
}

impl LastEdit {
    /// Records what an edit changed; `None` if that is not known.
    pub(crate) fn note(&self, before: Arc<str>, after: &Arc<str>, edit: Option<TreeEdit>) {
        let step = edit.map(|edit| Arc::new(EditStep { before, after: Arc::clone(after), edit }));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = step;
    }

    /// The step that led to a text.
    pub(crate) fn to(&self, text: &Arc<str>) -> Option<Arc<EditStep>> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone().filter(|step| Arc::ptr_eq(&step.after, text))
    }

    /// Drops the texts.
    pub(crate) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
