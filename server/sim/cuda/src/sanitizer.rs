//! The sanitizer: checks every memory access of a run, if the run options enable it.
//!
//! [`Sanitizer::begin`] starts an instruction. Its accesses are reported to [`Sanitizer::accessed`] after the address
//! check and before memory is read or written; the findings are in the [`Report`]. The rules are in the
//! modules below: `happens_before` orders accesses, `shadow` stores them, `races` reports conflicts. A run without a
//! sanitizer pays nothing. With one, each block has a [`BlockSanitizer`], which it keeps while it is suspended.

mod advice;
mod announced;
pub mod barrier_reuse;
mod cell_accesses;
pub mod cells;
mod conflicts;
mod constant_data;
pub mod copies;
mod cost;
pub mod event;
mod generations;
mod happens_before;
mod in_flight;
mod in_flight_at_exit;
pub mod listed;
pub(crate) mod local;
mod map_fences;
pub mod mbarrier_phases;
mod memory;
pub mod older_values;
mod opaque_objects;
mod ordering;
pub mod patterns;
mod phases;
mod prerequisite;
pub mod products;
mod proxy_reads;
mod races;
mod register_order;
mod remote;
mod repeated_stores;
pub mod report;
pub mod row;
mod shadow;
mod stamp;
mod tensor_maps;
mod tensor_memory;
pub mod undefined_access;
pub mod undefined_messages;
pub mod undefined_use;
mod uninitialized;
mod units;
pub(crate) mod unused_reads;
mod unwritten;
mod unwritten_bytes;
pub mod used_lanes;
mod valid_mbarriers;
mod vector_clock;
mod volatile;
mod warp_synchronous;
mod word_rows;

use rustc_hash::{FxHashMap, FxHashSet};
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::schedule::Schedule;
use warplens_sim_warp::trace::{Checks, RunOptions, StatementId};
use warplens_sim_warp::watched_byte::WatchedByte;

use self::cells::CellAccesses;
use self::conflicts::{Conflicts, is_published};
use self::copies::Copies;
use self::cost::Cost;
use self::event::{AccessEvent, AccessKind};
use self::generations::Generations;
use self::happens_before::{BlockClock, ClusterClock, HappensBefore, MemoryLocation, SyncAccess, Thread};
use self::listed::{ListedAccess, list};
use self::local::LocalShadow;
use self::map_fences::MapFences;
use self::memory::ShadowMemory;
use self::older_values::{OlderLoad, OlderValues};
use self::patterns::ProgramPatterns;
use self::phases::Mbarriers;
use self::proxy_reads::Proxies;
use self::remote::RemoteAccesses;
use self::report::{Report, RunningVisit};
use self::shadow::{Conflict, Shadow, ShadowAccess};
use self::stamp::{Stamp, Strength};
use self::undefined_access::{ELEMENTS, UndefinedAccess};
use self::units::Units;
use self::unused_reads::BlockUses;
use self::unwritten_bytes::UnwrittenBytes;
use self::valid_mbarriers::ValidMbarriers;
use self::volatile::VolatileAccesses;
use super::memory::local::Local;
use super::memory::region::{CheckedAddresses, Extent, MemoryRegion};
use super::memory::spaces::Spaces;
use super::registers::lanes;
use crate::grown::grown;
use crate::inactive_sources::InactiveSources;
use crate::order::{Order, SpecialOrder};

/// How many instructions of a block may read undefined registers before the sanitizer stops following them. Following them is slow.
const MAX_UNDEFINED_READS: u32 = 1 << 16;

#[derive(Clone, Default)]
pub struct ClusterSanitizer {
    clock: ClusterClock,
    /// Bytes of shared memory of each block.
    block_bytes: u64,
    /// Shared memory, while no block of the cluster is running.
    shared: Shadow,
    copies: Copies,
    mbarriers: Mbarriers,
    valid: ValidMbarriers,
    cells: CellAccesses,
    remote: RemoteAccesses,
    /// The bytes of shared memory to which bytes without a value were copied.
    unwritten: UnwrittenBytes,
    /// By warp of the cluster: the last wait on an mbarrier, if it was relaxed and nothing has ordered the operations
    /// after it.
    relaxed_waits: FxHashMap<u32, u32>,
}

