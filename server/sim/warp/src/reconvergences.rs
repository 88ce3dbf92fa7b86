//! The recorded reconvergences of a warp: each once, in statement order, within a memory budget.

use crate::trace::{Mask, Reconvergence, StatementId};

/// Reconvergences of one warp.
#[derive(Debug)]
pub struct ReconvergenceList {
    found: Vec<Reconvergence>,
    /// Bytes that further entries may take.
    budget: usize,
}

impl ReconvergenceList {
    pub fn with_budget(budget: usize) -> Self {
        ReconvergenceList { found: Vec::new(), budget }
    }

    /// Keeps a reconvergence, unless it is known or exceeds the budget. Its parts are copied only if it is kept.
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
