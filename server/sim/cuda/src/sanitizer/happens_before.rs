//! The happens-before order between threads: barriers, fences and synchronizing accesses. It follows the causality
//! order of the PTX ISA, chapter "Memory Consistency Model".
//!
//! A warp's execution is divided into epochs; a new one starts wherever the warp may synchronize. An access has the
//! epoch of its warp, and it happens before a later access if the later thread knows its epoch. A barrier of the block
//! makes everything known to all threads of the block, so it is stored as one number per block; a warp-synchronizing
//! instruction is one number per warp. Only synchronization through memory (a fence or `.release`, then a flag or an
//! atomic that another thread reads) is stored per thread.
//!
//! Where correct programs in practice break a rule of the model, the sanitizer deliberately orders more than the model
//! does, so that they are not reported:
//!
//! * an atomic that reads what a fence published orders the accesses after it, even without a second fence;
//! * a fence by each thread before a barrier counts for any thread that publishes after the barrier;
//! * a fence of any thread counts for the flags that other threads have read before they synchronized with it;
//! * a fence that acquires counts for flags that it cannot reach, as far as they tell of the thread's own block.
//!
//! What a thread learns from a flag of another block without acquiring it does not become known through a barrier or a
//! fence of the block: those leave stale lines in the first-level cache.

mod arrivals;
mod cluster_clock;
mod phases;
mod restricted;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub(super) use self::arrivals::Arrival;
pub(crate) use self::cluster_clock::ClusterClock;
pub(super) use self::phases::PhaseKey;
use super::stamp::{IN_FLIGHT, Stamp};
use super::vector_clock::{Agent, VectorClock};
use crate::memory::region::MemoryRegion;
use crate::order::{AccessClass, Order, Scope};
use crate::registers::{WIDTH, lanes};

/// Maximum number of recorded epochs. Beyond it, all epochs so far count as ordered.
const MAX_EPOCHS: usize = 1 << 22;

/// Maximum number of locations through which threads synchronize. Beyond it, all accesses so far count as ordered.
const MAX_PUBLISHED: usize = 1 << 16;

/// A location in memory through which threads synchronize.
pub(super) type MemoryLocation = (MemoryRegion, u64);

#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    pub(super) block: u32,
    pub(super) warp: u32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Thread {
    pub(super) warp: u32,
    pub(super) lane: u32,
}

