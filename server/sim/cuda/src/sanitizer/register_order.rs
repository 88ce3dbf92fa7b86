//! The order of the instructions that change how many registers the threads of a block hold.

use super::Sanitizer;
use super::happens_before::Thread;
use super::stamp::{Stamp, Strength};

/// Maximum number of increases of a block to keep.
const MAX_INCREASES: usize = 256;

impl Sanitizer {
    /// The running warp changes its count of registers. Returns the increases of other warps that happen before: warp and statement.
    pub fn change_registers(&mut self, increases: bool) -> Vec<(u32, u32)> {
        if !self.report.checks.races {
            return Vec::new();
        }
        let (warp, statement) = (self.report.visit.warp, self.report.visit.statement);
        let thread = Thread { warp, lane: 0 };
        let before = self
            .block
            .increases
            .iter()
            .filter(|(other, increase)| *other != warp && self.sync.ordered(*increase, thread, false));
        let before = before.map(|(other, increase)| (*other, increase.statement())).collect();
        let is_known =
            self.block.increases.iter().any(|(other, at)| (*other, at.statement()) == (warp, statement));
        if increases && !is_known && self.block.increases.len() < MAX_INCREASES {
            let stamp = Stamp::new(self.sync.epoch(warp), statement, 0, Strength::Weak);
            self.block.increases.push((warp, stamp));
        }
        before
    }
}
