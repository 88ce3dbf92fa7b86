//! Sets of statements.

use crate::ids::StatementId;

/// A set of statements, one bit each.
#[derive(Clone, Debug, Default)]
pub(super) struct Statements(Vec<u64>);

impl Statements {
    pub(super) fn add(&mut self, StatementId(statement): StatementId) {
        let word = statement as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (statement % 64);
    }

    pub(super) fn add_all(&mut self, others: &Statements) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        self.0.iter_mut().zip(&others.0).for_each(|(own, others)| *own |= others);
    }

    pub(super) fn has(&self, StatementId(statement): StatementId) -> bool {
        self.0.get(statement as usize / 64).is_some_and(|word| word >> (statement % 64) & 1 == 1)
    }
}
