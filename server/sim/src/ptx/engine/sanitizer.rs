//! The watch over memory: every access of a run passes by here, if the run was asked to look.
//!
//! An instruction is announced with [`Watch::begin`]; the accesses that it makes are told to [`Watch::accessed`] after their
//! addresses were checked and before anything is read or written; [`Watch::tell`] hands over what was found. What a program is allowed to do is decided in the files below, never here:
//! `sync` knows what comes before what, `shadow` who was where, `races` puts it into words.
//!
//! An interpreter without a watch pays nothing; one with it keeps its state in [`BlockWatch`], which a suspended block takes
//! along.

mod copies;
mod cost;
mod division;
mod knowledge;
mod local;
mod races;
mod shadow;
mod sync;
mod undefined;
mod values;

use rustc_hash::FxHashSet;

use self::copies::Copies;
pub(crate) use self::copies::{Family, Stretch, Until};
use self::local::LocalShadow;
use self::shadow::{Access, Shadow, Stamp, Strength};
pub(crate) use self::undefined::Undefined;

use self::sync::{BlockClock, ClusterClock, Signal, Sync, Thread};
use super::launch::Journal;
use crate::ptx::engine::exec::warp::Warp;
use crate::ptx::engine::memory::spaces::{Bank, Checked, Extent, Spaces};
use crate::ptx::program::{Formal, Order, Passing, Program};
use crate::ptx::registers::{Lanes, lanes};
use crate::record::Recorder;
use crate::trace::{Checks, Counters, Finding, RunOptions, StatementId};

/// The most elements that one access has.
const ELEMENTS: usize = 32;

/// What is done to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    /// A load of which each element goes to a register of its own.
    Load,
    /// Any other that reads.
    Read,
    Store,
    Atomic,
    /// What a copy did is told to an mbarrier: an atomic that publishes everything before it.
    Completion,
}

impl Deed {
    /// Whether memory stays as it is.
    pub(crate) fn reads(self) -> bool {
        matches!(self, Deed::Load | Deed::Read)
    }
}

/// An access whose addresses were checked.
pub(crate) struct Told<'t> {
    pub(crate) deed: Deed,
    pub(crate) checked: &'t Checked,
    pub(crate) addresses: &'t Lanes<u64>,
    /// Bytes of an element, and how many elements lie side by side.
    pub(crate) size: u32,
    pub(crate) count: usize,
    pub(crate) mask: u32,
    /// The byte that a lane stores at this distance from its address.
    pub(crate) value: &'t dyn Fn(usize, u64) -> u8,
}

/// What the watch keeps of the blocks of a cluster together.
#[derive(Default)]
pub(crate) struct ClusterWatch {
    clock: ClusterClock,
    shared: Shadow,
    copies: Copies,
}

/// What the watch keeps of one block.
#[derive(Default)]
pub(crate) struct BlockWatch {
    clock: BlockClock,
    locals: Vec<LocalShadow>,
    cta: [u32; 3],
}

/// The instruction that runs.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    statement: u32,
    warp: u32,
    live: u32,
    order: Order,
    /// Lanes that store what is undefined.
    undefined: u32,
}

/// The watch of a run.
pub(crate) struct Watch {
    checks: Checks,
    counts: bool,
    /// Whether lanes of a warp run in step, as they do before `sm_70`.
    lockstep: bool,
    /// Blocks in x, y, z.
    grid: [u32; 3],
    sync: Sync,
    launch: Shadow,
    globals: Shadow,
    cluster: ClusterWatch,
    block: BlockWatch,
    visit: Visit,
    /// Lanes that loaded what nobody wrote, by element of the access.
    unwritten: [u32; ELEMENTS],
    /// Whether registers got some of it.
    loaded_unwritten: bool,
    cost: Option<Counters>,
    news: Vec<Finding>,
    /// Statements that read what nobody had written because they came before the writer, in a race that is found.
    raced: Vec<StatementId>,
    /// Pairs of statements that were reported.
    reported: FxHashSet<(&'static str, u32, u32)>,
    /// Bytes that shadow memory may still take.
    budget: u64,
    /// Whether it was said that there is no more room.
    exhausted: bool,
}

impl Watch {
    /// What it can find.
    pub(crate) const CODES: [&str; 5] =
        ["data-race", "same-value-race", "uninitialized-read", "division-by-zero", "shadow-limit"];

