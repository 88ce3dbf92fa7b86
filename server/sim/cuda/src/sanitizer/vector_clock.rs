//! Vector clocks: the epoch up to which a thread has synchronized with each block, warp or thread.
//!
//! Epochs are numbered in the order in which the run starts them, over all warps. A clock with too many entries counts
//! as covering everything so far: a race may be missed, but none is invented.

use rustc_hash::FxHashMap;

use crate::order::AccessClass;

const MAX_ENTRIES: usize = 1024;

/// Whose epochs an entry covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Agent {
    Block(u32),
    Warp(u32, u32),
    Lane(u32, u32, u8),
    /// The same, for the accesses of a class only.
    BlockOf(AccessClass, u32),
    WarpOf(AccessClass, u32, u32),
    LaneOf(AccessClass, u32, u32, u8),
    /// The completed phases of an mbarrier: the cluster, and the offset in its shared memory.
    Phase(u32, u32),
    /// The completed generations of a barrier of the block: the block and the barrier.
    Barrier(u32, u32),
    /// The completion of the prerequisite grid.
    PrerequisiteGrid,
}

impl Agent {
    /// The same threads, with their accesses of a class only.
    pub(super) fn restricted(self, class: AccessClass) -> Agent {
        match self {
            Agent::Block(block) => Agent::BlockOf(class, block),
            Agent::Warp(block, warp) => Agent::WarpOf(class, block, warp),
            Agent::Lane(block, warp, lane) => Agent::LaneOf(class, block, warp, lane),
            other => other,
        }
    }
}

/// A vector clock. Threads whose epochs agree share one entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct VectorClock {
    of: FxHashMap<Agent, u32>,
    /// The epoch up to which all agents are covered.
    all: u32,
}

impl VectorClock {
    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty() && self.all == 0
    }

    pub(super) fn learn(&mut self, agent: Agent, epoch: u32) {
        if epoch <= self.all {
            return;
        }
        let known = self.of.entry(agent).or_default();
        *known = epoch.max(*known);
        if self.of.len() > MAX_ENTRIES {
            self.all = self.of.values().fold(self.all, |most, &epoch| most.max(epoch));
            self.of.clear();
        }
    }

    pub(super) fn remove(&mut self, agent: Agent) {
        self.of.remove(&agent);
    }

    pub(super) fn join(&mut self, other: &VectorClock) {
        if self.is_empty() {
            self.clone_from(other);
            return;
        }
        self.all = self.all.max(other.all);
        for (&agent, &epoch) in &other.of {
            self.learn(agent, epoch);
        }
    }

    /// Adds what another clock holds about one block.
    pub(super) fn join_block(&mut self, other: &VectorClock, number: u32) {
        self.all = self.all.max(other.all);
        for (&agent, &epoch) in &other.of {
            let is_of_block = match agent {
                Agent::Block(block) | Agent::Warp(block, _) | Agent::Lane(block, ..) => block == number,
                Agent::BlockOf(_, block) | Agent::WarpOf(_, block, _) | Agent::LaneOf(_, block, ..) => {
                    block == number
                }
                Agent::Phase(block, _) | Agent::Barrier(block, _) => block == number,
                Agent::PrerequisiteGrid => false,
            };
            if is_of_block {
                self.learn(agent, epoch);
            }
        }
    }

    /// What a thread with this clock knows of the accesses of a class.
    pub(super) fn restricted(&self, class: AccessClass) -> VectorClock {
        let is_of_class = |agent: &Agent| match agent {
            Agent::BlockOf(of, _) | Agent::WarpOf(of, ..) | Agent::LaneOf(of, ..) => *of == class,
            _ => true,
        };
        let known = self.of.iter().filter(|(agent, _)| is_of_class(agent));
        let mut restricted = VectorClock { all: self.all, ..VectorClock::default() };
        // An agent may be known both in whole and by its accesses of the class.
        known.for_each(|(agent, epoch)| restricted.learn(agent.restricted(class), *epoch));
        restricted
    }

    pub(super) fn covers_agent(&self, agent: Agent, epoch: u32) -> bool {
        epoch <= self.all || self.of.get(&agent).is_some_and(|&known| epoch <= known)
    }

    /// Whether the clock covers this epoch of all lanes of the warp. May return `false` even if so.
    pub(super) fn covers_warp(&self, block: u32, warp: u32, epoch: u32) -> bool {
        self.covers_agent(Agent::Block(block), epoch) || self.covers_agent(Agent::Warp(block, warp), epoch)
    }

    /// Whether the clock covers this epoch of the lane.
    pub(super) fn covers(&self, block: u32, warp: u32, lane: u8, epoch: u32) -> bool {
        let knows = |agent| self.of.get(&agent).is_some_and(|&known| epoch <= known);
        epoch <= self.all
            || !self.of.is_empty()
                && (knows(Agent::Block(block))
                    || knows(Agent::Warp(block, warp))
                    || knows(Agent::Lane(block, warp, lane)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_entry_covers_its_lanes() {
        let mut clock = VectorClock::default();
        clock.learn(Agent::Block(3), 10);
        clock.learn(Agent::Lane(4, 0, 7), 12);
        assert!(clock.covers(3, 5, 1, 10) && !clock.covers(3, 5, 1, 11));
        assert!(clock.covers(4, 0, 7, 12) && !clock.covers(4, 0, 6, 1));
    }

    #[test]
    fn too_many_entries_collapse() {
        let mut clock = VectorClock::default();
        for block in 0..=MAX_ENTRIES as u32 {
            clock.learn(Agent::Block(block), block + 1);
        }
        assert!(clock.of.is_empty() && clock.covers(99_999, 0, 0, 1000));
    }
}
