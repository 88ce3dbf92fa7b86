//! Which warps of a launch are listed.

use warplens_sim_warp::trace::{Limits, LineTrace, Visit};

/// Which warps are listed, and the trace budget of each. Known before the run, so that a warp's trace does not depend on other
/// warps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Number of listed warps, from the first on.
    warps: u64,
    /// Visits that each may record.
    pub visits: usize,
    /// Bytes that each may use for reconvergences.
    pub reconvergences: usize,
}

impl Listing {
    /// At most half of the trace is for the lines of the listed warps, the remainder for their visits.
    pub fn new(limits: &Limits, statements: usize, warps: u64) -> Listing {
        let lines = statements.max(1) * size_of::<LineTrace>();
        let budget = (limits.max_trace / 2 / lines).max(1).min(limits.max_warps);
        let warps = warps.min(budget as u64);
        let each = limits.max_trace / warps.max(1) as usize;
        let rest = each.saturating_sub(lines);
        Listing { warps, visits: (rest - rest / 8) / size_of::<Visit>(), reconvergences: rest / 8 }
    }

    /// Whether the warp with this number is listed.
    pub fn holds(&self, number: u64) -> bool {
        number < self.warps
    }
}
