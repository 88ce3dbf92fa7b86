//! Accesses to tensor memory that nothing orders, by a warp and by another thread.
//!
//! A wait of a warp for its loads or stores, and the mbarrier of a commit, tell only the threads that execute it that the cells may be
//! used again. Another thread must synchronize with one of these. As in shared memory, this is checked from the synchronization, so
//! one run is enough. Accesses that no thread knows to be complete are reported by the operations in flight instead.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::Related;

use super::Sanitizer;
use super::cells::{CellAccess, CellAccessKind};
use super::copies::{Commit, CopyFamily, WARPS};
use super::happens_before::Thread;
use super::stamp::{Stamp, Strength};
use crate::order::AccessClass;
use crate::registers::{WIDTH, lanes};
use crate::tensor_memory::cells::CellRange;

/// Maximum number of recorded accesses of a cluster; further ones are not checked.
const MAX_ACCESSES: usize = 1 << 12;

impl Sanitizer {
    /// The lanes of a warp, or one lane that starts an operation, access cells.
    pub fn access_cells(&mut self, kind: CellAccessKind, range: CellRange, mask: u32) {
        if !self.report.checks.races {
            return;
        }
        let accesses = self.cluster.cells.0.iter();
        if let Some(other) = accesses.copied().find(|other| self.races(other, kind, &range, mask)) {
            self.report_cells(kind, &other, mask);
        }
        match kind {
            CellAccessKind::Free => self.cluster.cells.0.retain(|other| !other.range.overlaps(&range)),
            _ => self.record_cells(kind, range, mask),
        }
    }

    fn record_cells(&mut self, kind: CellAccessKind, range: CellRange, mask: u32) {
        let (warp, lane) = (self.warp_of_cluster(), mask.trailing_zeros());
        let stamp = Stamp::new(0, self.report.visit.statement, lane, Strength::Weak);
        let group = self.cluster.copies.closed(warp, CopyFamily::TensorMemory)[lane as usize];
        let access = CellAccess { kind, range, stamp, is_complete: false, warp, group };
        let is_same = |other: &&mut CellAccess| {
            (other.kind, other.range, other.warp, other.stamp.site) == (kind, range, warp, stamp.site)
        };
        let accesses = &mut self.cluster.cells.0;
        if let Some(other) = accesses.iter_mut().find(is_same) {
            *other = access;
        } else if accesses.len() < MAX_ACCESSES {
            accesses.push(access);
        }
    }

    /// The running warp has waited for its loads or its stores.
    pub fn waited_for_cells(&mut self, kind: CellAccessKind) {
        let (warp, epoch) = (self.warp_of_cluster(), self.sync.epoch(self.report.visit.warp));
        for access in &mut self.cluster.cells.0 {
            if (access.kind, access.warp, access.is_complete) == (kind, warp, false) {
                (access.stamp.epoch, access.is_complete) = (epoch, true);
            }
        }
    }

    /// A thread knows that the operations of a commit are complete.
    pub(super) fn committed_cells(&mut self, commit: &Commit) {
        for access in &mut self.cluster.cells.0 {
            let is_covered = (access.warp, access.stamp.lane()) == (commit.warp, commit.lane)
                && access.group <= commit.group;
            if is_covered && !access.kind.is_of_warp() && !access.is_complete {
                (access.stamp.epoch, access.is_complete) = (commit.epoch, true);
            }
        }
    }

    /// Whether nothing orders a complete access before the current one.
    fn races(&self, other: &CellAccess, kind: CellAccessKind, range: &CellRange, mask: u32) -> bool {
        if !other.is_complete
            || !(kind.writes() || other.kind.writes())
            || !other.range.overlaps(range)
            || self.sync.settled(other.stamp.epoch)
        {
            return false;
        }
        let others = if other.kind.is_of_warp() {
            0..WIDTH as u32
        } else {
            other.stamp.lane()..other.stamp.lane() + 1
        };
        // The instructions of a whole warp complete before a later one of any of its lanes, and start after an earlier one.
        let is_ordered = |lane: usize| {
            let thread = Thread { warp: self.report.visit.warp, lane: lane as u32 };
            others.clone().any(|lane| {
                let stamp = other.stamp.of_lane(lane);
                self.sync.ordered(stamp, thread, true)
                    || self.sync.ordered_in_class(AccessClass::TensorMemory, stamp, thread, true)
            })
        };
        !lanes(mask).any(is_ordered)
    }

    fn report_cells(&mut self, kind: CellAccessKind, other: &CellAccess, mask: u32) {
        let started = other.stamp.statement();
        if !self.report.note_new_race(FindingKind::DataRace, Some(started)) {
            return;
        }
        let verb = match kind {
            CellAccessKind::Free => "frees",
            _ if kind.writes() => "writes",
            _ => "reads",
        };
        let other_verb = if other.kind.writes() { "writes" } else { "reads" };
        let (name, other_name, warp) = (kind.name(), other.kind.name(), other.warp % WARPS);
        let CellRange { first, end, .. } = other.range;
        let columns = match end.saturating_sub(first) {
            0 | 1 => format!("column {first}"),
            _ => format!("columns {first} to {}", end - 1),
        };
        let message = format!(
            "Tensor-memory race: `{name}` {verb} cells that `{other_name}` {other_verb}\nnothing orders it after `{other_name}` by \
             warp {warp}, in {columns}: {}",
            other.kind.advice()
        );
        let related = Related::new(started, format!("`{other_name}` {other_verb} the cells here"));
        self.report.add(FindingKind::DataRace, message, mask, [related]);
    }
}
