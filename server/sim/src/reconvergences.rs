//! The recorded reconvergences of a warp: each once, in statement order, within a memory budget.

use crate::trace::Reconvergence;

/// Reconvergences of one warp.
#[derive(Debug)]
pub(crate) struct ReconvergenceList {
    found: Vec<Reconvergence>,
    /// Bytes that further entries may take.
    budget: usize,
}

impl ReconvergenceList {
    pub(crate) fn with_budget(budget: usize) -> Self {
        ReconvergenceList { found: Vec::new(), budget }
    }

    /// Keeps a reconvergence, unless it is known or exceeds the budget.
    pub(crate) fn add(&mut self, reconvergence: Reconvergence) {
        let bytes = size_of::<Reconvergence>() + size_of_val(reconvergence.parts.as_slice());
        if let Err(at) = self.found.binary_search(&reconvergence)
            && let Some(budget) = self.budget.checked_sub(bytes)
        {
            self.budget = budget;
            self.found.insert(at, reconvergence);
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Reconvergence> {
        std::mem::take(&mut self.found)
    }
}
