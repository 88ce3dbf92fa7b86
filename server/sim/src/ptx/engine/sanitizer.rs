//! The sanitizer: checks every memory access of a run, if the run options enable it.
//!
//! [`Sanitizer::begin`] starts an instruction; its accesses are reported to [`Sanitizer::accessed`] after the address check and
//! before memory is read or written; [`Sanitizer::take_report`] returns the findings. The rules are in the modules below:
//! `happens_before` orders accesses, `shadow` stores them, `races` reports conflicts. A run without a sanitizer pays nothing;
//! with one, [`BlockSanitizer`] is the state of a block, which it keeps while it is suspended.

mod conflicts;
pub(crate) mod copies;
mod cost;
mod division;
pub(crate) mod event;
mod happens_before;
mod in_flight;
mod local;
mod races;
mod shadow;
mod stamp;
pub(crate) mod undefined;
mod values;
mod vector_clock;

use rustc_hash::FxHashSet;

use self::conflicts::Conflicts;
use self::copies::Copies;
use self::event::{AccessEvent, AccessKind};
use self::happens_before::{BlockClock, ClusterClock, HappensBefore, SyncAccess, Thread};
use self::local::LocalShadow;
use self::shadow::{Access, Shadow};
use self::stamp::{Stamp, Strength};
use crate::ptx::engine::memory::region::{CheckedAddresses, Extent, MemoryRegion};
use crate::ptx::engine::memory::spaces::Spaces;
use crate::ptx::program::{Formal, Order, Passing, Program};
use crate::ptx::registers::lanes;
use crate::trace::{
    Checks, Counters, Finding, LaneStore, Related, RunOptions, Severity, StatementId, WarpId,
};
use crate::warp::watched_byte::WatchedByte;

/// Maximum number of elements of one access.
const ELEMENTS: usize = 32;

/// The sanitizer state of a cluster.
#[derive(Default)]
pub(crate) struct ClusterSanitizer {
    clock: ClusterClock,
    shared: Shadow,
    copies: Copies,
}

/// The sanitizer state of a block.
#[derive(Default)]
pub(crate) struct BlockSanitizer {
    clock: BlockClock,
    locals: Vec<LocalShadow>,
    cta: [u32; 3],
}

/// The running instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    statement: u32,
    warp: u32,
    live: u32,
    order: Order,
    /// Lanes that store an undefined value.
    undefined: u32,
}

/// The results of one instruction; the caller drains the lists.
pub(crate) struct Report<'s> {
    pub(crate) cost: Option<Counters>,
    pub(crate) findings: &'s mut Vec<Finding>,
    /// See [`Sanitizer::raced`].
    pub(crate) raced: &'s mut Vec<StatementId>,
}

/// The sanitizer of a run.
pub(crate) struct Sanitizer {
    checks: Checks,
    counts: bool,
    /// Whether the lanes of a warp run in lockstep, as before `sm_70`.
    lockstep: bool,
    /// Grid extents in blocks.
    grid: [u32; 3],
    sync: HappensBefore,
    launch: Shadow,
    globals: Shadow,
    cluster: ClusterSanitizer,
    block: BlockSanitizer,
    visit: Visit,
    /// Lanes that loaded uninitialized memory, by element of the access.
    uninitialized: [u32; ELEMENTS],
    /// Whether registers received uninitialized values.
    loaded_uninitialized: bool,
    cost: Option<Counters>,
    findings: Vec<Finding>,
    /// Statements that read uninitialized memory only because they ran before the writer, in a reported race.
    raced: Vec<StatementId>,
    /// Reported pairs of statements.
    reported: FxHashSet<(&'static str, u32, u32)>,
    /// Remaining budget of shadow memory in bytes.
    budget: u64,
    /// Whether the exhausted budget was reported.
    exhausted: bool,
    watch: Option<WatchedByte>,
}

impl Sanitizer {
    /// The codes of its findings.
    pub(crate) const CODES: [&str; 5] =
        ["data-race", "same-value-race", "uninitialized-read", "division-by-zero", "shadow-limit"];

    /// A sanitizer, if the options require one.
    pub(crate) fn new(program: &Program, grid: [u32; 3], options: &RunOptions) -> Option<Box<Sanitizer>> {
        let RunOptions { checks, counters, limits, watch, .. } = *options;
        (checks != Checks::default() || counters || watch.is_some()).then(|| {
            Box::new(Sanitizer {
                checks,
                counts: counters,
                lockstep: program.lockstep,
                grid,
                sync: HappensBefore::default(),
                launch: Shadow::default(),
                globals: Shadow::default(),
                cluster: ClusterSanitizer::default(),
                block: BlockSanitizer::default(),
                visit: Visit::default(),
                uninitialized: [0; ELEMENTS],
                loaded_uninitialized: false,
                cost: None,
                findings: Vec::new(),
                raced: Vec::new(),
                reported: FxHashSet::default(),
                budget: limits.max_shadow,
                exhausted: false,
                watch: watch.map(WatchedByte::new),
            })
        })
    }

