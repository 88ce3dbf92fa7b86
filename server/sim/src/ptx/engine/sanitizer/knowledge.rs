//! What a thread knows of what others have done: up to which epoch of each block, warp or thread.
//!
//! Epochs are numbered in the order in which the run starts them, over all warps, so "up to this one" is a number. Whoever knows
//! too many others to keep them apart is taken to know everything so far: a race may then be missed, and none is invented.

use rustc_hash::FxHashMap;

/// Others kept apart.
const MAX_ENTRIES: usize = 1024;

/// Agent something is known of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Agent {
    Block(u32),
    Warp(u32, u32),
    Lane(u32, u32, u8),
}

/// A vector clock with one entry for many threads where they are known alike.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct VectorClock {
    of: FxHashMap<Agent, u32>,
    /// Known of everybody.
    all: u32,
}

impl VectorClock {
    pub(super) fn is_empty(&self) -> bool {
        self.of.is_empty() && self.all == 0
    }

    /// Adds that `whom` is known up to `epoch`.
    pub(super) fn learn(&mut self, whom: Agent, epoch: u32) {
        if epoch <= self.all {
            return;
        }
        let known = self.of.entry(whom).or_default();
        *known = epoch.max(*known);
        if self.of.len() > MAX_ENTRIES {
            self.all = self.of.values().fold(self.all, |most, &epoch| most.max(epoch));
            self.of.clear();
        }
    }

    /// Adds everything that `other` holds.
    pub(super) fn join(&mut self, other: &VectorClock) {
        if self.is_empty() {
            self.clone_from(other);
            return;
        }
        self.all = self.all.max(other.all);
        for (&whom, &epoch) in &other.of {
            self.learn(whom, epoch);
        }
    }

    /// Whether what the lane did in `epoch` is known.
    pub(super) fn covers(&self, block: u32, warp: u32, lane: u8, epoch: u32) -> bool {
        let knows = |whom| self.of.get(&whom).is_some_and(|&known| epoch <= known);
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
    fn knowledge_of_a_block_covers_its_lanes() {
        let mut knowledge = VectorClock::default();
        knowledge.learn(Agent::Block(3), 10);
        knowledge.learn(Agent::Lane(4, 0, 7), 12);
        assert!(knowledge.covers(3, 5, 1, 10) && !knowledge.covers(3, 5, 1, 11));
        assert!(knowledge.covers(4, 0, 7, 12) && !knowledge.covers(4, 0, 6, 1));
    }

    #[test]
    fn too_many_are_one() {
        let mut knowledge = VectorClock::default();
        for block in 0..=MAX_ENTRIES as u32 {
            knowledge.learn(Agent::Block(block), block + 1);
        }
        assert!(knowledge.of.is_empty() && knowledge.covers(99_999, 0, 0, 1000));
    }
}