#[derive(Debug, Default)]
pub(super) struct HappensBefore {
    /// Epochs up to this one happen before every access.
    base: u32,
    /// The owners of the epochs after `base`.
    epochs: Vec<Origin>,
    /// The newest epoch when the running block was entered; its own epochs are later.
    entered: u32,
    /// The last suspended block, and the newest epoch when it was suspended.
    left: (u32, u32),
    block: BlockClock,
    published: FxHashMap<MemoryLocation, Published>,
    /// Whether a thread has executed a fence that orders the accesses of one class only.
    has_restricted: bool,
    /// What threads knew when they executed fences, if fences are ordered among themselves, as `fence.sc` is. Without loads of older
    /// values this would only hide races.
    fences: Option<VectorClock>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct BlockClock {
    number: u32,
    /// The newest epoch when the block started; its own epochs are later.
    started: u32,
    /// Every thread knows every epoch of the block up to this one.
    floor: u32,
    /// Phases of the cluster barrier that the block's threads know to be complete.
    phases: u32,
    /// What every thread of the block knows of other blocks.
    common: VectorClock,
    /// What any thread of the block may publish.
    released: ByScope,
    /// By barrier: what threads that arrived there without waiting knew.
    left: Vec<LaneClock>,
    warps: Vec<WarpClock>,
}

#[derive(Clone, Debug, Default)]
struct WarpClock {
    /// The current epoch; 0 if the next access starts one.
    epoch: u32,
    /// Every lane knows every epoch of the warp up to this one.
    synchronized: u32,
    /// `pairs[b][a]` is the last epoch of lane `a` that lane `b` knows, after some lanes synchronized.
    pairs: Option<Box<[[u32; WIDTH]; WIDTH]>>,
    lanes: Option<Box<[LaneClock; WIDTH]>>,
    /// Whether all lanes have equal knowledge and may publish it alike.
    is_merged: bool,
}

/// What one thread knows beyond its warp and block.
#[derive(Clone, Debug, Default)]
struct LaneClock {
    knows: VectorClock,
    /// Learned from flags that the thread has read, with no fence of the scope since. Beyond the block, also from flags that
    /// threads that synchronized with it have read.
    pending: ByScope,
    /// What flags that the thread has read would teach it if their accesses had a wider scope.
    missed: Option<Arc<VectorClock>>,
    /// What the thread may publish because of a fence.
    released: ByScope,
    /// What the thread last learned from a location, so that a polling thread does not learn it again.
    learned: ByScope,
}

/// What a reader of a location learns.
#[derive(Debug, Default)]
struct Published {
    /// By scope, for readers in the writer's block, in its cluster, and anywhere, with the number of this group.
    by_scope: PublishedByScope,
    /// At an mbarrier, the same when its last phase completed. Waits learn no more than that: what others have published since is
    /// there only in some schedules.
    completed: Option<PublishedByScope>,
    writer: Option<(u32, Thread)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SyncAccess {
    /// Keeps what others have published at the location.
    pub(super) reads: bool,
    /// The thread sees what it reads; the completion of a copy has no thread that does.
    pub(super) observes: bool,
    pub(super) writes: bool,
    pub(super) acquire: bool,
    pub(super) release: bool,
    pub(super) scope: Scope,
    /// The number of the thread's cluster.
    pub(super) cluster: u32,
}

const SCOPES: usize = 3;

/// What readers of a location learn, for each scope, with the number of the group of threads to which they belong.
pub(super) type PublishedByScope = [Option<(u32, Arc<VectorClock>)>; SCOPES];

/// A clock for each scope.
type ByScope = [Option<Arc<VectorClock>>; SCOPES];

fn joined(into: &mut Option<Arc<VectorClock>>, other: &Arc<VectorClock>) {
    match into {
        Some(into) if Arc::ptr_eq(into, other) => {}
        Some(into) => Arc::make_mut(into).join(other),
        none => *none = Some(Arc::clone(other)),
    }
}

fn join_by_scope(into: &mut ByScope, other: &ByScope) {
    for (into, other) in into.iter_mut().zip(other) {
        if let Some(other) = other {
            joined(into, other);
        }
    }
}

/// Whether all threads of the block wait at a barrier. Masks are per warp.
pub(super) fn all_wait(waited: &[u32], live: &[u32]) -> bool {
    live.iter().zip(waited).all(|(live, waited)| live & !waited == 0)
}

impl BlockClock {
    pub(super) fn new(number: u32, warps: usize) -> BlockClock {
        BlockClock {
            number,
            warps: std::iter::repeat_with(WarpClock::default).take(warps).collect(),
            ..BlockClock::default()
        }
    }
}

impl HappensBefore {
    pub(super) fn latest(&self) -> u32 {
        self.base + self.epochs.len() as u32
    }

    pub(super) fn enter(&mut self, block: &mut BlockClock) {
        std::mem::swap(&mut self.block, block);
        let only_paused = self.left == (self.block.number, self.latest());
        if only_paused && self.block.floor != 0 {
            return;
        }
        // No two blocks have the same floor.
        self.entered = self.start_event();
        if self.block.floor == 0 {
            (self.block.started, self.block.floor) = (self.entered, self.entered);
        }
        for warp in &mut self.block.warps {
            warp.epoch = 0;
        }
    }

    pub(super) fn leave(&mut self, block: &mut BlockClock) {
        self.left = (self.block.number, self.latest());
        std::mem::swap(&mut self.block, block);
    }

    /// From now on, a fence comes after all earlier ones.
    pub(super) fn order_fences(&mut self) {
        self.fences = Some(VectorClock::default());
    }

    /// The epoch that stands for "since the last barrier of this block".
    pub(super) fn floor(&self) -> u32 {
        self.block.floor
    }

    /// The epoch of an access that the warp makes now.
    #[inline]
    pub(super) fn epoch(&mut self, warp: u32) -> u32 {
        match self.block.warps[warp as usize].epoch {
            0 => self.start_epoch(warp),
            epoch => epoch,
        }
    }

    #[cold]
    fn start_epoch(&mut self, warp: u32) -> u32 {
        if self.epochs.len() >= MAX_EPOCHS {
            self.forget();
        }
        self.epochs.push(Origin { block: self.block.number, warp });
        let latest = self.latest();
        self.block.warps[warp as usize].epoch = latest;
        latest
    }

    /// From now on, all accesses so far count as ordered.
    fn forget(&mut self) {
        self.base = self.latest();
        self.epochs.clear();
        self.published.clear();
        for warp in &mut self.block.warps {
            warp.epoch = 0;
        }
    }

