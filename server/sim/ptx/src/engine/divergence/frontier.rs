//! Thread frontiers: one group for each instruction at which lanes are; the group earliest in program order runs.
//!
//! After Diamos et al., "SIMD Re-Convergence At Thread Frontiers" (MICRO 2011). Positions are compared by a weak topological
//! order of the basic blocks, in which loops are contiguous. A group runs until it is no longer the earliest. Groups that
//! reach the same instruction merge, so no reconvergence points are needed. The earliest group may spin forever on a
//! condition that a later group would satisfy: this model does not guarantee forward progress.

use super::calls::Calls;
use super::group::{FunctionEntry, Group, LanePosition};
use super::order::Order;
use super::reconvergences::ReconvergenceLog;
use crate::program::Slot;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    at: LanePosition,
    blocked: bool,
}

/// The groups, in no particular order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frontier {
    entries: Vec<Entry>,
    running: usize,
    calls: Calls,
    pub(super) done: Vec<Slot>,
    pub(super) reconvergences: ReconvergenceLog,
}

impl Frontier {
    pub(super) fn new(mask: u32) -> Frontier {
        let first = Entry { at: LanePosition { frame: 0, pc: 0, mask }, blocked: false };
        Frontier {
            entries: vec![first],
            running: 0,
            calls: Calls::new(mask),
            done: Vec::new(),
            reconvergences: ReconvergenceLog::default(),
        }
    }

    pub(super) fn next(&mut self, live: u32, orders: &[Order]) -> Option<Group> {
        self.entries.retain_mut(|entry| {
            entry.at.mask &= live;
            entry.at.mask != 0
        });
        self.calls.note_done(live, &mut self.done);
        let first = self.first(None, orders)?;
        let here = self.merge(first);
        let LanePosition { frame, pc, mask } = self.entries[here].at;
        self.running = here;
        let Some(second) = self.first(Some(here), orders) else {
            return Some(Group { pc, until: u32::MAX, mask, frame, alone: true, needs_convergence: false });
        };
        let block_end = orders[self.calls.function(frame)].end(pc);
        let LanePosition { frame: other, pc: ahead, .. } = self.entries[second].at;
        let until = if other == frame && ahead > pc { block_end.min(ahead) } else { block_end };
        Some(Group { pc, until, mask, frame, alone: false, needs_convergence: false })
    }

    /// The earliest entry that does not wait.
    fn first(&self, except: Option<usize>, orders: &[Order]) -> Option<usize> {
        let ready = (0..self.entries.len()).filter(|&at| Some(at) != except && !self.entries[at].blocked);
        let place = |at: usize| (self.entries[at].at.frame, self.entries[at].at.pc);
        ready.min_by(|&a, &b| self.calls.compare(place(a), place(b), orders))
    }

    /// Merges all groups at the position of `first`; returns its new index.
    fn merge(&mut self, first: usize) -> usize {
        let LanePosition { frame, pc, .. } = self.entries[first].at;
        let mut parts = Vec::new();
        self.entries.retain(|entry| {
            let here = !entry.blocked && (entry.at.frame, entry.at.pc) == (frame, pc);
            if here {
                parts.push(entry.at.mask);
            }
            !here
        });
        let mask = parts.iter().fold(0, |all, part| all | part);
        if parts.len() > 1 {
            self.reconvergences.add(frame, pc, parts);
        }
        self.add(frame, pc, mask);
        self.entries.len() - 1
    }

    fn add(&mut self, frame: Slot, pc: u32, mask: u32) {
        self.entries.push(Entry { at: LanePosition { frame, pc, mask }, blocked: false });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn places(&self) -> Vec<LanePosition> {
        self.entries.iter().map(|entry| entry.at).collect()
    }

    pub(super) fn running(&self) -> Option<LanePosition> {
        self.entries.get(self.running).map(|entry| entry.at)
    }

    pub(super) fn advance_to(&mut self, pc: u32) {
        self.entries[self.running].at.pc = pc;
    }

    pub(super) fn diverge(&mut self, parts: &[(u32, u32)]) {
        let frame = self.entries.remove(self.running).at.frame;
        for &(pc, mask) in parts {
            self.add(frame, pc, mask);
        }
    }

    pub(super) fn call(&mut self, back: u32, entered: &[FunctionEntry]) {
        let caller = &mut self.entries[self.running].at;
        let (frame, site) = (caller.frame, caller.pc);
        caller.pc = back;
        for entered in entered {
            self.entries[self.running].at.mask &= !entered.mask;
            self.calls.enter(entered, frame, site);
            self.add(entered.frame, 0, entered.mask);
        }
    }

    pub(super) fn leave(&mut self, frame: Slot, mask: u32) {
        self.entries[self.running].at.mask &= !mask;
        if let Some((caller, back)) = self.calls.leave(frame, mask) {
            self.add(caller, back, mask);
        }
    }

    pub(super) fn block(&mut self) {
        self.entries[self.running].blocked = true;
    }

    pub(super) fn release(&mut self, mask: u32) {
        for entry in self.entries.iter_mut().filter(|entry| entry.at.mask & mask != 0) {
            entry.blocked = false;
        }
    }
}
