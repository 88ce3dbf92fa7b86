//! The previous texts of an edited text, so that only the changed part of its tree is rebuilt.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// The number of recorded edits: as many as may happen between two uses of a tree.
const REMEMBERED: usize = 8;

/// The last edits of items, oldest first.
#[derive(Default)]
pub(crate) struct EditHistory(Mutex<VecDeque<Step>>);

struct Step {
    before: Arc<str>,
    after: Arc<str>,
}

impl EditHistory {
    /// Records that an edit changed one text into another.
    pub(crate) fn note(&self, before: &Arc<str>, after: &Arc<str>) {
        let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if steps.len() == REMEMBERED {
            steps.pop_front();
        }
        steps.push_back(Step { before: Arc::clone(before), after: Arc::clone(after) });
    }

    /// The previous texts of a text, the latest first. They are removed: they are needed once, to build the text's tree.
    pub(crate) fn take_ancestors(&self, text: &Arc<str>) -> Vec<Arc<str>> {
        let mut steps = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut ancestors: Vec<Arc<str>> = Vec::new();
        for index in (0..steps.len()).rev() {
            if Arc::ptr_eq(&steps[index].after, ancestors.last().unwrap_or(text)) {
                ancestors.extend(steps.remove(index).map(|step| step.before));
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
        let history = EditHistory::default();
        history.note(&a, &b);
        history.note(&other, &Arc::from("another"));
        history.note(&b, &c);
        assert_eq!(history.take_ancestors(&c), [b, a]);
        assert_eq!(history.take_ancestors(&c), []);
    }

    #[test]
    fn remembers_only_the_last() {
        let texts: Vec<Arc<str>> = (0..20).map(|number| number.to_string().into()).collect();
        let history = EditHistory::default();
        texts.windows(2).for_each(|pair| history.note(&pair[0], &pair[1]));
        assert_eq!(history.take_ancestors(&texts[19]).len(), REMEMBERED);
    }
}