    /// The owner of an epoch, if it is still recorded.
    pub(super) fn origin(&self, epoch: u32) -> Option<Origin> {
        let at = epoch.checked_sub(self.base + 1)?;
        self.epochs.get(at as usize).copied()
    }

    pub(super) fn running(&self) -> u32 {
        self.block.number
    }

    /// Whether every thread of the running block knows this epoch. May return `false` even if so.
    #[inline(always)]
    pub(super) fn settled(&self, epoch: u32) -> bool {
        epoch <= self.base || epoch > self.entered && epoch <= self.block.floor
    }

    /// Whether an earlier access happens before the current access of `thread`. After reading a flag, `strong` accesses
    /// need no fence.
    #[inline]
    pub(super) fn ordered(&self, stamp: Stamp, thread: Thread, strong: bool) -> bool {
        if self.settled(stamp.epoch) {
            return true;
        }
        if stamp.epoch >= IN_FLIGHT {
            return false;
        }
        let Some(Origin { block, warp }) = self.origin(stamp.epoch) else { return true };
        let mine = &self.block.warps[thread.warp as usize];
        let lane = stamp.lane();
        if block == self.block.number {
            let synchronized = || {
                lane == thread.lane
                    || stamp.epoch <= mine.synchronized
                    || mine
                        .pairs
                        .as_ref()
                        .is_some_and(|pairs| stamp.epoch <= pairs[thread.lane as usize][lane as usize])
            };
            if stamp.epoch <= self.block.floor || warp == thread.warp && synchronized() {
                return true;
            }
        }
        let covers = |knowledge: &VectorClock| knowledge.covers(block, warp, lane as u8, stamp.epoch);
        covers(&self.block.common)
            || mine.lanes.as_ref().is_some_and(|lanes| {
                let lane = &lanes[thread.lane as usize];
                covers(&lane.knows) || strong && lane.pending.iter().flatten().any(|pending| covers(pending))
            })
    }

    /// Whether the thread has read a flag that would order the earlier access if its accesses had a wider scope.
    pub(super) fn needs_wider_scope(&self, stamp: Stamp, thread: Thread) -> bool {
        let lanes = self.block.warps[thread.warp as usize].lanes.as_ref();
        let missed = lanes.and_then(|lanes| lanes[thread.lane as usize].missed.as_ref());
        let origin = self.origin(stamp.epoch).zip(missed);
        origin.is_some_and(|(Origin { block, warp }, missed)| {
            missed.covers(block, warp, stamp.lane() as u8, stamp.epoch)
        })
    }

    /// Whether the threads of two accesses in one warp have both waited for lanes of their warp between them, but not for each other.
    pub(super) fn waited_apart(&self, stamp: Stamp, thread: Thread) -> bool {
        let pairs = self.block.warps[thread.warp as usize].pairs.as_ref();
        let has_waited = |lane: usize| pairs.is_some_and(|pairs| stamp.epoch <= pairs[lane][lane]);
        has_waited(stamp.lane() as usize) && has_waited(thread.lane as usize)
    }

    /// Whether an unsettled epoch belongs to another warp, and this warp has not synchronized with any other.
    #[inline(always)]
    pub(super) fn is_unsynchronized(&self, epoch: u32, warp: u32) -> bool {
        let is_informed = !self.block.common.is_empty() || self.block.warps[warp as usize].lanes.is_some();
        let mine = |origin: Origin| (origin.block, origin.warp) == (self.block.number, warp);
        // Epochs from before the block started belong to other blocks, so their owner need not be looked up.
        let is_earlier = epoch > self.base && epoch <= self.block.started;
        !is_informed && (is_earlier || self.origin(epoch).is_some_and(|origin| !mine(origin)))
    }

    /// Lanes of a warp wait for each other. If the wait `acquires`, what they learned from flags of the block needs no fence.
    pub(super) fn synchronize(&mut self, warp: u32, live: u32, mask: u32, acquires: bool) {
        let latest = self.latest();
        let clock = &mut self.block.warps[warp as usize];
        clock.epoch = 0;
        if live & !mask == 0 {
            clock.synchronized = latest;
        } else {
            let pairs = clock.pairs.get_or_insert_with(|| Box::new([[0; WIDTH]; WIDTH]));
            for b in lanes(mask) {
                for a in lanes(mask) {
                    pairs[b][a] = latest;
                }
            }
        }
        let Some(clocks) = &mut clock.lanes else { return };
        if clock.is_merged {
            return;
        }
        clock.is_merged = live & !mask == 0;
        let mut sum = LaneClock::default();
        for lane in lanes(mask) {
            match acquires {
                true => sum.absorb(&clocks[lane], self.block.number),
                false => sum.join(&clocks[lane]),
            }
        }
        for lane in lanes(mask) {
            clocks[lane] = sum.clone();
        }
    }