    /// A watch, if the options ask for anything that it does.
    pub(crate) fn new(program: &Program, grid: [u32; 3], options: &RunOptions) -> Option<Box<Watch>> {
        let RunOptions { checks, counters, limits, .. } = *options;
        (checks != Checks::default() || counters).then(|| {
            Box::new(Watch {
                checks,
                counts: counters,
                lockstep: program.lockstep,
                grid,
                sync: Sync::default(),
                launch: Shadow::default(),
                globals: Shadow::default(),
                cluster: ClusterWatch::default(),
                block: BlockWatch::default(),
                visit: Visit::default(),
                unwritten: [0; ELEMENTS],
                loaded_unwritten: false,
                cost: None,
                news: Vec::new(),
                raced: Vec::new(),
                reported: FxHashSet::default(),
                budget: limits.max_shadow,
                exhausted: false,
            })
        })
    }

    /// Bytes of shadow that may still be made; `None` if they were not enough.
    pub(crate) fn budget(&self) -> Option<u64> {
        (!self.exhausted).then_some(self.budget)
    }

    /// No more than so many bytes of shadow are made from now on.
    pub(crate) fn limit(&mut self, bytes: u64) {
        self.budget = bytes;
    }

    /// A block runs from now on.
    pub(crate) fn enter(&mut self, block: &mut BlockWatch, cluster: &mut ClusterWatch) {
        std::mem::swap(&mut self.block, block);
        std::mem::swap(&mut self.cluster, cluster);
        self.sync.enter(&mut self.block.clock);
    }

    /// The block that ran stops for now, or for good.
    pub(crate) fn leave(&mut self, block: &mut BlockWatch, cluster: &mut ClusterWatch, ended: bool) {
        if ended {
            self.land_rest();
        }
        self.sync.pool(&mut self.cluster.clock, ended);
        self.sync.leave(&mut self.block.clock);
        std::mem::swap(&mut self.block, block);
        std::mem::swap(&mut self.cluster, cluster);
        if ended {
            *block = BlockWatch::default();
        }
        if cluster.clock.is_over() {
            self.budget += std::mem::take(&mut cluster.shared).bytes();
        }
    }

    /// So many phases of the cluster's barrier have ended.
    pub(crate) fn cluster_met(&mut self, phases: u32, warps: &[Warp]) {
        if self.checks.races && self.cluster.clock.is_news(phases, &self.block.clock) {
            let live: Vec<u32> = warps.iter().map(|warp| warp.live).collect();
            self.sync.meet_cluster(&mut self.cluster.clock, phases, &live);
        }
    }

