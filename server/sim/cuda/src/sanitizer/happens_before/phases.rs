//! Phases of mbarriers: which threads know that one has completed.

use super::{Agent, HappensBefore, MAX_EPOCHS, MemoryLocation, Origin, Thread, VectorClock};

/// An mbarrier: the cluster, and the offset in its shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PhaseKey {
    pub(crate) cluster: u32,
    pub(crate) object: u32,
}

impl HappensBefore {
    /// Starts an epoch without an owner, which stands for an event.
    pub(crate) fn start_event(&mut self) -> u32 {
        if self.epochs.len() >= MAX_EPOCHS {
            self.forget();
        }
        self.epochs.push(Origin { block: u32::MAX, warp: 0 });
        self.latest()
    }

    /// A phase of the mbarrier at this location has completed, or its first one starts.
    pub(crate) fn keep_phase(&mut self, location: MemoryLocation) {
        let published = self.published.entry(location).or_default();
        published.completed = Some(published.by_scope.clone());
    }

    /// A thread knows that the phase has completed whose completion this epoch stands for.
    pub(crate) fn learn_phase(&mut self, thread: Thread, key: PhaseKey, epoch: u32) {
        if !self.knows_phase(thread, key, epoch) {
            self.learn_event(thread, Agent::Phase(key.cluster, key.object), epoch);
        }
    }

    pub(crate) fn knows_phase(&self, thread: Thread, key: PhaseKey, epoch: u32) -> bool {
        self.knows_event(thread, Agent::Phase(key.cluster, key.object), epoch)
    }

    /// Whether a thread knows that the generation of a barrier of its block has completed whose completion this epoch stands for.
    pub(crate) fn knows_generation(&self, thread: Thread, barrier: u32, epoch: u32) -> bool {
        self.knows_event(thread, Agent::Barrier(self.block.number, barrier), epoch)
    }

    /// A thread has waited for the prerequisite grid.
    pub(crate) fn learn_prerequisite(&mut self, thread: Thread) {
        self.learn_event(thread, Agent::PrerequisiteGrid, 1);
    }

    /// Whether a thread has waited for the prerequisite grid, or another one whose wait happens before.
    pub(crate) fn knows_prerequisite(&self, thread: Thread) -> bool {
        self.knows_event(thread, Agent::PrerequisiteGrid, 1)
    }

    /// A thread learns what a clock holds.
    pub(crate) fn learn(&mut self, thread: Thread, known: &VectorClock) {
        if !known.is_empty() {
            self.knowledge_of(thread).join(known);
        }
    }

    fn learn_event(&mut self, thread: Thread, agent: Agent, epoch: u32) {
        self.knowledge_of(thread).learn(agent, epoch);
    }

    fn knowledge_of(&mut self, thread: Thread) -> &mut VectorClock {
        let warp = &mut self.block.warps[thread.warp as usize];
        warp.is_merged = false;
        &mut warp.lanes.get_or_insert_with(Default::default)[thread.lane as usize].knows
    }

    fn knows_event(&self, thread: Thread, agent: Agent, epoch: u32) -> bool {
        let lanes = self.block.warps[thread.warp as usize].lanes.as_ref();
        let own_clock = lanes.map(|lanes| &lanes[thread.lane as usize].knows);
        epoch <= self.base
            || own_clock.is_some_and(|clock| clock.covers_agent(agent, epoch))
            || self.block.common.covers_agent(agent, epoch)
    }
}