    /// Lanes of a warp execute a fence, which acquires, releases, or both.
    pub(super) fn fence(&mut self, warp: u32, live: u32, mask: u32, order: Order) {
        let (number, scope) = (self.block.number, order.scope);
        if order.acquire {
            let clock = &mut self.block.warps[warp as usize];
            clock.is_merged = false;
            let clocks = clock.lanes.get_or_insert_with(Default::default);
            lanes(mask).for_each(|lane| clocks[lane].acquire_pending(number, scope));
        }
        let is_full = order.acquire && order.release && scope != Scope::Block;
        if is_full && let Some(fences) = &self.fences {
            let clocks = self.block.warps[warp as usize].lanes.get_or_insert_with(Default::default);
            lanes(mask).for_each(|lane| clocks[lane].knows.join(fences));
        }
        if order.release {
            let known = self.known_by(warp, live, mask);
            if is_full && let Some(fences) = &mut self.fences {
                known.iter().for_each(|(_, known)| fences.join(known));
            }
            let clock = &mut self.block.warps[warp as usize];
            clock.is_merged = false;
            let clocks = clock.lanes.get_or_insert_with(Default::default);
            for (lane, knowledge) in known {
                clocks[lane].released[..=scope as usize].fill(Some(knowledge));
            }
        }
    }

    /// What each of these lanes knows, and has done itself. The warp's later accesses are in a new epoch.
    pub(super) fn known_by(&mut self, warp: u32, live: u32, mask: u32) -> Vec<(usize, Arc<VectorClock>)> {
        let together = live & !mask == 0;
        let shared = Arc::new(self.published_by_warp(warp, together));
        let (latest, number) = (self.latest(), self.block.number);
        let clock = &mut self.block.warps[warp as usize];
        clock.epoch = 0;
        let of_lane = |lane: usize| {
            let own = clock.lanes.as_ref().map(|clocks| &clocks[lane].knows).filter(|own| !own.is_empty());
            let mut knowledge = Arc::clone(&shared);
            if own.is_some() || !together {
                let knowledge = Arc::make_mut(&mut knowledge);
                own.into_iter().for_each(|own| knowledge.join(own));
                knowledge.learn(Agent::Lane(number, warp, lane as u8), latest);
                let pairs = clock.pairs.iter().flat_map(|pairs| pairs[lane].iter().enumerate());
                for (other, &epoch) in pairs.filter(|(_, epoch)| **epoch != 0) {
                    knowledge.learn(Agent::Lane(number, warp, other as u8), epoch);
                }
            }
            (lane, knowledge)
        };
        lanes(mask).map(of_lane).collect()
    }

    /// What all lanes of a warp know, or if `together`, what they would know after synchronizing.
    fn published_by_warp(&self, warp: u32, together: bool) -> VectorClock {
        let block = &self.block;
        let mut knowledge = block.common.clone();
        if block.floor != 0 {
            knowledge.learn(Agent::Block(block.number), block.floor);
        }
        let known = if together { self.latest() } else { block.warps[warp as usize].synchronized };
        knowledge.learn(Agent::Warp(block.number, warp), known);
        knowledge
    }

    /// What a reader of a location learns now.
    pub(super) fn published_at(&self, location: &MemoryLocation) -> PublishedByScope {
        self.published.get(location).map_or_else(PublishedByScope::default, |it| it.by_scope.clone())
    }

    /// A thread reads a value with which this was published.
    pub(super) fn observe_earlier(&mut self, published: &PublishedByScope, thread: Thread, how: SyncAccess) {
        self.block.observe(published, thread, how);
    }

    /// A lane accesses a location through which threads may synchronize.
    pub(super) fn signal(&mut self, location: MemoryLocation, thread: Thread, live: u32, how: SyncAccess) {
        if how.observes
            && let Some(published) = self.published.get(&location)
        {
            let by_scope = published.completed.as_ref().unwrap_or(&published.by_scope);
            self.block.observe(by_scope, thread, how);
        }
        if how.writes {
            self.publish(location, thread, live, how);
        }
    }