    /// Remaining budget of shadow memory in bytes; `None` if it was exhausted.
    pub(crate) fn budget(&self) -> Option<u64> {
        (!self.exhausted).then_some(self.budget)
    }

    /// Sets the budget of shadow memory.
    pub(crate) fn limit(&mut self, bytes: u64) {
        self.budget = bytes;
    }

    /// A block starts or resumes.
    pub(crate) fn enter(&mut self, block: &mut BlockSanitizer, cluster: &mut ClusterSanitizer) {
        std::mem::swap(&mut self.block, block);
        std::mem::swap(&mut self.cluster, cluster);
        self.sync.enter(&mut self.block.clock);
    }

    /// The running block is suspended or has exited.
    pub(crate) fn leave(&mut self, block: &mut BlockSanitizer, cluster: &mut ClusterSanitizer, ended: bool) {
        if ended {
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

    /// The number of completed phases of the cluster's barrier.
    pub(crate) fn cluster_barrier_completed(&mut self, phases: u32, live: impl Iterator<Item = u32>) {
        if self.checks.races && self.cluster.clock.is_unknown_phase(phases, &self.block.clock) {
            let live: Vec<u32> = live.collect();
            self.sync.synchronize_cluster(&mut self.cluster.clock, phases, &live);
        }
    }

    /// Lanes execute a statement.
    #[inline]
    pub(crate) fn begin(
        &mut self,
        statement: StatementId,
        order: Order,
        warp: u32,
        live: u32,
        executed: u32,
    ) {
        self.visit = Visit { statement: statement.0, warp, live, order, undefined: 0 };
        if !self.checks.races {
            return;
        }
        if order.fence {
            self.sync.fence(warp, live, executed, order.in_block);
        } else if order.synchronizes || self.lockstep {
            self.sync.synchronize(warp, live, if self.lockstep { live } else { executed });
        }
    }

    /// A barrier of the block completed. Masks are by warp: arrived and waiting lanes.
    pub(crate) fn barrier_completed(
        &mut self,
        arrived: &[u32],
        waited: &[u32],
        live: impl Iterator<Item = u32>,
    ) {
        if self.checks.races {
            let live: Vec<u32> = live.collect();
            self.sync.open(arrived, waited, &live);
        }
    }

    /// Memory was freed: later accesses by its next owner are unrelated.
    pub(crate) fn freed(&mut self, index: u64, len: u64) {
        self.launch.clear(index, len);
    }

    /// A call receives local memory, which is uninitialized.
    pub(crate) fn entered(&mut self, warp: u32, start: u32, len: u32, mask: u32) {
        if self.checks.uninitialized {
            self.block.local(warp).clear(start.into(), len.into(), mask);
        }
    }

    /// The call itself writes parameters in the frame's local memory.
    pub(crate) fn passed(&mut self, warp: u32, base: u32, formals: &[Formal], mask: u32) {
        if !self.checks.uninitialized {
            return;
        }
        for formal in formals {
            if let Passing::Local(offset) = formal.at {
                self.block.local(warp).write((base + offset).into(), formal.size.into(), mask);
            }
        }
    }

    /// Adds a finding about lanes of the running warp.
    fn report(
        &mut self,
        code: &'static str,
        severity: Severity,
        message: String,
        statement: u32,
        lanes: u32,
        related: Option<Related>,
    ) {
        let warp = WarpId { cta: self.block.cta, warp: self.visit.warp };
        self.findings.push(warp.finding(code, severity, message, statement, lanes).with(related));
    }

    /// Takes the cost of the instruction and its findings.
    #[inline]
    pub(crate) fn take_report(&mut self) -> Report<'_> {
        Report { cost: self.cost.take(), findings: &mut self.findings, raced: &mut self.raced }
    }

    /// The instruction accesses memory.
    pub(crate) fn accessed(&mut self, event: &AccessEvent<'_>, spaces: &Spaces) {
        if self.counts {
            self.count(event);
        }
        if self.watch.is_some() && !event.kind.reads() {
            self.watch(event);
        }
        if !(self.checks.races || self.checks.uninitialized) {
            return;
        }
        let Visit { warp, order, .. } = self.visit;
        let strong = order.strong || matches!(event.kind, AccessKind::Atomic | AccessKind::Completion);
        let strength = match (strong, order.in_block) {
            (false, _) => Strength::Weak,
            (true, true) => Strength::Block,
            (true, false) => Strength::Device,
        };
        self.uninitialized[..event.count.min(ELEMENTS)].fill(0);
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
        for lane in lanes(apart) {
            let Some(extent) = event.extent(lane) else { continue };
            let index = extent.index(event.addresses[lane]) as u64;
            let thread = Thread { warp, lane: lane as u32 };
            match extent.region {
                MemoryRegion::Local => self.local(event, index, lane as u32),
                MemoryRegion::Shared | MemoryRegion::Launch | MemoryRegion::Globals => {
                    self.check_lane(event, extent.region, index, thread, strength, &mut conflicts);
                }
                MemoryRegion::Constants | MemoryRegion::Params => {}
            }
        }
        if !conflicts.is_empty() {
            self.report_races(event, &conflicts, spaces);
        }
        if event.kind.reads()
            && self.checks.uninitialized
            && self.uninitialized[..event.count].iter().any(|&mask| mask != 0)
        {
            match event.kind {
                AccessKind::Load => self.loaded_uninitialized = true,
                _ => self.report_uninitialized(event),
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
    pub(crate) fn last_store(&self) -> Option<LaneStore> {
        self.watch.as_ref()?.last
    }

    fn count(&mut self, event: &AccessEvent<'_>) {
        let span = event.span();
        let of = |regions: &[MemoryRegion]| {
            let inside =
                |&lane: &usize| event.extent(lane).is_some_and(|extent| regions.contains(&extent.region));
            lanes(event.mask).filter(inside).fold(0, |mask, lane| mask | 1 << lane)
        };
        let (global, shared) =
            (of(&[MemoryRegion::Launch, MemoryRegion::Globals]), of(&[MemoryRegion::Shared]));
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

    fn local(&mut self, event: &AccessEvent<'_>, index: u64, lane: u32) {
        let local = self.block.local(self.visit.warp);
        if !event.kind.reads() {
            return match self.visit.undefined >> lane & 1 {
                0 => local.write(index, event.span(), 1 << lane),
                _ => local.clear(index, event.span(), 1 << lane),
            };
        }
        for element in 0..event.count {
            if !local.is_written(index + element as u64 * u64::from(event.size), event.size.into(), lane) {
                self.uninitialized[element] |= 1 << lane;
            }
        }
    }

    /// Weak accesses of all lanes to one extent: the common case, so nothing is computed twice.
    fn check_weak(&mut self, event: &AccessEvent<'_>, extent: Extent, conflicts: &mut Conflicts) {
        let Visit { statement, warp, .. } = self.visit;
        let shadow = match extent.region {
            MemoryRegion::Shared => &mut self.cluster.shared,
            MemoryRegion::Launch => &mut self.launch,
            _ => &mut self.globals,
        };
        let (reads, span) = (event.kind.reads(), event.span());
        let (mut uninitialized, mut budget) = (0, true);
        let words = reads && span == 4 && self.checks.races;
        let epoch = self.sync.epoch(warp);
        let of_warp = Access {
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
            if !self.cluster.shared.is_written(index + element as u64 * size, size) {
                self.uninitialized[element] |= 1 << lane;
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
        let Visit { statement, live, order, .. } = self.visit;
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
        // Synchronization through shared memory is local to its cluster.
        let cluster = if region == MemoryRegion::Shared { self.cluster.clock.number() } else { 0 };
        let place = (region, index | u64::from(cluster) << 32);
        if synchronizes && signal.reads {
            self.sync.signal(place, thread, live, signal);
        }
        let stamp = Stamp::new(self.sync.epoch(thread.warp), statement, thread.lane, strength);
        let (races, needs_initialized) = (self.checks.races, region == MemoryRegion::Shared);
        let access = Access { sync: &self.sync, stamp, thread, races, needs_initialized };
        let (conflict, initialized) = shadow.check(event.kind.reads(), index, span, &access);
        if !initialized && needs_initialized {
            self.uninitialized_elements(event, index, thread.lane);
        }
        if let Some(conflict) = conflict {
            conflicts.add(conflict, thread.lane, index);
        }
        if synchronizes && !event.kind.reads() {
            self.sync.signal(place, thread, live, SyncAccess { writes: true, ..signal });
        }
    }
}

/// Records word loads of eight lanes at once where they have no conflict; returns the lanes that need the full check.
fn load_rows(shadow: &mut Shadow, event: &AccessEvent<'_>, extent: Extent, access: &Access<'_>) -> u32 {
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
    /// The state of a new cluster with these blocks.
    pub(crate) fn new(blocks: Vec<u32>) -> ClusterSanitizer {
        ClusterSanitizer { clock: ClusterClock::new(blocks), ..ClusterSanitizer::default() }
    }
}

impl BlockSanitizer {
    /// The state of a new block.
    pub(crate) fn new(grid: &[u32; 3], cta: [u32; 3], warps: usize) -> BlockSanitizer {
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
