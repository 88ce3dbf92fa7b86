//! Memory access patterns of a whole program, by statement.

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_warp::scalar_type::ScalarType;

use super::unused_reads::PassedOn;
use crate::address::AtomicOp;
use crate::order::Order;

#[derive(Debug, Default)]
pub struct ProgramPatterns {
    /// Loads whose value only compare-and-swap loops use, with their sizes in bytes.
    pub cas_loads: FxHashMap<u32, u32>,
    /// The element sizes in bytes of atomics, if there are such loads.
    pub atomics: FxHashMap<u32, u32>,
    /// Atomics and copies that [accumulate](AtomicOp::accumulates).
    pub accumulating: FxHashSet<u32>,
    /// Strong loads whose value controls which lanes run.
    pub polls: FxHashSet<u32>,
    /// For each store that completes an update: the load, and the atomic that would replace both.
    pub updates: FxHashMap<u32, (u32, AtomicOp)>,
    /// `st.async`
    pub async_stores: FxHashSet<u32>,
    /// Whether the program waits for phases of mbarriers. Otherwise it does not matter in which phase an arrival counts.
    pub awaits_phases: bool,
    /// Whether threads may synchronize by relaxed accesses or arrivals, for which fences matter.
    pub is_relaxed: bool,
    /// Loads whose value only memory accesses use.
    pub uses: PassedOn,
    /// Accesses whose address depends on the contents of buffers, or on arguments that decide which threads share it.
    pub computed_addresses: FxHashSet<u32>,
    /// The bytes of an element, for each statement whose instruction tells the type of what it accesses: a load, a store or a matrix, but
    /// no copy.
    pub units: FxHashMap<u32, u32>,
    /// Stores of floats that a warp has reduced by exchanging values, with the type of the floats.
    pub rounded_stores: FxHashMap<u32, ScalarType>,
}

impl ProgramPatterns {
    /// The patterns of a program in which only the loads that may poll are known.
    pub fn of_polls(polls: impl IntoIterator<Item = u32>) -> ProgramPatterns {
        ProgramPatterns { polls: polls.into_iter().collect(), ..ProgramPatterns::default() }
    }

    pub(super) fn is_poll(&self, statement: u32) -> bool {
        self.polls.contains(&statement)
    }

    /// The bytes of an element of a strong access, if they are known.
    pub(super) fn element(&self, statement: u32, order: Order) -> Option<u32> {
        let is_asynchronous = order.special.uses_async_proxy();
        self.units.get(&statement).copied().filter(|_| !is_asynchronous)
    }

    /// The atomic that would replace the load, the operation and the store of one address that race.
    pub(super) fn atomic_of(&self, statements: [u32; 2]) -> Option<AtomicOp> {
        let [a, b] = statements;
        let update = |store: u32, other: u32| {
            let &(load, op) = self.updates.get(&store)?;
            (other == store || other == load).then_some(op)
        };
        update(a, b).or_else(|| update(b, a))
    }

    /// Whether one statement is a load whose value only compare-and-swap loops use, and the other an atomic of the same
    /// size.
    pub(super) fn is_repaired_by_swap(&self, statements: [u32; 2]) -> bool {
        let [a, b] = statements;
        let is_pair = |load: u32, atomic: u32| {
            self.cas_loads.get(&load).is_some_and(|size| self.atomics.get(&atomic) == Some(size))
        };
        is_pair(a, b) || is_pair(b, a)
    }
}