    fn publish(&mut self, location: MemoryLocation, thread: Thread, live: u32, how: SyncAccess) {
        let mut released = ByScope::default();
        if how.release {
            let known = self.known_by(thread.warp, live, 1 << thread.lane).pop().map(|(_, known)| known);
            released[..=how.scope as usize].fill(known);
        }
        let number = self.block.number;
        let own =
            self.block.warps[thread.warp as usize].lanes.as_ref().map(|lanes| &lanes[thread.lane as usize]);
        for fenced in own.map(|own| &own.released).into_iter().chain([&self.block.released]) {
            join_by_scope(&mut released, fenced);
        }
        let nothing = released.iter().all(Option::is_none);
        if nothing && !self.published.contains_key(&location) {
            return;
        }
        if self.published.len() >= MAX_PUBLISHED && !self.published.contains_key(&location) {
            self.forget();
        }
        let (latest, writer) = (self.latest(), Some((number, thread)));
        let published = self.published.entry(location).or_default();
        let earlier = published.writer;
        let same = published.writer.is_some_and(|(block, writer)| {
            (block, writer.warp, writer.lane) == (number, thread.warp, thread.lane)
        });
        if !how.reads && !same {
            *published = Published::default();
        }
        published.writer = writer;
        let groups = [number, how.cluster, 0];
        for (scope, released) in released.into_iter().enumerate().take(how.scope as usize + 1) {
            let Some(released) = released else { continue };
            match &mut published.by_scope[scope] {
                Some((group, have)) if *group == groups[scope] => Arc::make_mut(have).join(&released),
                other => *other = Some((groups[scope], released)),
            }
        }
        // A release makes the write known like all before it.
        if !how.release {
            self.has_restricted = true;
            let write = |(block, Thread { warp, lane })| {
                Agent::Lane(block, warp, lane as u8).restricted(AccessClass::LastWrite)
            };
            for (_, known) in published.by_scope[..=how.scope as usize].iter_mut().flatten() {
                let known = Arc::make_mut(known);
                earlier.into_iter().for_each(|earlier| known.remove(write(earlier)));
                known.learn(write((number, thread)), latest);
            }
        }
    }

    /// A barrier of the block completed: the waiting threads learn what they and the threads that only arrived knew when they
    /// arrived. Masks are per warp.
    /// Returns the epoch that stands for this generation of the barrier.
    pub(super) fn open(&mut self, barrier: u32, waited: &[u32], live: &[u32]) -> u32 {
        let left = self.block.left.get_mut(barrier as usize).map(std::mem::take);
        let (mut sum, completed) = (left.unwrap_or_default(), self.latest());
        if !all_wait(waited, live) {
            sum.knows.learn(Agent::Barrier(self.block.number, barrier), completed);
        }
        self.learn_together(sum, waited, live);
        completed
    }

    /// Waiting threads learn what they and others knew, whose knowledge is `sum`.
    fn learn_together(&mut self, mut sum: LaneClock, waited: &[u32], live: &[u32]) {
        let latest = self.latest();
        let all_wait = all_wait(waited, live);
        let number = self.block.number;
        for (warp, &mask) in waited.iter().enumerate() {
            let clock = &mut self.block.warps[warp];
            clock.epoch = 0;
            if !all_wait && mask != 0 {
                if live[warp] & !mask == 0 {
                    sum.knows.learn(Agent::Warp(number, warp as u32), latest);
                } else {
                    for lane in lanes(mask) {
                        sum.knows.learn(Agent::Lane(number, warp as u32, lane as u8), latest);
                    }
                }
            }
            clock.add_to(&mut sum, mask, number);
        }
        if all_wait {
            self.block.floor = latest;
            self.block.common.join(&sum.knows);
            join_by_scope(&mut self.block.released, &sum.released);
            self.block.forget_lanes(sum);
            return;
        }
        for (warp, &mask) in waited.iter().enumerate().filter(|(_, mask)| **mask != 0) {
            self.block.warps[warp].absorb(&sum, mask, live[warp], number);
        }
    }
}

impl BlockClock {
    /// A thread of the block reads a value with which this was published.
    fn observe(&mut self, by_scope: &PublishedByScope, thread: Thread, how: SyncAccess) {
        let groups = [self.number, how.cluster, 0];
        let warp = &mut self.warps[thread.warp as usize];
        let clock = &mut warp.lanes.get_or_insert_with(Default::default)[thread.lane as usize];
        let mut received = [None; SCOPES];
        for (scope, (received, of_scope)) in received.iter_mut().zip(by_scope).enumerate() {
            let of_scope = of_scope.as_ref().filter(|_| scope <= how.scope as usize);
            *received = of_scope.filter(|(group, _)| *group == groups[scope]).map(|(_, clock)| clock);
        }
        warp.is_merged = false;
        if received.iter().all(Option::is_none) {
            let widest = by_scope.iter().flatten().next_back();
            widest.into_iter().for_each(|(_, widest)| joined(&mut clock.missed, widest));
            return;
        }
        if !how.acquire && !how.writes {
            let pending = clock.pending.iter_mut().zip(received);
            pending.for_each(|(pending, received)| received.into_iter().for_each(|one| joined(pending, one)));
            return;
        }
        for (published, learned) in received.into_iter().zip(&mut clock.learned) {
            let Some(published) = published else { continue };
            if learned.as_ref().is_none_or(|learned| !Arc::ptr_eq(learned, published)) {
                clock.knows.join(published);
                *learned = Some(Arc::clone(published));
            }
        }
    }

