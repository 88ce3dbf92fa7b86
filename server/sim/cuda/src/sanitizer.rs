//! The sanitizer: checks every memory access of a run, if the run options enable it.
//!
//! [`Sanitizer::begin`] starts an instruction. Its accesses are reported to [`Sanitizer::accessed`] after the address
//! check and before memory is read or written; `take_report` returns the findings. The rules are in the
//! modules below: `happens_before` orders accesses, `shadow` stores them, `races` reports conflicts. A run without a
//! sanitizer pays nothing. With one, each block has a [`BlockSanitizer`], which it keeps while it is suspended.

mod advice;
mod announced;
mod conflicts;
pub mod copies;
mod cost;
pub mod event;
mod happens_before;
mod in_flight;
pub(crate) mod local;
mod ordering;
pub mod patterns;
mod prerequisite;
pub mod products;
mod proxies;
mod proxy_reads;
mod races;
mod remote;
mod remote_access;
pub mod row;
mod shadow;
mod stamp;
mod tensor_maps;
mod tensor_memory;
pub(crate) mod undefined_access;
mod undefined_memory;
pub mod undefined_messages;
pub mod undefined_use;
mod uninitialized;
mod vector_clock;
mod volatile;
mod warp_synchronous;
mod word_rows;

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::race_scope::RaceScope;
use warplens_sim_warp::trace::{
    Checks, Counters, Finding, LaneStore, Related, RunOptions, StatementId, WarpId,
};
use warplens_sim_warp::values::{AccessSpace, LaneAccesses};
use warplens_sim_warp::watched_byte::WatchedByte;

use self::conflicts::Conflicts;
use self::copies::Copies;
use self::event::{AccessEvent, AccessKind};
use self::happens_before::{BlockClock, ClusterClock, HappensBefore, SyncAccess, Thread};
use self::local::LocalShadow;
use self::patterns::ProgramPatterns;
use self::proxies::Proxies;
use self::remote_access::RemoteAccess;
use self::shadow::{Shadow, ShadowAccess};
use self::stamp::{Stamp, Strength};
use self::undefined_access::UndefinedAccess;
use self::volatile::VolatileAccesses;
use super::memory::local::Local;
use super::memory::region::{CheckedAddresses, Extent, MemoryRegion};
use super::memory::spaces::Spaces;
use super::race_context::RaceContext;
use super::registers::{filter_lanes, lanes};
use crate::inactive_sources::InactiveSources;
use crate::order::{Order, SpecialOrder};

/// Maximum number of elements of one access.
const ELEMENTS: usize = 32;

/// The sanitizer state of a cluster.
#[derive(Default)]
pub struct ClusterSanitizer {
    clock: ClusterClock,
    shared: Shadow,
    copies: Copies,
    /// Accesses to the shared memory of blocks that have not exited.
    remote: Vec<RemoteAccess>,
    /// By warp of the cluster: the last wait on an mbarrier, if it was relaxed and nothing has ordered the operations
    /// after it.
    relaxed_waits: FxHashMap<u32, u32>,
}

/// The sanitizer state of a block.
#[derive(Default)]
pub struct BlockSanitizer {
    clock: BlockClock,
    locals: Vec<LocalShadow>,
    /// Whether a thread has waited for the prerequisite grid.
    awaited_grid: bool,
    /// For each warp, the last epoch in which a lane waited for other lanes on a flag or an atomic.
    waited: [u32; 32],
    cta: [u32; 3],
}

/// The running instruction.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunningVisit {
    pub statement: u32,
    warp: u32,
    live: u32,
    order: Order,
    /// Lanes that store an undefined value.
    pub undefined: u32,
    /// Lanes that store the value that is already there, if that matters.
    unchanged: u32,
    /// Lanes whose atomic left memory unchanged.
    silent: u32,
}

/// The results of one instruction; the caller drains the lists.
pub(crate) struct Report<'s> {
    pub(crate) cost: Option<Counters>,
    pub(crate) findings: &'s mut Vec<Finding>,
    pub(crate) races: &'s mut RaceContext,
}

