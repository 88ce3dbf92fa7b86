//! Older values: what a relaxed load may see although another block has stored a newer one.
//!
//! A run executes accesses one after the other, so without this a missing fence could not show in data that is itself passed with
//! relaxed or volatile accesses: there is no race. Under the memory model of PTX such a load may return an older value unless the newer
//! store happens before it, or before it a load that saw that store. Some schedules choose that value.
//!
//! The model allows more than these: only the value before the last store is seen, once by each thread, and only if another block stored to
//! exactly these bytes of global memory. Fences are ordered among themselves like `fence.sc`.

use rustc_hash::FxHashMap;
use warplens_sim_warp::SplitMix64;
use warplens_sim_warp::schedule::Schedule;

use super::happens_before::{HappensBefore, MemoryLocation, PublishedByScope, Thread};
use super::stamp::Stamp;
use crate::memory::region::MemoryRegion;
use crate::registers::PerLane;

/// The bytes of the widest access of a thread.
const MAX_SPAN: usize = 32;

/// Granules whose stores are kept; beyond it, all are forgotten.
const MAX_GRANULES: usize = 1 << 15;

/// Threads that are kept for a store; beyond it, all see the store.
const MAX_THREADS: usize = 64;

/// Bytes of memory whose stores are kept together: those of the widest access.
const GRANULE: u64 = MAX_SPAN as u64;

/// The last strong store to some bytes.
struct LastStore {
    index: u64,
    span: u64,
    stamp: Stamp,
    before: [u8; MAX_SPAN],
    /// What the value before it tells its readers.
    published: PublishedByScope,
    /// Whether several lanes stored there at once: then the value before is not the one before the last of them.
    is_of_several: bool,
    /// Loads that saw it.
    seen: Vec<Stamp>,
    /// The threads that saw the value before it, with their blocks.
    missed: Vec<(u32, u32, u32)>,
}

pub(super) struct OlderValues {
    random: SplitMix64,
    of_two: u64,
    /// By region and granule.
    stores: FxHashMap<(MemoryRegion, u64), Vec<LastStore>>,
    loaded: OlderLoad,
    /// The last load: its statement, the lanes that saw older values, and the store that they did not see.
    last: (u32, u32, u32),
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
            last: (0, 0, 0),
            loaded: OlderLoad { mask: 0, store: 0, bytes: Box::new([[0; MAX_SPAN]; 32]) },
        }
    }

    /// What lanes see in the load that was just checked.
    pub(super) fn take(&mut self, statement: u32) -> Option<OlderLoad> {
        let mask = std::mem::take(&mut self.loaded.mask);
        self.last = (statement, mask, self.loaded.store);
        (mask != 0).then(|| OlderLoad { mask, ..self.loaded.clone() })
    }

    /// The store that a lane did not see if this statement was the last load.
    pub(super) fn unseen_store(&self, statement: u32, lane: usize) -> Option<u32> {
        let (loaded, mask, store) = self.last;
        (loaded == statement && mask >> lane & 1 == 1).then_some(store)
    }

    /// A thread stores to a location that has these bytes.
    pub(super) fn stored(
        &mut self,
        (region, index): MemoryLocation,
        stamp: Stamp,
        bytes: &[u8],
        published: PublishedByScope,
    ) {
        if !region.is_device() || bytes.len() > MAX_SPAN {
            return;
        }
        if self.stores.len() >= MAX_GRANULES {
            self.stores.clear();
        }
        let span = bytes.len() as u64;
        let of_granule = self.stores.entry((region, index / GRANULE)).or_default();
        let mut others = of_granule.iter().filter(|store| store.overlaps(index, span));
        let is_of_several = others.any(|store| store.stamp.is_of_same_visit(stamp));
        of_granule.retain(|store| !store.overlaps(index, span));
        let mut before = [0; MAX_SPAN];
        before[..bytes.len()].copy_from_slice(bytes);
        let (seen, missed) = (Vec::new(), Vec::new());
        of_granule.push(LastStore { index, span, stamp, before, published, is_of_several, seen, missed });
    }

    /// A thread loads from a location. If it `may_see_older` values, `is_last` tells whether a store is the last one to these bytes.
    /// Returns what the older value tells, if the thread sees that.
    pub(super) fn loads(
        &mut self,
        (region, index): MemoryLocation,
        span: u64,
        (thread, stamp): (Thread, Stamp),
        sync: &HappensBefore,
        may_see_older: bool,
        is_last: impl Fn(Stamp) -> bool,
    ) -> Option<&PublishedByScope> {
        let stores = self.stores.get_mut(&(region, index / GRANULE))?;
        let reader = (sync.running(), thread.warp, thread.lane);
        let mut older = None;
        for store in stores.iter_mut().filter(|store| store.overlaps(index, span)) {
            if may_see_older
                && (store.index, store.span) == (index, span)
                && is_last(store.stamp)
                && store.is_hidden_from(reader, thread, sync)
                && self.random.below(2) < self.of_two
            {
                store.missed.push(reader);
                let lane = thread.lane as usize;
                (self.loaded.bytes[lane], self.loaded.store) = (store.before, store.stamp.statement());
                self.loaded.mask |= 1 << lane;
                older = Some(&store.published);
            } else if store.seen.len() < MAX_THREADS {
                store.seen.push(stamp);
            }
        }
        older
    }
}

impl LastStore {
    fn overlaps(&self, index: u64, span: u64) -> bool {
        self.index < index + span && index < self.index + self.span
    }

    /// Whether nothing makes a thread see the store.
    fn is_hidden_from(&self, reader: (u32, u32, u32), thread: Thread, sync: &HappensBefore) -> bool {
        !self.is_of_several
            && self.seen.len() < MAX_THREADS
            && self.missed.len() < MAX_THREADS
            && !self.missed.contains(&reader)
            && sync.origin(self.stamp.epoch).is_some_and(|origin| origin.block != reader.0)
            && !sync.ordered(self.stamp, thread, true)
            && !self.seen.iter().any(|seen| sync.ordered(*seen, thread, true))
    }
}
