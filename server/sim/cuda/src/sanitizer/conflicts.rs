//! The conflicts of one instruction with earlier accesses.

use rustc_hash::FxHashSet;

use super::shadow::{Conflict, ShadowAccess};
use super::stamp::Stamp;
use crate::order::AccessClass;

/// The conflicts of one instruction, grouped by the other statement.
#[derive(Default)]
pub(super) struct Conflicts {
    pub(super) found: Vec<(Conflict, u32, Vec<LaneConflict>)>,
}

#[derive(Clone, Copy)]
pub(super) struct LaneConflict {
    pub(super) conflict: Conflict,
    pub(super) lane: u32,
    pub(super) index: u64,
}

impl Conflicts {
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    pub(super) fn add(&mut self, conflict: Conflict, lane: u32, index: u64) {
        let lane_conflict = LaneConflict { conflict, lane, index };
        match self.found.iter_mut().find(|(have, ..)| have.is_like(&conflict)) {
            Some((_, mask, lane_conflicts)) => {
                *mask |= 1 << lane;
                lane_conflicts.push(lane_conflict);
            }
            None => self.found.push((conflict, 1 << lane, vec![lane_conflict])),
        }
    }
}

/// Whether a fence that orders only some accesses orders an earlier one before this one, or its thread has observed it. `initializers`
/// are the statements that initialize mbarriers.
#[cold]
pub(super) fn is_published(
    initializers: &FxHashSet<u32>,
    access: &ShadowAccess<'_>,
    before: Stamp,
    is_shared: bool,
) -> bool {
    let strong = !access.stamp.is_weak();
    let orders = |class| access.sync.ordered_in_class(class, before, access.thread, strong);
    let has_observed = || {
        let class = AccessClass::LastWrite;
        !before.is_weak() && access.sync.ordered_in_class(class, before, access.thread, true)
    };
    has_observed()
        || is_shared && orders(AccessClass::SharedMemory)
        || initializers.contains(&before.statement()) && orders(AccessClass::Initializations)
}