/// The sanitizer of a run.
#[derive(Default)]
pub struct Sanitizer {
    pub checks: Checks,
    counts: bool,
    /// Whether the lanes of a warp run in lockstep, as they do before `sm_70`.
    lockstep: bool,
    /// Grid extents in blocks.
    grid: [u32; 3],
    patterns: ProgramPatterns,
    /// Block extents in threads.
    block_size: [u32; 3],
    sync: HappensBefore,
    proxies: Proxies,
    volatile: VolatileAccesses,
    launch: Shadow,
    globals: Shadow,
    cluster: ClusterSanitizer,
    block: BlockSanitizer,
    pub visit: RunningVisit,
    /// Whether [`Sanitizer::begin`] was already called for the next instruction.
    has_begun: bool,
    /// Lanes that loaded uninitialized memory, by element of the access.
    pub uninitialized: [u32; ELEMENTS],
    /// Whether the running instruction wrote undefined values to registers.
    pub made_undefined: bool,
    /// The inactive lanes that the running shuffle read.
    pub inactive: Option<InactiveSources>,
    pub undefined: UndefinedAccess,
    /// Names of the uninitialized memory that loads read, by statement.
    pub uninitialized_memory: FxHashMap<u32, String>,
    cost: Option<Counters>,
    pub findings: Vec<Finding>,
    /// Races since the last report.
    races: RaceContext,
    /// The scopes of the races that were reported, by statement.
    scopes: FxHashMap<u32, RaceScope>,
    /// Pairs of statements that were reported.
    pub reported: FxHashSet<(FindingKind, u32, u32)>,
    /// Bytes left for shadow memory.
    budget: u64,
    /// Whether it was reported that the budget is exhausted.
    exhausted: bool,
    watch: Option<WatchedByte>,
    /// The ranges of device memory that the prerequisite grid writes.
    prerequisite_writes: Vec<(u64, u64)>,
    /// The statements that initialize mbarriers.
    initializers: FxHashSet<u32>,
    /// The accesses of the instruction, if [`Sanitizer::list_accesses`] asked for them.
    accesses: Option<Vec<LaneAccesses>>,
}

impl Sanitizer {
    /// The kinds of findings that the sanitizer reports.
    pub(crate) const KINDS: [FindingKind; 18] = [
        FindingKind::ClusterExit,
        FindingKind::Tcgen05Order,
        FindingKind::MbarrierInit,
        FindingKind::PrerequisiteGrid,
        FindingKind::WgmmaFence,
        FindingKind::MatrixDescriptor,
        FindingKind::TensorMap,
        FindingKind::AsyncResult,
        FindingKind::AsyncSource,
        FindingKind::BitField,
        FindingKind::DataRace,
        FindingKind::SameValueRace,
        FindingKind::ProxyFence,
        FindingKind::WarpSynchronous,
        FindingKind::UninitializedRead,
        FindingKind::ShuffleInactive,
        FindingKind::DivisionByZero,
        FindingKind::ShadowLimit,
    ];

    /// Whether the options require a sanitizer.
    pub fn required(options: &RunOptions) -> bool {
        options.checks != Checks::default() || options.counters || options.watch.is_some()
    }

    /// A sanitizer for a program with these patterns.
    pub fn with_patterns(
        patterns: ProgramPatterns,
        lockstep: bool,
        [grid, block_size]: [[u32; 3]; 2],
        options: &RunOptions,
    ) -> Box<Sanitizer> {
        let RunOptions { checks, counters, limits, watch, .. } = *options;
        Box::new(Sanitizer {
            checks,
            counts: counters,
            lockstep,
            grid,
            patterns,
            block_size,
            budget: limits.max_shadow,
            watch: watch.map(WatchedByte::new),
            ..Sanitizer::default()
        })
    }

