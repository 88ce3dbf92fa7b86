//! Fences that order the accesses of one class only: `fence.mbarrier_init`, `fence.release.sync_restrict` and
//! `tcgen05.fence::before_thread_sync`.

use std::sync::Arc;

use super::{Agent, HappensBefore, Origin, Stamp, Thread, VectorClock, joined};
use crate::order::{AccessClass, Scope};

impl HappensBefore {
    /// Lanes of a warp execute a fence that releases only the accesses of a class.
    pub(in crate::sanitizer) fn release_only(
        &mut self,
        class: AccessClass,
        (warp, live, mask): (u32, u32, u32),
        scope: Scope,
    ) {
        self.has_restricted = true;
        let known = self.known_by(warp, live, mask);
        let clock = &mut self.block.warps[warp as usize];
        clock.is_merged = false;
        let clocks = clock.lanes.get_or_insert_with(Default::default);
        for (lane, known) in known {
            let known = Arc::new(known.restricted(class));
            clocks[lane].released[..=scope as usize].iter_mut().for_each(|released| joined(released, &known));
        }
    }

    /// What a thread knows of the accesses of a class, and has done itself.
    pub(in crate::sanitizer) fn known_of_class(
        &mut self,
        class: AccessClass,
        thread: Thread,
        live: u32,
    ) -> VectorClock {
        self.has_restricted = true;
        let known = self.known_by(thread.warp, live, 1 << thread.lane).pop();
        known.map_or_else(VectorClock::default, |(_, known)| known.restricted(class))
    }

    /// Whether a fence that releases only the accesses of a class orders an access of the class before the current one of
    /// `thread`. Like strong accesses, operations that a fence of their own orders need none of the thread to acquire.
    pub(in crate::sanitizer) fn ordered_in_class(
        &self,
        class: AccessClass,
        stamp: Stamp,
        thread: Thread,
        strong: bool,
    ) -> bool {
        let Some(Origin { block, warp }) = self.origin(stamp.epoch).filter(|_| self.has_restricted) else {
            return false;
        };
        let agents =
            [Agent::Block(block), Agent::Warp(block, warp), Agent::Lane(block, warp, stamp.lane() as u8)];
        let covers = |clock: &VectorClock| {
            agents.iter().any(|agent| clock.covers_agent(agent.restricted(class), stamp.epoch))
        };
        let lanes = self.block.warps[thread.warp as usize].lanes.as_ref();
        covers(&self.block.common)
            || lanes.is_some_and(|lanes| {
                let lane = &lanes[thread.lane as usize];
                covers(&lane.knows) || strong && lane.pending.iter().flatten().any(|pending| covers(pending))
            })
    }
}