    /// Lanes come to a statement.
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
        } else if order.meets || self.lockstep {
            self.sync.meet(warp, live, if self.lockstep { live } else { executed });
        }
    }

    /// A barrier of the block opened. Masks are by warp: who came, and who waited.
    pub(crate) fn opened(&mut self, arrived: &[u32], waited: &[u32], warps: &[Warp]) {
        if self.checks.races {
            let live: Vec<u32> = warps.iter().map(|warp| warp.live).collect();
            self.sync.open(arrived, waited, &live);
        }
    }

    /// Memory of the launch was given back: who gets it next has nothing to do with who had it.
    pub(crate) fn freed(&mut self, index: u64, len: u64) {
        self.launch.forget(index, len);
    }

    /// A call gets a stretch of local memory, in which nothing is written yet.
    pub(crate) fn entered(&mut self, warp: u32, start: u32, len: u32, mask: u32) {
        if self.checks.uninitialized {
            self.block.local(warp).forget(start.into(), len.into(), mask);
        }
    }

    /// Parameters in a frame's local memory are written by the call itself.
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

    /// Hands over what the instruction cost and what was found at it.
    #[inline]
    pub(crate) fn tell(&mut self, statement: StatementId, recorder: &mut Recorder, journal: &mut Journal) {
        if let Some(cost) = self.cost.take() {
            recorder.cost(statement, &cost);
        }
        if !self.news.is_empty() {
            self.news.drain(..).for_each(|finding| journal.report(finding));
        }
        if !self.raced.is_empty() {
            journal.raced.extend(self.raced.drain(..));
        }
    }

    /// The instruction accesses memory.
    pub(crate) fn accessed(&mut self, told: &Told<'_>, spaces: &Spaces) {
        if self.counts {
            self.count(told);
        }
        if !(self.checks.races || self.checks.uninitialized) {
            return;
        }
        let Visit { warp, order, .. } = self.visit;
        let strong = order.strong || matches!(told.deed, Deed::Atomic | Deed::Completion);
        let strength = match (strong, order.in_block) {
            (false, _) => Strength::Weak,
            (true, true) => Strength::Block,
            (true, false) => Strength::Device,
        };
        self.unwritten[..told.count.min(ELEMENTS)].fill(0);
        let mut clashes = races::Clashes::default();
        let together = match told.checked {
            Checked::One(extent) if strength == Strength::Weak => Some(*extent),
            _ => None,
        };
        let apart = match together.filter(|extent| extent.bank.is_common()) {
            Some(extent) => {
                self.weakly(told, extent, &mut clashes);
                0
            }
            None => told.mask,
        };
        for lane in lanes(apart) {
            let Some(extent) = told.extent(lane) else { continue };
            let index = extent.index(told.addresses[lane]) as u64;
            let thread = Thread { warp, lane: lane as u32 };
            match extent.bank {
                Bank::Local => self.local(told, index, lane as u32),
                Bank::Shared | Bank::Launch | Bank::Globals => {
                    self.cells(told, extent.bank, index, thread, strength, &mut clashes);
                }
                Bank::Constants | Bank::Params => {}
            }
        }
        if !clashes.is_empty() {
            self.report_races(told, &clashes, spaces);
        }
        if told.deed.reads()
            && self.checks.uninitialized
            && self.unwritten[..told.count].iter().any(|&mask| mask != 0)
        {
            match told.deed {
                Deed::Load => self.loaded_unwritten = true,
                _ => self.report_unwritten(told),
            }
        }
    }

    fn count(&mut self, told: &Told<'_>) {
        let span = told.span();
        let of = |banks: &[Bank]| {
            let inside = |&lane: &usize| told.extent(lane).is_some_and(|extent| banks.contains(&extent.bank));
            lanes(told.mask).filter(inside).fold(0, |mask, lane| mask | 1 << lane)
        };
        let (global, shared) = (of(&[Bank::Launch, Bank::Globals]), of(&[Bank::Shared]));
        let mut cost = self.cost.take().unwrap_or_default();
        if global != 0 {
            let global = cost::sectors(told.addresses, span, global);
            cost.add(&Counters { global, ..Counters::default() });
        }
        if shared != 0 {
            let shared = cost::wavefronts(told.addresses, span, shared);
            cost.add(&Counters { shared, ..Counters::default() });
        }
        self.cost = Some(cost);
    }

    fn local(&mut self, told: &Told<'_>, index: u64, lane: u32) {
        let local = self.block.local(self.visit.warp);
        if !told.deed.reads() {
            return match self.visit.undefined >> lane & 1 {
                0 => local.write(index, told.span(), 1 << lane),
                _ => local.forget(index, told.span(), 1 << lane),
            };
        }
        for element in 0..told.count {
            if !local.is_written(index + element as u64 * u64::from(told.size), told.size.into(), lane) {
                self.unwritten[element] |= 1 << lane;
            }
        }
    }

    /// Weak accesses of all lanes to one extent: most accesses are, so nothing is asked twice.
    fn weakly(&mut self, told: &Told<'_>, extent: Extent, clashes: &mut races::Clashes) {
        let Visit { statement, warp, .. } = self.visit;
        let shadow = match extent.bank {
            Bank::Shared => &mut self.cluster.shared,
            Bank::Launch => &mut self.launch,
            _ => &mut self.globals,
        };
        let (reads, span) = (told.deed.reads(), told.span());
        let epoch = self.sync.epoch(warp);
        let (mut unwritten, mut room) = (0, true);
        let words = reads && span == 4 && self.checks.races;
        let fresh = extent.bank == Bank::Shared;
        let rest = match words {
            true => {
                let (stamp, thread) =
                    (Stamp::new(epoch, statement, 0, Strength::Weak), Thread { warp, lane: 0 });
                load_rows(
                    shadow,
                    told,
                    extent,
                    &Access { sync: &self.sync, stamp, thread, races: true, fresh },
                )
            }
            false => told.mask,
        };
        for lane in lanes(rest) {
            let index = extent.index(told.addresses[lane]) as u64;
            let thread = Thread { warp, lane: lane as u32 };
            let stamp = Stamp::new(epoch, statement, thread.lane, Strength::Weak);
            let access = Access { sync: &self.sync, stamp, thread, races: self.checks.races, fresh };
            if words && shadow.load_calmly(index, &access) {
                continue;
            }
            if !shadow.prepare(index, span, &mut self.budget) {
                room = false;
                continue;
            }
            let conflict = if reads {
                let (conflict, written) = shadow.load(index, span, &access);
                unwritten |= u32::from(!written) << lane;
                conflict
            } else {
                shadow.store(index, span, &access)
            };
            if let Some(conflict) = conflict {
                clashes.add(conflict, thread.lane, index);
            }
        }
        if unwritten != 0 && extent.bank == Bank::Shared {
            for lane in lanes(unwritten) {
                self.unwritten_elements(told, extent.index(told.addresses[lane]) as u64, lane as u32);
            }
        }
        if !room {
            self.say_exhausted();
        }
    }

    /// Notes which elements of a load from shared memory nobody wrote.
    #[cold]
    fn unwritten_elements(&mut self, told: &Told<'_>, index: u64, lane: u32) {
        let size = u64::from(told.size);
        for element in 0..told.count {
            if !self.cluster.shared.is_written(index + element as u64 * size, size) {
                self.unwritten[element] |= 1 << lane;
            }
        }
    }

    fn cells(
        &mut self,
        told: &Told<'_>,
        bank: Bank,
        index: u64,
        thread: Thread,
        strength: Strength,
        clashes: &mut races::Clashes,
    ) {
        let Visit { statement, live, order, .. } = self.visit;
        let shadow = match bank {
            Bank::Shared => &mut self.cluster.shared,
            Bank::Launch => &mut self.launch,
            _ => &mut self.globals,
        };
        let span = told.span();
        if !shadow.prepare(index, span, &mut self.budget) {
            return self.say_exhausted();
        }
        let signal = Signal {
            reads: told.deed != Deed::Store,
            writes: false,
            acquire: order.acquire,
            release: order.release || told.deed == Deed::Completion,
            in_block: order.in_block,
        };
        let speaks = strength != Strength::Weak && self.checks.races;
        // What shared memory means to one cluster, it does not mean to another.
        let cluster = if bank == Bank::Shared { self.cluster.clock.number() } else { 0 };
        let place = (bank, index | u64::from(cluster) << 32);
        if speaks && signal.reads {
            self.sync.signal(place, thread, live, signal);
        }
        let stamp = Stamp::new(self.sync.epoch(thread.warp), statement, thread.lane, strength);
        let fresh = bank == Bank::Shared;
        let access = Access { sync: &self.sync, stamp, thread, races: self.checks.races, fresh };
        let conflict = if told.deed.reads() {
            let (conflict, written) = shadow.load(index, span, &access);
            if !written && bank == Bank::Shared {
                self.unwritten_elements(told, index, thread.lane);
            }
            conflict
        } else {
            shadow.store(index, span, &access)
        };
        if let Some(conflict) = conflict {
            clashes.add(conflict, thread.lane, index);
        }
        if speaks && !told.deed.reads() {
            self.sync.signal(place, thread, live, Signal { writes: true, ..signal });
        }
    }
}