    /// Bytes left for shadow memory; `None` if the budget was exhausted.
    pub fn budget(&self) -> Option<u64> {
        (!self.exhausted).then_some(self.budget)
    }

    pub fn limit(&mut self, bytes: u64) {
        self.budget = bytes;
    }

    /// A block starts or resumes.
    pub fn enter(&mut self, block: &mut BlockSanitizer, cluster: &mut ClusterSanitizer) {
        std::mem::swap(&mut self.block, block);
        std::mem::swap(&mut self.cluster, cluster);
        self.sync.enter(&mut self.block.clock);
    }

    /// The running block is suspended or has exited.
    pub fn leave(&mut self, block: &mut BlockSanitizer, cluster: &mut ClusterSanitizer, ended: bool) {
        if ended {
            self.check_exit();
            self.complete_global_copies();
        }
        self.sync.pool(&mut self.cluster.clock, ended);
        self.sync.leave(&mut self.block.clock);
        std::mem::swap(&mut self.block, block);
        std::mem::swap(&mut self.cluster, cluster);
        if ended {
            *block = BlockSanitizer::default();
        }
        if cluster.clock.is_over() {
            self.budget += std::mem::take(&mut cluster.shared).bytes();
        }
    }

    /// Phases of the cluster's barrier have completed; `phases` is their number so far.
    pub fn cluster_barrier_completed(&mut self, phases: u32, live: impl Iterator<Item = u32>) {
        if self.checks.races && self.cluster.clock.is_unknown_phase(phases, &self.block.clock) {
            let live: Vec<u32> = live.collect();
            self.sync.synchronize_cluster(&mut self.cluster.clock, phases, &live);
        }
    }

    /// Lanes of a warp execute a statement.
    #[inline]
    pub fn begin(&mut self, statement: StatementId, order: &Order, warp: u32, live: u32, executed: u32) {
        if std::mem::take(&mut self.has_begun) {
            return;
        }
        let statement = statement.0;
        self.visit =
            RunningVisit { statement, warp, live, order: *order, undefined: 0, unchanged: 0, silent: 0 };
        if self.checks.races
            && (order.fence | order.synchronizes | (order.special != SpecialOrder::None) | self.lockstep)
        {
            self.order(executed);
        }
    }

    /// The local memory of a warp of the block.
    pub fn local_shadow(&mut self, warp: u32) -> &mut LocalShadow {
        self.block.local(warp)
    }

    /// Memory was freed: accesses by its next owner are unrelated to earlier ones.
    pub fn freed(&mut self, index: u64, len: u64) {
        self.launch.clear(index, len);
    }

    /// A call gets local memory, which is uninitialized.
    pub fn entered(&mut self, warp: u32, start: u32, len: u32, mask: u32) {
        if self.checks.uninitialized {
            self.block.local(warp).clear(start.into(), len.into(), mask);
        }
    }

    /// Adds a finding about lanes of the running warp.
    pub fn report(
        &mut self,
        kind: FindingKind,
        message: String,
        statement: u32,
        lanes: u32,
        related: Option<Related>,
    ) {
        self.findings.push(self.running_warp().finding(kind, message, statement, lanes).with(related));
    }

    /// Whether an instruction produced undefined values that are not propagated yet.
    #[inline]
    pub fn has_made_undefined(&self) -> bool {
        self.made_undefined
    }

    #[inline]
    pub fn statement(&self) -> u32 {
        self.visit.statement
    }

    pub fn running_warp(&self) -> WarpId {
        WarpId { cta: self.block.cta, warp: self.visit.warp }
    }

