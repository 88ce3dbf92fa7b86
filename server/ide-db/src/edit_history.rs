//! The last edits of items. The tree of an earlier text is reused, except for the part that the edits changed.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use text_size::TextRange;

/// How many edits are kept: as many as may happen between two uses of a tree.
const REMEMBERED: usize = 8;

/// The last edits of items, oldest first.
#[derive(Default)]
pub(crate) struct EditHistory(Mutex<VecDeque<Step>>);

struct Step {
    before: Arc<str>,
    after: Arc<str>,
    edited: TextRange,
}

/// An earlier version of a text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Ancestor {
    pub(crate) text: Arc<str>,
    /// The edited range in this version; `None` if more edits followed.
    pub(crate) edited: Option<TextRange>,
}

impl EditHistory {
    pub(crate) fn note(&self, before: &Arc<str>, after: &Arc<str>, edited: TextRange) {
        let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.len() == REMEMBERED {
            steps.pop_front();
        }
        steps.push_back(Step { before: Arc::clone(before), after: Arc::clone(after), edited });
    }

    /// Removes and returns the earlier versions of a text, latest first. They are needed only once, to build
    /// its tree.
    pub(crate) fn take_ancestors(&self, text: &Arc<str>) -> Vec<Ancestor> {
        let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ancestors: Vec<Ancestor> = Vec::new();
        for index in (0..steps.len()).rev() {
            let last = ancestors.last().map_or(text, |ancestor| &ancestor.text);
            if Arc::ptr_eq(&steps[index].after, last) {
                let is_first = ancestors.is_empty();
                let ancestor =
                    |step: Step| Ancestor { text: step.before, edited: is_first.then_some(step.edited) };
                ancestors.extend(steps.remove(index).map(ancestor));
            }
        }
        ancestors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_one_text_through_its_edits() {
        let [a, b, c, other]: [Arc<str>; 4] = ["a", "b", "c", "other"].map(Arc::from);
        let (first, last) = (TextRange::empty(0.into()), TextRange::empty(1.into()));
        let history = EditHistory::default();
        history.note(&a, &b, first);
        history.note(&other, &Arc::from("another"), first);
        history.note(&b, &c, last);
        let ancestor = |text: &Arc<str>, edited| Ancestor { text: Arc::clone(text), edited };
        assert_eq!(history.take_ancestors(&c), [ancestor(&b, Some(last)), ancestor(&a, None)]);
        assert_eq!(history.take_ancestors(&c), []);
    }

    #[test]
    fn remembers_only_the_last() {
        let texts: Vec<Arc<str>> = (0..20).map(|number| number.to_string().into()).collect();
        let history = EditHistory::default();
        texts.windows(2).for_each(|pair| history.note(&pair[0], &pair[1], TextRange::empty(0.into())));
        assert_eq!(history.take_ancestors(&texts[19]).len(), REMEMBERED);
    }
}