#[derive(Clone, Default)]
pub struct BlockSanitizer {
    clock: BlockClock,
    locals: Vec<LocalShadow>,
    /// For each warp, the last epoch in which a lane waited for other lanes on a flag or an atomic.
    waited: [u32; 32],
    /// By barrier of the block.
    barriers: Vec<Generations>,
    uses: BlockUses,
    /// The `setmaxnreg.inc` that warps have executed, each with its warp.
    increases: Vec<(u32, Stamp)>,
    /// How many instructions that read undefined registers were executed.
    undefined_reads: u32,
    cta: [u32; 3],
}

#[derive(Default)]
pub struct Sanitizer {
    pub report: Report,
    pub cost: Cost,
    pub undefined: UndefinedAccess,
    pub(crate) memory: ShadowMemory,
    pub watch: Option<WatchedByte>,
    /// The accesses of the running statement, for a recording.
    pub listed: Option<Vec<ListedAccess>>,
    /// The ranges of device memory that the prerequisite grid writes: addresses and lengths.
    pub prerequisite_writes: Vec<(u64, u64)>,
    /// The bytes of the launch's buffers that have no value.
    unwritten: UnwrittenBytes,
    pub block: BlockSanitizer,
    cluster: ClusterSanitizer,
    sync: HappensBefore,
    /// Whether the lanes of a warp run in lockstep, as they do before `sm_70`.
    lockstep: bool,
    /// In a run under a schedule that has some.
    older: Option<OlderValues>,
    patterns: ProgramPatterns,
    proxies: Proxies,
    maps: MapFences,
    volatile: VolatileAccesses,
    initializers: FxHashSet<u32>,
    invalidators: FxHashSet<u32>,
    /// Whether [`Sanitizer::begin`] was already called for the next instruction.
    has_begun: bool,
}