    /// Takes the findings and the cost of the instruction.
    #[inline]
    pub(crate) fn take_report(&mut self) -> Report<'_> {
        Report { cost: self.cost.take(), findings: &mut self.findings, races: &mut self.races }
    }

    /// The instruction accesses memory.
    pub fn accessed(&mut self, event: &AccessEvent<'_>, spaces: &Spaces, local: &Local) {
        if self.counts {
            self.count(event);
        }
        if self.watch.is_some() && !event.kind.reads() {
            self.watch(event);
        }
        if !(self.checks.races || self.checks.uninitialized) {
            return;
        }
        let order = self.visit.order;
        let is_in_cluster = spaces.window.blocks > 1;
        if (order.special != SpecialOrder::None) | is_in_cluster | !self.prerequisite_writes.is_empty() {
            self.note_special(event, spaces);
        }
        let strong = order.strong || matches!(event.kind, AccessKind::Atomic | AccessKind::Completion);
        let strength = Strength::of(strong, order.in_block);
        if strong {
            self.access_strong(event, spaces);
        }
        self.uninitialized[..event.count.min(ELEMENTS)].fill(0);
        if self.undefined.store.is_some() {
            self.stored_undefined(event);
        }
        let mut conflicts = Conflicts::default();
        let together = match event.checked {
            CheckedAddresses::One(extent) if strength == Strength::Weak => Some(*extent),
            _ => None,
        };
        let apart = match together.filter(|extent| extent.region.is_common()) {
            Some(extent) => {
                self.check_weak(event, extent, &mut conflicts);
                0
            }
            None => event.mask,
        };
        self.check_lanes(event, apart, strength, &mut conflicts);
        if !conflicts.is_empty() {
            self.report_races(event, &conflicts, spaces);
        }
        let is_uninitialized = event.kind.reads()
            && self.checks.uninitialized
            && self.uninitialized[..event.count].iter().any(|&mask| mask != 0);
        match event.kind {
            _ if !is_uninitialized => {}
            AccessKind::Load => self.note_uninitialized(event, spaces, local),
            _ => self.report_uninitialized(event, spaces, local),
        }
    }

    /// Checks the accesses of some lanes one by one.
    #[inline(always)]
    fn check_lanes(
        &mut self,
        event: &AccessEvent<'_>,
        mask: u32,
        strength: Strength,
        conflicts: &mut Conflicts,
    ) {
        let warp = self.visit.warp;
        for lane in lanes(mask) {
            let Some(extent) = event.extent(lane) else { continue };
            let index = extent.index(event.addresses[lane]) as u64;
            let thread = Thread { warp, lane: lane as u32 };
            match extent.region {
                MemoryRegion::Local => self.local(event, index, lane as u32),
                MemoryRegion::Shared | MemoryRegion::Launch | MemoryRegion::Globals => {
                    self.check_lane(event, extent.region, index, thread, strength, conflicts);
                }
                MemoryRegion::Constants | MemoryRegion::Params => {}
            }
        }
    }

    fn watch(&mut self, event: &AccessEvent<'_>) {
        let is_device =
            |extent: Extent| matches!(extent.region, MemoryRegion::Launch | MemoryRegion::Globals);
        let stores = lanes(event.mask)
            .filter(|&lane| event.extent(lane).is_some_and(is_device))
            .map(|lane| (lane as u32, event.addresses[lane]));
        let warp = WarpId { cta: self.block.cta, warp: self.visit.warp };
        if let Some(watch) = &mut self.watch {
            watch.stored(StatementId(self.visit.statement), warp, event.span(), stores);
        }
    }

    /// The last store to the watched byte.
    pub fn last_store(&self) -> Option<LaneStore> {
        self.watch.as_ref()?.last
    }

    /// Whether the watched byte was stored to since the last call.
    #[inline]
    pub fn take_watch_hit(&mut self) -> bool {
        self.watch.as_mut().is_some_and(WatchedByte::take_hit)
    }

    /// The running atomic left memory unchanged in these lanes, like a failed attempt to take a lock: it publishes
    /// nothing.
    #[inline]
    pub fn left_unchanged(&mut self, mask: u32) {
        self.visit.silent = mask;
    }

    /// The inactive lanes that a shuffle of the running instruction read.
    pub fn take_inactive(&mut self) -> Option<InactiveSources> {
        self.inactive.take()
    }

    /// Lists the accesses of the next instruction for [`Sanitizer::take_accesses`].
    pub fn list_accesses(&mut self) {
        self.accesses = Some(Vec::new());
    }

    /// Returns the listed accesses and stops listing.
    pub fn take_accesses(&mut self) -> Vec<LaneAccesses> {
        self.accesses.take().unwrap_or_default()
    }

    fn list(&mut self, event: &AccessEvent<'_>, space: AccessSpace, mask: u32) {
        let Some(accesses) = self.accesses.as_mut().filter(|_| mask != 0) else { return };
        let lanes = lanes(mask).map(|lane| (lane as u32, event.addresses[lane])).collect();
        accesses.push(LaneAccesses { space, bytes: event.span(), lanes });
    }

    fn count(&mut self, event: &AccessEvent<'_>) {
        let span = event.span();
        let of = |regions: &[MemoryRegion]| {
            let region = |lane| event.extent(lane).map(|extent| extent.region);
            filter_lanes(event.mask, |lane| region(lane).is_some_and(|region| regions.contains(&region)))
        };
        let (global, shared) =
            (of(&[MemoryRegion::Launch, MemoryRegion::Globals]), of(&[MemoryRegion::Shared]));
        self.list(event, AccessSpace::Global, global);
        self.list(event, AccessSpace::Shared, shared);
        let mut cost = self.cost.take().unwrap_or_default();
        if global != 0 {
            let global = cost::sectors(event.addresses, span, global);
            cost.add(&Counters { global, ..Counters::default() });
        }
        if shared != 0 {
            let shared = cost::wavefronts(event.addresses, span, shared);
            cost.add(&Counters { shared, ..Counters::default() });
        }
        self.cost = Some(cost);
    }

    /// Weak accesses of all lanes to one extent: the common case, so nothing is computed twice.
    fn check_weak(&mut self, event: &AccessEvent<'_>, extent: Extent, conflicts: &mut Conflicts) {
        let RunningVisit { statement, warp, .. } = self.visit;
        let shadow = match extent.region {
            MemoryRegion::Shared => &mut self.cluster.shared,
            MemoryRegion::Launch => &mut self.launch,
            _ => &mut self.globals,
        };
        let (reads, span) = (event.kind.reads(), event.span());
        let (mut uninitialized, mut budget) = (0, true);
        let words = reads && span == 4 && self.checks.races;
        let epoch = self.sync.epoch(warp);
        let of_warp = ShadowAccess {
            sync: &self.sync,
            stamp: Stamp::new(epoch, statement, 0, Strength::Weak),
            thread: Thread { warp, lane: 0 },
            races: self.checks.races,
            needs_initialized: extent.region == MemoryRegion::Shared,
        };
        let unchecked = if words { load_rows(shadow, event, extent, &of_warp) } else { event.mask };
        for lane in lanes(unchecked) {
            let index = extent.index(event.addresses[lane]) as u64;
            let access = of_warp.of_lane(lane as u32);
            if words && shadow.load_quickly(index, &access) {
                continue;
            }
            if !shadow.prepare(index, span, &mut self.budget) {
                budget = false;
                continue;
            }
            let (conflict, initialized) = shadow.check(reads, index, span, &access);
            uninitialized |= u32::from(!initialized) << lane;
            if let Some(conflict) = conflict {
                conflicts.add(conflict, lane as u32, index);
            }
        }
        if uninitialized != 0 && extent.region == MemoryRegion::Shared {
            for lane in lanes(uninitialized) {
                self.uninitialized_elements(event, extent.index(event.addresses[lane]) as u64, lane as u32);
            }
        }
        if !budget {
            self.report_exhausted();
        }
    }

    /// Records the uninitialized elements of a load from shared memory.
    #[cold]
    fn uninitialized_elements(&mut self, event: &AccessEvent<'_>, index: u64, lane: u32) {
        let size = u64::from(event.size);
        for element in 0..event.count {
            let start = index + element as u64 * size;
            if !self.cluster.shared.is_written(start, size) {
                self.uninitialized[element] |= 1 << lane;
                let shared = &mut self.cluster.shared;
                self.undefined.loaded(event, element, lane, |byte| shared.is_written(start + byte, 1));
            }
        }
    }

    fn check_lane(
        &mut self,
        event: &AccessEvent<'_>,
        region: MemoryRegion,
        index: u64,
        thread: Thread,
        strength: Strength,
        conflicts: &mut Conflicts,
    ) {
        let RunningVisit { statement, live, order, unchanged, silent, .. } = self.visit;
        let shadow = match region {
            MemoryRegion::Shared => &mut self.cluster.shared,
            MemoryRegion::Launch => &mut self.launch,
            _ => &mut self.globals,
        };
        let span = event.span();
        if !shadow.prepare(index, span, &mut self.budget) {
            return self.report_exhausted();
        }
        let signal = SyncAccess {
            reads: event.kind != AccessKind::Store,
            writes: false,
            acquire: order.acquire,
            release: order.release || event.kind == AccessKind::Completion,
            in_block: order.in_block,
        };
        let synchronizes = strength != Strength::Weak && self.checks.races;
        // Threads synchronize through shared memory only within a cluster, so the location includes the cluster.
        let cluster = if region == MemoryRegion::Shared { self.cluster.clock.number() } else { 0 };
        let place = (region, index | u64::from(cluster) << 32);
        if synchronizes && signal.reads {
            self.sync.signal(place, thread, live, signal);
        }
        let strength = if unchanged >> thread.lane & 1 == 1 { Strength::Unchanged } else { strength };
        let stamp = Stamp::new(self.sync.epoch(thread.warp), statement, thread.lane, strength);
        let (races, needs_initialized) = (self.checks.races, region == MemoryRegion::Shared);
        let access = ShadowAccess { sync: &self.sync, stamp, thread, races, needs_initialized };
        let (conflict, initialized) = shadow.check(event.kind.reads(), index, span, &access);
        if !initialized && needs_initialized {
            self.uninitialized_elements(event, index, thread.lane);
        }
        if let Some(conflict) = conflict {
            conflicts.add(conflict, thread.lane, index);
        }
        if synchronizes && !event.kind.reads() && silent >> thread.lane & 1 == 0 {
            self.sync.signal(place, thread, live, SyncAccess { writes: true, ..signal });
        }
    }
}

