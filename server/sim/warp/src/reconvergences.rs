//! The recorded reconvergences of a warp: each one once, in statement order, within a memory budget.

use crate::trace::{Mask, Reconvergence, StatementId};

/// The reconvergences of one warp.
#[derive(Clone, Debug)]
pub struct ReconvergenceList {
    found: Vec<Reconvergence>,
    /// Bytes left for further entries.
    budget: usize,
}

impl ReconvergenceList {
    pub fn with_budget(budget: usize) -> Self {
        ReconvergenceList { found: Vec::new(), budget }
    }

    /// Adds a reconvergence unless it is known or exceeds the budget. Copies `parts` only if it is added.
    pub fn add<P: AsRef<[Mask]> + Into<Vec<Mask>>>(&mut self, statement: StatementId, parts: P) {
        let groups = parts.as_ref();
        let bytes = size_of::<Reconvergence>() + size_of_val(groups);
        let known = |other: &Reconvergence| (other.statement, &*other.parts).cmp(&(statement, groups));
        if let Err(at) = self.found.binary_search_by(known)
            && let Some(budget) = self.budget.checked_sub(bytes)
        {
            self.budget = budget;
            self.found.insert(at, Reconvergence { statement, parts: parts.into() });
        }
    }

    pub fn take(&mut self) -> Vec<Reconvergence> {
        std::mem::take(&mut self.found)
    }
}