/// Notes loads of words by eight lanes at once, as far as nothing clashes; gives the lanes that must be looked at closer.
fn load_rows(shadow: &mut Shadow, told: &Told<'_>, extent: Extent, access: &Access<'_>) -> u32 {
    let mut closer = told.mask;
    let (eights, _) = told.addresses.as_chunks::<8>();
    for (eight, first) in eights.iter().zip((0..).step_by(8)) {
        let all = 0xff << first;
        if told.mask & all == all {
            let indexes = eight.map(|address| extent.index(address) as u64);
            closer = closer & !all | shadow.load_eight(&indexes, &access.of_lane(first));
        }
    }
    closer
}

impl Told<'_> {
    fn span(&self) -> u64 {
        u64::from(self.size) * self.count as u64
    }

    fn extent(&self, lane: usize) -> Option<Extent> {
        self.checked.of(lane)
    }
}

impl ClusterWatch {
    /// The watch of a cluster that begins; of blocks with these numbers.
    pub(crate) fn new(blocks: Vec<u32>) -> ClusterWatch {
        ClusterWatch { clock: ClusterClock::new(blocks), ..ClusterWatch::default() }
    }
}

impl BlockWatch {
    /// The watch of a block that begins.
    pub(crate) fn new(grid: &[u32; 3], cta: [u32; 3], warps: usize) -> BlockWatch {
        let [x, y, z] = cta;
        let number = x.wrapping_add(grid[0].wrapping_mul(y.wrapping_add(grid[1].wrapping_mul(z))));
        let clock = BlockClock::new(number, warps);
        BlockWatch { clock, cta, ..BlockWatch::default() }
    }

    fn local(&mut self, warp: u32) -> &mut LocalShadow {
        let warp = warp as usize;
        if self.locals.len() <= warp {
            self.locals.resize_with(warp + 1, LocalShadow::default);
        }
        &mut self.locals[warp]
    }
}