/// Records word loads of eight lanes at a time if they have no conflict; returns the lanes that need the full check.
fn load_rows(shadow: &mut Shadow, event: &AccessEvent<'_>, extent: Extent, access: &ShadowAccess<'_>) -> u32 {
    let mut unchecked = event.mask;
    let (eights, _) = event.addresses.as_chunks::<8>();
    for (eight, first) in eights.iter().zip((0..).step_by(8)) {
        let all = 0xff << first;
        if event.mask & all == all {
            let indexes = eight.map(|address| extent.index(address) as u64);
            unchecked = unchecked & !all | shadow.load_eight(&indexes, &access.of_lane(first));
        }
    }
    unchecked
}

impl ClusterSanitizer {
    pub fn new(blocks: Vec<u32>) -> ClusterSanitizer {
        ClusterSanitizer { clock: ClusterClock::new(blocks), ..ClusterSanitizer::default() }
    }
}

impl BlockSanitizer {
    pub fn new(grid: &[u32; 3], cta: [u32; 3], warps: usize) -> BlockSanitizer {
        let [x, y, z] = cta;
        let number = x.wrapping_add(grid[0].wrapping_mul(y.wrapping_add(grid[1].wrapping_mul(z))));
        let clock = BlockClock::new(number, warps);
        BlockSanitizer { clock, cta, ..BlockSanitizer::default() }
    }

    fn local(&mut self, warp: u32) -> &mut LocalShadow {
        let warp = warp as usize;
        if self.locals.len() <= warp {
            self.locals.resize_with(warp + 1, LocalShadow::default);
        }
        &mut self.locals[warp]
    }
}