    /// What any thread of the block knows about others and may publish.
    fn everything(&self) -> LaneClock {
        let mut sum = LaneClock { knows: self.common.clone(), ..LaneClock::default() };
        for clock in self.warps.iter().filter_map(|warp| warp.lanes.as_ref()).flat_map(|lanes| lanes.iter()) {
            sum.absorb(clock, self.number);
        }
        join_by_scope(&mut sum.released, &self.released);
        sum
    }

    /// All threads know the same now, except what they may learn from flags of other blocks by a fence.
    fn forget_lanes(&mut self, LaneClock { pending, missed, .. }: LaneClock) {
        let is_kept = missed.is_some() || pending.iter().any(Option::is_some);
        let lane = LaneClock { pending, missed, ..LaneClock::default() };
        for warp in &mut self.warps {
            warp.pairs = None;
            warp.lanes = is_kept.then(|| Box::new(std::array::from_fn(|_| lane.clone())));
        }
    }
}

impl WarpClock {
    /// Adds what lanes know and may publish to a sum.
    fn add_to(&self, sum: &mut LaneClock, mask: u32, block: u32) {
        let Some(clocks) = &self.lanes else { return };
        let different = if self.is_merged { 1 } else { WIDTH };
        lanes(mask).take(different).for_each(|lane| sum.absorb(&clocks[lane], block));
    }

    /// Adds a sum to what lanes know and may publish.
    fn absorb(&mut self, sum: &LaneClock, mask: u32, live: u32, block: u32) {
        self.is_merged = live & !mask == 0 && (self.is_merged || self.lanes.is_none());
        let clocks = self.lanes.get_or_insert_with(Default::default);
        let mut waiting = lanes(mask);
        if self.is_merged
            && let Some(first) = waiting.next()
        {
            clocks[first].absorb(sum, block);
            let merged = clocks[first].clone();
            return waiting.for_each(|lane| clocks[lane].clone_from(&merged));
        }
        waiting.for_each(|lane| clocks[lane].absorb(sum, block));
    }
}

impl LaneClock {
    /// Adds what another thread of its warp knows and may publish. What either learned from flags still needs a fence.
    fn join(&mut self, other: &LaneClock) {
        self.knows.join(&other.knows);
        join_by_scope(&mut self.pending, &other.pending);
        join_by_scope(&mut self.released, &other.released);
        other.missed.iter().for_each(|missed| joined(&mut self.missed, missed));
    }

    /// Adds what another thread of the block knows and may publish. What it learned from flags of the block then needs no fence.
    fn absorb(&mut self, other: &LaneClock, block: u32) {
        self.knows.join(&other.knows);
        let [of_block, beyond @ ..] = &other.pending;
        of_block.iter().for_each(|pending| self.knows.join(pending));
        for (into, pending) in self.pending[1..].iter_mut().zip(beyond) {
            let Some(pending) = pending else { continue };
            self.knows.join_block(pending, block);
            joined(into, pending);
        }
        join_by_scope(&mut self.released, &other.released);
        other.missed.iter().for_each(|missed| joined(&mut self.missed, missed));
    }

    /// A fence: the thread knows what it learned from flags.
    fn acquire_pending(&mut self, block: u32, fence: Scope) {
        for (scope, pending) in self.pending.iter_mut().enumerate() {
            match pending {
                Some(known) if scope <= fence as usize => {
                    self.knows.join(known);
                    *pending = None;
                }
                Some(known) => self.knows.join_block(known, block),
                None => {}
            }
        }
    }
}