impl Sanitizer {
    pub(crate) const KINDS: [FindingKind; 20] = [
        FindingKind::MbarrierPhase,
        FindingKind::BarrierReuse,
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

    pub fn required(options: &RunOptions) -> bool {
        Sanitizer::checks(options) != Checks::default()
            || options.counters
            || options.watch.is_some()
            || options.records
    }

    /// What the sanitizer has to follow: what is checked, and under some schedules the order of accesses in any case.
    pub fn checks(options: &RunOptions) -> Checks {
        Checks { races: options.checks.races || Sanitizer::older_values(options).is_some(), ..options.checks }
    }

    fn older_values(options: &RunOptions) -> Option<Schedule> {
        options.schedule.filter(|schedule| !options.newest_values && schedule.sees_older_values())
    }

    pub fn with_patterns(
        patterns: ProgramPatterns,
        lockstep: bool,
        [grid, block_size]: [[u32; 3]; 2],
        options: &RunOptions,
    ) -> Box<Sanitizer> {
        let RunOptions { counters, limits, watch, .. } = *options;
        let checks = Sanitizer::checks(options);
        let older = Sanitizer::older_values(options).map(OlderValues::new);
        let mut sync = HappensBefore::default();
        if older.is_some() {
            sync.order_fences();
        }
        Box::new(Sanitizer {
            report: Report {
                checks,
                grid,
                block_size,
                is_silent: checks != options.checks,
                ..Report::default()
            },
            sync,
            older,
            cost: Cost { counts: counters, ..Cost::default() },
            memory: ShadowMemory { budget: limits.max_shadow, ..ShadowMemory::default() },
            lockstep,
            patterns,
            watch: watch.map(WatchedByte::new),
            listed: options.records.then(Vec::new),
            ..Sanitizer::default()
        })
    }

    pub fn enter(&mut self, block: &mut BlockSanitizer, cluster: &mut ClusterSanitizer) {
        std::mem::swap(&mut self.block, block);
        std::mem::swap(&mut self.cluster, cluster);
        std::mem::swap(&mut self.memory.shared, &mut self.cluster.shared);
        self.report.cta = self.block.cta;
        self.sync.enter(&mut self.block.clock);
    }

    pub fn leave(&mut self, block: &mut BlockSanitizer, cluster: &mut ClusterSanitizer, ended: bool) {
        if ended {
            let rank = self.rank();
            self.cluster.remote.check_exit(rank, &self.sync, &mut self.report);
            self.check_in_flight_at_exit();
            self.complete_global_copies();
            let warps = self.report.warps();
            let unused = &mut self.report.races.unused;
            unused.block_ended(&self.patterns.uses, &mut self.block.uses, self.sync.running(), warps);
        }
        self.sync.pool(&mut self.cluster.clock, ended);
        self.sync.leave(&mut self.block.clock);
        std::mem::swap(&mut self.memory.shared, &mut self.cluster.shared);
        std::mem::swap(&mut self.block, block);
        std::mem::swap(&mut self.cluster, cluster);
        if ended {
            *block = BlockSanitizer::default();
        }
        if cluster.clock.is_over() {
            self.memory.budget += std::mem::take(&mut cluster.shared).bytes();
        }
    }

    /// Phases of the cluster's barrier have completed; `phases` is their number so far.
    pub fn cluster_barrier_completed(&mut self, phases: u32, live: impl Iterator<Item = u32>) {
        let block_size = self.report.block_size;
        if self.report.checks.races
            && self.sync.synchronize_cluster(&mut self.cluster.clock, phases, block_size, live)
        {
            // A relaxed arrival orders no accesses, but programs use it to keep a block alive until the others are done with its
            // memory.
            self.cluster.remote = RemoteAccesses::default();
        }
    }

    /// Lanes of a warp arrive at the cluster's barrier with `.relaxed`.
    pub fn arrived_relaxed(&mut self, warp: u32, mask: u32) {
        if self.report.checks.races {
            self.sync.arrive_relaxed(&mut self.cluster.clock, warp, mask);
        }
    }

    /// Lanes of a warp execute a statement.
    #[inline]
    pub fn begin(&mut self, statement: StatementId, order: &Order, warp: u32, live: u32, executed: u32) {
        if std::mem::take(&mut self.has_begun) {
            return;
        }
        let statement = statement.0;
        self.report.visit =
            RunningVisit { statement, warp, live, order: *order, undefined: 0, unchanged: 0, silent: 0 };
        if self.report.checks.races
            && (order.fence
                | order.synchronizes
                | (order.special == SpecialOrder::AwaitsGrid)
                | self.lockstep)
        {
            self.order(executed);
        }
    }

    /// Lanes of a warp execute a statement that orders each of these groups by itself.
    pub fn begin_apart(
        &mut self,
        statement: StatementId,
        order: &Order,
        warp: u32,
        live: u32,
        mut groups: impl Iterator<Item = u32>,
    ) {
        self.begin(statement, order, warp, live, groups.next().unwrap_or(0));
        if self.report.checks.races {
            groups.for_each(|lanes| self.order(lanes));
        }
    }

    /// Counts an instruction that reads undefined registers. Returns whether the sanitizer still follows those of the block.
    pub fn follows_undefined(&mut self) -> bool {
        self.block.undefined_reads += 1;
        let is_followed = self.block.undefined_reads < MAX_UNDEFINED_READS;
        if !is_followed && self.report.reported.insert((FindingKind::ShadowLimit, 0, None)) {
            let message = format!(
                "from here on, uses of registers without a value may be missed in such a block\nit has executed \
                 {MAX_UNDEFINED_READS} instructions that read such registers; write them first"
            );
            self.report.add(FindingKind::ShadowLimit, message, 0, None);
        }
        is_followed
    }

    /// Memory was freed: accesses by its next owner are unrelated to earlier ones.
    pub fn freed(&mut self, index: u64, len: u64) {
        self.memory.launch.clear(index, len);
    }

    /// A call gets local memory, which is uninitialized.
    pub fn entered(&mut self, warp: u32, start: u32, len: u32, mask: u32) {
        if self.report.checks.uninitialized {
            self.block.local(warp).clear(start.into(), len.into(), mask);
        }
    }

    pub fn accessed(&mut self, event: &AccessEvent<'_>, spaces: &Spaces, local: &Local) {
        if self.cost.counts {
            self.cost.count(event);
        }
        if let Some(listed) = &mut self.listed {
            list(listed, event);
        }
        if self.watch.is_some() && !event.kind.reads() {
            self.watch(event);
        }
        if !(self.report.checks.races || self.report.checks.uninitialized) {
            return;
        }
        let RunningVisit { statement, warp, .. } = self.report.visit;
        self.block.uses.accessed(&self.patterns.uses, (statement, warp), event.mask);
        let order = self.report.visit.order;
        let is_in_cluster = spaces.window.blocks > 1;
        if (order.special != SpecialOrder::None) | is_in_cluster | !self.prerequisite_writes.is_empty() {
            self.note_special(event, spaces);
        }
        if self.report.checks.races {
            self.check_opaque(event, spaces);
        }
        let strong = order.strong || event.kind.is_strong();
        let strength = Strength::of(strong, self.scope_of(order));
        if strong {
            self.access_strong(event, spaces);
        }
        self.undefined.uninitialized[..event.count.min(ELEMENTS)].fill(0);
        self.undefined.is_passed_on = false;
        if self.tracks_unwritten() {
            self.access_unwritten(event);
        }
        if self.undefined.store.is_some() {
            self.undefined.note_store(event, &mut self.cluster.unwritten);
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
        self.check_lanes(event, apart, strength, spaces, &mut conflicts);
        if !conflicts.is_empty() {
            self.report_races(event, &conflicts, spaces);
        }
        let is_uninitialized = (event.kind.reads() || event.kind == AccessKind::Atomic)
            && self.report.checks.uninitialized
            && self.undefined.uninitialized[..event.count].iter().any(|&mask| mask != 0);
        if is_uninitialized {
            self.read_uninitialized(event, spaces, local);
        }
    }

    /// An access reads uninitialized memory: it is reported where its value is not followed.
    #[cold]
    fn read_uninitialized(&mut self, event: &AccessEvent<'_>, spaces: &Spaces, local: &Local) {
        let Sanitizer { patterns, memory, undefined, report, .. } = self;
        let (statement, mut units) = (report.visit.statement, Units { patterns, memory });
        match event.kind {
            AccessKind::Load => undefined.is_pending = true,
            AccessKind::Atomic if event.is_shared() => undefined.is_pending = true,
            AccessKind::Source if report.visit.order.special == SpecialOrder::AsyncProduct => {
                undefined.is_unwritten_factor = true;
            }
            AccessKind::Source => return,
            _ => return undefined.report(event, report, &mut units, spaces, local),
        }
        undefined.note(event, statement, &mut units, spaces, local);
    }

    #[inline(always)]
    fn check_lanes(
        &mut self,
        event: &AccessEvent<'_>,
        mask: u32,
        strength: Strength,
        spaces: &Spaces,
        conflicts: &mut Conflicts,
    ) {
        let warp = self.report.visit.warp;
        for lane in lanes(mask) {
            let Some(extent) = event.extent(lane) else { continue };
            let index = extent.index(event.addresses[lane]) as u64;
            let thread = Thread { warp, lane: lane as u32 };
            match extent.region {
                MemoryRegion::Local => {
                    let local = self.block.local(warp);
                    self.undefined.local(event, index, lane as u32, local, self.report.visit.undefined);
                }
                MemoryRegion::Shared | MemoryRegion::Launch | MemoryRegion::Globals => {
                    self.check_lane(event, (extent.region, index), thread, strength, spaces, conflicts);
                }
                MemoryRegion::Constants | MemoryRegion::Params => {}
            }
        }
    }

    fn watch(&mut self, event: &AccessEvent<'_>) {
        let stores = lanes(event.mask)
            .filter(|&lane| event.extent(lane).is_some_and(|extent| extent.region.is_device()))
            .map(|lane| (lane as u32, event.addresses[lane]));
        let warp = self.report.warp();
        if let Some(watch) = &mut self.watch {
            watch.stored(StatementId(self.report.visit.statement), warp, event.span(), stores);
        }
    }

    /// Whether the watched byte was stored to since the last call.
    #[inline]
    pub fn take_watch_hit(&mut self) -> bool {
        self.watch.as_mut().is_some_and(WatchedByte::take_hit)
    }

    /// The accesses of the statement that ends, if they are listed.
    pub fn take_listed(&mut self) -> Vec<ListedAccess> {
        self.listed.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// A shuffle read lanes that do not take part in it.
    pub fn shuffled(&mut self, inactive: InactiveSources) {
        if self.report.checks.uninitialized {
            self.undefined.inactive = Some(inactive);
            self.undefined.is_pending = true;
        }
    }

    /// Weak accesses of all lanes to one extent: the common case, so nothing is computed twice.
    fn check_weak(&mut self, event: &AccessEvent<'_>, extent: Extent, conflicts: &mut Conflicts) {
        let RunningVisit { statement, warp, .. } = self.report.visit;
        let Some((shadow, budget)) = self.memory.of(extent.region) else { return };
        let (reads, span) = (event.kind.reads(), event.span());
        let (mut uninitialized, mut is_prepared) = (0, true);
        let words = reads && span == 4 && self.report.checks.races;
        let epoch = self.sync.epoch(warp);
        let is_shared = extent.region == MemoryRegion::Shared;
        let of_warp = ShadowAccess {
            sync: &self.sync,
            stamp: Stamp::new(epoch, statement, 0, Strength::Weak),
            thread: Thread { warp, lane: 0 },
            races: self.report.checks.races,
            needs_initialized: is_shared,
        };
        let repeated = if self.report.checks.races { event.repeated() } else { 0 };
        let unchecked =
            if words { load_rows(shadow, event, extent, &of_warp) } else { event.mask & !repeated };
        for lane in lanes(unchecked) {
            let index = extent.index(event.addresses[lane]) as u64;
            let access = of_warp.of_lane(lane as u32);
            if words && shadow.load_quickly(index, &access) {
                continue;
            }
            if !shadow.prepare(index, span, budget) {
                is_prepared = false;
                continue;
            }
            let found = |conflict: Conflict| {
                if !is_published(&self.initializers, &access, conflict.before, is_shared) {
                    conflicts.add(conflict, lane as u32, index);
                }
            };
            let initialized = shadow.check(reads, index, span, &access, found);
            uninitialized |= u32::from(!initialized) << lane;
        }
        conflicts.add_repeated(repeated, of_warp.of_lane(event.mask.trailing_zeros()).stamp);
        if uninitialized != 0 && extent.region == MemoryRegion::Shared {
            let (shared, undefined) = (&mut self.memory.shared, &mut self.undefined);
            for lane in lanes(uninitialized) {
                let index = extent.index(event.addresses[lane]) as u64;
                undefined.note_unwritten(event, index, lane as u32, shared);
            }
        }
        if !is_prepared {
            self.memory.exhaust(&mut self.report);
        }
    }

    /// Whether a part of shared memory has no value: nobody has written it, or something copied bytes without a value there.
    pub fn is_unwritten_shared(&mut self, index: u64, len: u64) -> bool {
        !self.memory.shared.is_written(index, len) || self.cluster.unwritten.any(index, len)
    }

    /// How an access synchronizes if it is strong. Whether it writes depends on the value.
    #[inline]
    fn signal_of(&self, kind: AccessKind, order: Order) -> SyncAccess {
        SyncAccess {
            reads: kind != AccessKind::Store,
            observes: !matches!(kind, AccessKind::Store | AccessKind::Completion),
            writes: false,
            acquire: order.acquire,
            release: order.release || kind == AccessKind::Completion,
            scope: self.scope_of(order),
            cluster: self.cluster.clock.number(),
        }
    }

    fn check_lane(
        &mut self,
        event: &AccessEvent<'_>,
        (region, index): MemoryLocation,
        thread: Thread,
        strength: Strength,
        spaces: &Spaces,
        conflicts: &mut Conflicts,
    ) {
        let RunningVisit { statement, live, order, unchanged, silent, .. } = self.report.visit;
        let signal = self.signal_of(event.kind, order);
        let Some((shadow, budget)) = self.memory.of(region) else { return };
        let span = event.span();
        if !shadow.prepare(index, span, budget) {
            return self.memory.exhaust(&mut self.report);
        }
        let (races, needs_initialized) = (self.report.checks.races, region == MemoryRegion::Shared);
        if needs_initialized && event.kind == AccessKind::Atomic && self.report.checks.uninitialized {
            self.undefined.update(event, (index, thread.lane), shadow, &mut self.cluster.unwritten);
        }
        let synchronizes = strength != Strength::Weak && races;
        // Threads synchronize through shared memory only within a cluster, so the location includes the cluster.
        let cluster = if region == MemoryRegion::Shared { signal.cluster } else { 0 };
        let place = (region, index | u64::from(cluster) << 32);
        let strength = if unchanged >> thread.lane & 1 == 1 { Strength::Unchanged } else { strength };
        let stamp = Stamp::new(self.sync.epoch(thread.warp), statement, thread.lane, strength);
        let element = if synchronizes { self.patterns.element(statement, order) } else { None };
        let stamp = element.map_or(stamp, |bytes| stamp.of_elements(bytes));
        let access = ShadowAccess { sync: &self.sync, stamp, thread, races, needs_initialized };
        let found = |conflict: Conflict| {
            if !is_published(&self.initializers, &access, conflict.before, needs_initialized) {
                conflicts.add(conflict, thread.lane, index);
            }
        };
        let older = self.older.as_mut().filter(|_| synchronizes && signal.observes).and_then(|older| {
            let may_see_older = event.kind.reads() && !order.acquire;
            let is_last =
                |store| shadow.find_write(index, span, |write| !write.is_of_same_access(store)).is_none();
            older.loads(place, span, (thread, stamp), &self.sync, may_see_older, is_last).cloned()
        });
        let initialized = shadow.check(event.kind.reads(), index, span, &access, found);
        if !initialized && needs_initialized {
            self.undefined.note_unwritten(event, index, thread.lane, &mut self.memory.shared);
        }
        if let Some(published) = older {
            return self.sync.observe_earlier(&published, thread, signal);
        }
        // What the access itself acquires orders only what follows: had it come first, it would have raced with what it finds here.
        if synchronizes && signal.reads {
            self.sync.signal(place, thread, live, signal);
        }
        if synchronizes && !event.kind.reads() && silent >> thread.lane & 1 == 0 {
            if let Some(older) = &mut self.older {
                let bytes = spaces.bytes(region).get(index as usize..(index + span) as usize);
                older.stored(place, stamp, bytes.unwrap_or_default(), self.sync.published_at(&place));
            }
            self.sync.signal(place, thread, live, SyncAccess { writes: true, ..signal });
        }
    }

    /// The older values that lanes of the running load see in place of those in memory.
    #[inline]
    pub fn take_older(&mut self) -> Option<OlderLoad> {
        let statement = self.report.visit.statement;
        self.older.as_mut().and_then(|older| older.take(statement))
    }

    /// The store that a lane of the running statement did not see, if it saw an older value.
    pub fn unseen_store(&self, lane: usize) -> Option<StatementId> {
        let statement = self.report.visit.statement;
        self.older.as_ref().and_then(|older| older.unseen_store(statement, lane)).map(StatementId)
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
    pub fn new(blocks: Vec<u32>, block_bytes: u32) -> ClusterSanitizer {
        let block_bytes = block_bytes.into();
        ClusterSanitizer { clock: ClusterClock::new(blocks), block_bytes, ..ClusterSanitizer::default() }
    }
}

impl BlockSanitizer {
    pub fn new(grid: &[u32; 3], cta: [u32; 3], warps: usize) -> BlockSanitizer {
        let [x, y, z] = cta;
        let number = x.wrapping_add(grid[0].wrapping_mul(y.wrapping_add(grid[1].wrapping_mul(z))));
        let clock = BlockClock::new(number, warps);
        BlockSanitizer { clock, cta, ..BlockSanitizer::default() }
    }

    pub fn local(&mut self, warp: u32) -> &mut LocalShadow {
        grown(&mut self.locals, warp)
    }

    /// Bytes of host memory of the shadow of local memory.
    pub(crate) fn local_bytes(&self) -> u64 {
        self.locals.iter().map(LocalShadow::bytes).sum()
    }
}
