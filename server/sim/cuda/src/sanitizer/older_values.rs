//! Older values: what a relaxed load may see although another block has stored a newer one.
//!
//! A run executes accesses one after the other, so without this a missing fence could not show in data that is itself passed with
//! relaxed or volatile accesses: there is no race. Under the memory model of PTX such a load may return an older value unless the newer
//! store happens before it, or before it a load that saw that store. Some schedules choose that value.
//!
//! Fewer values count as possible than the model allows: the one before the last store, once for each thread, and only of a store of
//! another block to exactly these bytes of global memory. Fences are ordered among themselves like `fence.sc`.

use rustc_hash::FxHashMap;
use warplens_sim_warp::SplitMix64;
use warplens_sim_warp::schedule::Schedule;

use super::happens_before::{HappensBefore, MemoryLocation, Thread};
use super::stamp::Stamp;
use crate::memory::region::MemoryRegion;
use crate::registers::PerLane;

/// The bytes of the widest access of a thread.
const MAX_SPAN: usize = 32;

/// Stores that are kept; beyond it, all are forgotten.
const MAX_STORES: usize = 1 << 16;

/// Threads that are kept for a store; beyond it, all see the store.
const MAX_THREADS: usize = 64;

/// The last strong store to a location.
struct LastStore {
    stamp: Stamp,
    span: usize,
    before: [u8; MAX_SPAN],
    /// Loads that saw it.
    seen: Vec<Stamp>,
    /// The threads that saw the value before it, with their blocks.
    missed: Vec<(u32, u32, u32)>,
}

pub(super) struct OlderValues {
    random: SplitMix64,
    of_two: u64,
    stores: FxHashMap<MemoryLocation, LastStore>,
    loaded: OlderLoad,
    /// The lanes of the last load that saw older values, and the store that they did not see.
    last: (u32, u32),
}

/// The older values that lanes of the running load see.
#[derive(Clone, Debug)]
pub struct OlderLoad {
    pub mask: u32,
    /// A store that lanes do not see.
    store: u32,
    bytes: Box<PerLane<[u8; MAX_SPAN]>>,
}

impl OlderLoad {
    /// The element of a lane at an offset from its address.
    #[must_use]
    pub fn element(&self, lane: usize, offset: u64, size: u32) -> u64 {
        let bytes = &self.bytes[lane][offset as usize..][..size as usize];
        bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
    }
}

impl OlderValues {
    pub(super) fn new(schedule: Schedule) -> OlderValues {
        OlderValues {
            random: schedule.further_numbers(),
            of_two: schedule.older_reads_of_two(),
            stores: FxHashMap::default(),
            last: (0, 0),
            loaded: OlderLoad { mask: 0, store: 0, bytes: Box::new([[0; MAX_SPAN]; 32]) },
        }
    }

    /// What the lanes of the load see that was just checked.
    pub(super) fn take(&mut self) -> Option<OlderLoad> {
        let mask = std::mem::take(&mut self.loaded.mask);
        self.last = (mask, self.loaded.store);
        (mask != 0).then(|| OlderLoad { mask, ..self.loaded.clone() })
    }

    /// The store that a lane of the last load did not see.
    pub(super) fn unseen_store(&self, lane: usize) -> Option<u32> {
        let (mask, store) = self.last;
        (mask >> lane & 1 == 1).then_some(store)
    }

    /// A thread stores to a location that has these bytes.
    pub(super) fn stored(&mut self, location: MemoryLocation, stamp: Stamp, bytes: &[u8]) {
        if !is_device(location.0) || bytes.len() > MAX_SPAN {
            return;
        }
        if self.stores.len() >= MAX_STORES {
            self.stores.clear();
        }
        let mut before = [0; MAX_SPAN];
        before[..bytes.len()].copy_from_slice(bytes);
        let store = LastStore { stamp, span: bytes.len(), before, seen: Vec::new(), missed: Vec::new() };
        self.stores.insert(location, store);
    }

    /// A thread loads from a location, and `is_last` tells whether a store is the last one to these bytes. Returns whether the thread
    /// sees the older value.
    pub(super) fn loads(
        &mut self,
        location: MemoryLocation,
        span: usize,
        (thread, stamp): (Thread, Stamp),
        sync: &HappensBefore,
        is_last: impl Fn(Stamp) -> bool,
    ) -> bool {
        let store = self.stores.get_mut(&location).filter(|store| store.span == span);
        let Some(store) = store.filter(|store| is_last(store.stamp)) else { return false };
        let reader = (sync.running(), thread.warp, thread.lane);
        if store.is_hidden_from(reader, thread, sync) && self.random.below(2) < self.of_two {
            store.missed.push(reader);
            let lane = thread.lane as usize;
            (self.loaded.bytes[lane], self.loaded.store) = (store.before, store.stamp.statement());
            self.loaded.mask |= 1 << lane;
            return true;
        }
        if store.seen.len() < MAX_THREADS {
            store.seen.push(stamp);
        }
        false
    }
}

impl LastStore {
    /// Whether nothing makes a thread see the store.
    fn is_hidden_from(&self, reader: (u32, u32, u32), thread: Thread, sync: &HappensBefore) -> bool {
        let of_other_block = |origin: super::happens_before::Origin| origin.block != reader.0;
        self.seen.len() < MAX_THREADS
            && self.missed.len() < MAX_THREADS
            && !self.missed.contains(&reader)
            && sync.origin(self.stamp.epoch).is_some_and(of_other_block)
            && !sync.ordered(self.stamp, thread, true)
            && !self.seen.iter().any(|seen| sync.ordered(*seen, thread, true))
    }
}

fn is_device(region: MemoryRegion) -> bool {
    matches!(region, MemoryRegion::Launch | MemoryRegion::Globals)
}
