//! Decides which warps of a launch are listed.

use warplens_sim_warp::trace::{Limits, LineTrace, Visit};

/// Which warps are listed, and the trace budget of each. Decided before the run, so that the trace of a warp does not
/// depend on other warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Number of listed warps, counted from the first one.
    warps: u64,
    /// Visits that each warp may record.
    pub visits: usize,
    /// Bytes that each warp may use for reconvergences.
    pub reconvergences: usize,
}

impl Listing {
    /// The lines of the listed warps get at most half of the trace, their visits the rest.
    pub fn new(limits: &Limits, statements: usize, warps: u64) -> Listing {
        let lines = statements.max(1) * size_of::<LineTrace>();
        let budget = (limits.max_trace / 2 / lines).max(1).min(limits.max_warps);
        let warps = warps.min(budget as u64);
        let each = limits.max_trace / warps.max(1) as usize;
        let rest = each.saturating_sub(lines);
        Listing { warps, visits: (rest - rest / 8) / size_of::<Visit>(), reconvergences: rest / 8 }
    }

    pub fn holds(&self, number: u64) -> bool {
        number < self.warps
    }
}
