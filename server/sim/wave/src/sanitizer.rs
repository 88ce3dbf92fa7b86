//! The sanitizer of a workgroup: data races in local memory, uninitialized reads, divisions by zero, shuffles
//! of inactive lanes, ballots that do not fit.
//!
//! If checks are enabled, it checks an operation before it executes; a run without checks pays nothing. Lanes
//! of a wave run in lockstep, so races occur only with other waves and between lanes of one store. Waves
//! synchronize at a barrier. An atomic whose result is used and an acquire fence are also assumed to order
//! everything before them: the checker misses races rather than reporting false ones.

mod registers;
mod shadow;

use rustc_hash::FxHashSet;
use warplens_sim_warp::LaneSet;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::launch_config::thread_of;
use warplens_sim_warp::race_scope::RaceScope;
use warplens_sim_warp::races::{RaceReport, RacingThread};
use warplens_sim_warp::trace::{
    Checks, Finding, LaneStore, Limits, Mask, RunOptions, Severity, StatementId, WarpId,
};
use warplens_sim_warp::watched_byte::WatchedByte;

pub(crate) use self::registers::WrittenRegisters;
use self::shadow::{Access, AccessKind, Conflict, LocalShadow, Stamp};
use super::lanes::{filter_lanes, lanes};
use super::op::{Action, Binary, Condition, Matrix, Op, Row, Shuffle, Space};
use super::program::{Cell, Program};
use super::state::{State, WavePosition};

#[derive(Debug)]
pub(crate) struct Sanitizer {
    pub checks: Checks,
    /// Advances with every checked operation.
    clock: u32,
    /// Reported findings: code, statement, and the register.
    pub reported: FxHashSet<(FindingKind, u32, u32)>,
    /// Reported races: code, and the two statements in text order.
    raced: FxHashSet<(FindingKind, (u32, u32))>,
    /// The findings about the operation being checked.
    pub findings: Vec<Finding>,
    watch: Option<WatchedByte>,
}

#[derive(Clone, Debug)]
pub(crate) struct GroupShadow {
    local: LocalShadow,
    /// Accesses before this time precede a barrier.
    barrier: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct WaveShadow {
    written: WrittenRegisters,
    /// Accesses before this time happen before the wave's accesses.
    acquired: u32,
}

/// A wave that is about to execute an operation.
pub(crate) struct VisitContext<'m, const W: usize> {
    pub(crate) program: &'m Program,
    pub(crate) op: &'m Op,
    pub(crate) pc: u32,
    pub(crate) position: &'m WavePosition,
    pub(crate) active: Mask,
    pub(crate) executed: Mask,
    pub(crate) state: &'m State<W>,
    pub(crate) local: &'m [u8],
}

impl Sanitizer {
    /// The sanitizer, if the options ask for one.
    pub(crate) fn new(options: &RunOptions) -> Option<Box<Sanitizer>> {
        let RunOptions { checks, watch, .. } = *options;
        (checks != Checks::default() || watch.is_some()).then(|| {
            let (reported, raced) = Default::default();
            let watch = watch.map(WatchedByte::new);
            Box::new(Sanitizer { checks, clock: 0, reported, raced, findings: Vec::new(), watch })
        })
    }

    pub(crate) fn last_store(&self) -> Option<LaneStore> {
        self.watch.as_ref()?.last
    }

    /// Whether the watched byte was stored to since the last call.
    pub(crate) fn take_watch_hit(&mut self) -> bool {
        self.watch.as_mut().is_some_and(WatchedByte::take_hit)
    }

    pub(crate) fn group(&self, local_bytes: usize, limits: &Limits) -> GroupShadow {
        GroupShadow { local: LocalShadow::new(local_bytes, limits.max_shadow), barrier: 0 }
    }

    /// The initial shadow state of a wave whose registers `set` the launch has initialized.
    pub(crate) fn wave(&self, program: &Program, set: &[(u8, u32)]) -> WaveShadow {
        WaveShadow { written: WrittenRegisters::new(program.registers, set), acquired: 0 }
    }

    /// All waves of a workgroup have arrived at a barrier.
    pub(crate) fn barrier(&mut self, group: &mut GroupShadow) {
        self.clock += 1;
        group.barrier = self.clock;
    }

    /// Checks an operation that is about to execute.
    pub(crate) fn before<const W: usize>(
        &mut self,
        at: &VisitContext<'_, W>,
        group: &mut GroupShadow,
        wave: &mut WaveShadow,
    ) -> Vec<Finding> {
        self.clock = self.clock.saturating_add(1);
        if self.checks.uninitialized {
            self.unwritten_registers(at, wave);
        }
        match at.op.action {
            _ if at.executed == 0 => {}
            Action::Load { space: Space::Local, bytes, address, .. } => {
                self.access(at, AccessKind::Load, (address, bytes.into()), group, wave);
            }
            Action::Store { space: Space::Local, bytes, address, value } => {
                self.access(at, AccessKind::Store(value), (address, bytes.into()), group, wave);
            }
            Action::Atomic { space: Space::Local, address, .. } => {
                self.access(at, AccessKind::Atomic, (address, 4), group, wave);
            }
            Action::Store { space: Space::Device, bytes, address, .. } => {
                self.stored_in_device_memory(at, bytes.into(), address);
            }
            Action::Atomic { space: Space::Device, address, .. } => {
                self.stored_in_device_memory(at, 4, address);
            }
            Action::Matrix(op) => self.tile(at, op, group, wave),
            Action::Binary { op: Binary::Divide | Binary::Remainder, b, .. } if self.checks.division => {
                self.division(at, b);
            }
            Action::Shuffle { kind, lane, .. } => self.shuffle(at, kind, lane),
            Action::Ballot { condition, .. } => self.ballot(at, condition),
            _ => {}
        }
        if let Action::Atomic { d: Some(_), .. } | Action::Acquire = at.op.action
            && at.executed != 0
        {
            self.clock = self.clock.saturating_add(1);
            wave.acquired = self.clock;
        }
        std::mem::take(&mut self.findings)
    }

    fn stored_in_device_memory<const W: usize>(
        &mut self,
        at: &VisitContext<'_, W>,
        bytes: u64,
        address: Row,
    ) {
        if let Some(watch) = &mut self.watch {
            let addresses = at.state.rows.get(address);
            let stores = lanes(at.executed).map(|lane| (lane as u32, u64::from(addresses[lane])));
            let warp = WarpId { cta: at.position.workgroup, warp: at.position.wave };
            watch.stored(StatementId(at.pc), warp, bytes, stores);
        }
    }

    fn unwritten_registers<const W: usize>(&mut self, at: &VisitContext<'_, W>, wave: &mut WaveShadow) {
        let guard = at.op.guard.map(|guard| guard.predicate);
        let named = &at.program.named[at.pc as usize];
        let mut found = Vec::new();
        wave.written.check(named, guard, (at.active, at.executed), |cell, lanes| found.push((cell, lanes)));
        for (cell, lanes) in found {
            let (name, number) = match cell {
                Cell::General(index) => (format!("r{index}"), u32::from(index)),
                Cell::Predicate(index) => (format!("p{index}"), 256 + u32::from(index)),
            };
            let message = format!(
                "`{name}` in {}, but only other lanes have written it\nit holds 0 here and is undefined on machines that do not clear registers: assign it in all lanes first",
                LaneSet(lanes)
            );
            self.report(at, FindingKind::UninitializedRead, number, lanes, message);
        }
    }

    /// Lanes access local memory: each one `bytes` bytes at the address in a row.
    fn access<const W: usize>(
        &mut self,
        at: &VisitContext<'_, W>,
        kind: AccessKind,
        (address, bytes): (Row, usize),
        group: &mut GroupShadow,
        wave: &WaveShadow,
    ) {
        let addresses = at.state.rows.get(address);
        let mut unwritten = 0;
        let mut first = None;
        let mut races: Vec<(Conflict, usize, usize)> = Vec::new();
        for lane in lanes(at.executed) {
            let start = addresses[lane] as usize;
            if start.checked_add(bytes).is_none_or(|end| end > at.local.len()) {
                continue;
            }
            let silent =
                matches!(kind, AccessKind::Store(values) if is_unchanged(at, values, lane, start, bytes));
            let access = Access { silent, ..self.access_of(at, lane, kind, group.barrier, wave.acquired) };
            if self.checks.uninitialized && kind.reads() && !group.local.is_written(start, bytes) {
                unwritten |= 1 << lane;
                first.get_or_insert((lane, start));
            }
            let conflict = group.local.touch(start, bytes, &access);
            if let Some(conflict) = conflict.filter(|_| self.checks.races) {
                races.push((conflict, lane, start));
            }
        }
        if let Some((lane, start)) = first {
            let message = format!(
                "local memory at offset {start}, before any thread writes it\nlane {lane} reads it; it holds 0 here and is undefined elsewhere: initialize it, and put a `barrier` between the store and this read"
            );
            self.report(at, FindingKind::UninitializedRead, u32::MAX, unwritten, message);
        }
        // One finding for each conflicting statement.
        while let Some((Conflict { before, .. }, ..)) = races.first() {
            let statement = before.statement;
            let (with, others): (Vec<_>, Vec<_>) =
                races.into_iter().partition(|(conflict, ..)| conflict.before.statement == statement);
            let different = with
                .iter()
                .position(|(conflict, lane, start)| !same(at, kind, conflict, *lane, *start, bytes));
            let (conflict, lane, start) = &with[different.unwrap_or(0)];
            let wave = conflict.before.wave;
            let lanes = with
                .iter()
                .filter(|(conflict, ..)| conflict.before.wave == wave)
                .fold([0; 2], |all, one| [all[0] | 1 << one.1, all[1] | 1 << one.0.before.lane]);
            self.race(at, kind, conflict, (*lane, *start), lanes, different.is_none());
            races = others;
        }
    }

    fn access_of<const W: usize>(
        &self,
        at: &VisitContext<'_, W>,
        lane: usize,
        kind: AccessKind,
        barrier: u32,
        acquired: u32,
    ) -> Access {
        let stamp = Stamp::new(self.clock, at.pc, at.position.wave, lane as u8);
        Access { stamp, kind, settled: barrier.max(acquired), silent: false }
    }

    /// Lanes access tiles of 4 x 4 words.
    fn tile<const W: usize>(
        &mut self,
        at: &VisitContext<'_, W>,
        op: Matrix,
        group: &mut GroupShadow,
        wave: &WaveShadow,
    ) {
        let (address, stride, kind) = match op {
            Matrix::LoadA { address, stride, .. } | Matrix::LoadB { address, stride, .. } => {
                (address, stride, AccessKind::Load)
            }
            Matrix::StoreC { address, stride, .. } => (address, stride, AccessKind::Tile),
            Matrix::Compute { .. } => return,
        };
        for lane in lanes(at.executed) {
            let [address, stride] = [address, stride].map(|row| at.state.rows.get(row)[lane]);
            for row in 0..4u32 {
                let start = address.wrapping_add(stride.wrapping_mul(row)) as usize;
                if start.checked_add(16).is_none_or(|end| end > at.local.len()) {
                    continue;
                }
                let access = self.access_of(at, lane, kind, group.barrier, wave.acquired);
                let conflict = group.local.touch(start, 16, &access).filter(|_| self.checks.races);
                if let Some(conflict) = conflict {
                    let lanes = [1 << lane, 1 << conflict.before.lane];
                    self.race(at, kind, &conflict, (lane, start), lanes, false);
                }
            }
        }
    }

    /// Reports two unordered accesses once, at the later statement in the text. `lanes` are the lanes of this
    /// operation and of the earlier access.
    fn race<const W: usize>(
        &mut self,
        at: &VisitContext<'_, W>,
        access: AccessKind,
        conflict: &Conflict,
        (lane, start): (usize, usize),
        lanes: [Mask; 2],
        same: bool,
    ) {
        let before = conflict.before;
        let own = before.wave == at.position.wave;
        let (kind, severity) = match (same, own) {
            // The lanes of one store write the same value, so the result does not depend on their order.
            (true, true) => return,
            (true, false) => (FindingKind::SameValueRace, Severity::Information),
            // Lanes store in order here, but the specification leaves the order open.
            (false, true) => (FindingKind::DataRace, Severity::Warning),
            (false, false) => (FindingKind::DataRace, Severity::Error),
        };
        let reads = access.reads() && access != AccessKind::Atomic;
        let here =
            Side { statement: at.pc, wave: at.position.wave, lane: lane as u32, lanes: lanes[0], reads };
        let there = Side::of(conflict, lanes[1]);
        let (first, last) = if there.statement > here.statement { (here, there) } else { (there, here) };
        // One store writes the same value from several waves, so the value is only replicated.
        if same && here.statement == there.statement {
            return;
        }
        // A pair that is reported as a data race is not also reported as a same-value race.
        let pair = (first.statement, last.statement);
        if !self.raced.insert((kind, pair)) || same && self.raced.contains(&(FindingKind::DataRace, pair)) {
            return;
        }
        let one_store = first.statement == last.statement && !first.reads;
        let geometry = at.position.geometry;
        let thread = |side: Side| RacingThread {
            thread: thread_of(side.wave, side.lane, geometry.width, geometry.workgroup),
            block: at.position.workgroup,
            lane: side.lane,
            warp: side.wave,
            group: "wave",
            reads: side.reads,
        };
        let race = RaceReport {
            same_value: same,
            memory: "Local",
            object: &format!("local memory at offset {start}"),
            later: thread(last),
            earlier: thread(first),
            earlier_statement: StatementId(first.statement),
            missing: if own { "the last writer wins" } else { "no `barrier` between" },
            fix: fix_of(same, own, one_store),
        };
        let wave = WarpId { cta: at.position.workgroup, warp: last.wave };
        let finding = wave.finding(kind, race.message(), last.statement, last.lanes).with_severity(severity);
        let racing = Some(if own { RaceScope::Warp } else { RaceScope::Block });
        self.findings.push(Finding { racing, ..finding.with([race.related()]) });
    }

    fn division<const W: usize>(&mut self, at: &VisitContext<'_, W>, divisor: Row) {
        let row = at.state.rows.get(divisor);
        let zero = filter_lanes(at.executed, |lane| row[lane] == 0);
        if zero != 0 {
            let message =
                format!("in {}\nthe result is undefined (0 here); guard the instruction", LaneSet(zero));
            self.report(at, FindingKind::DivisionByZero, u32::MAX, zero, message);
        }
    }

    fn shuffle<const W: usize>(&mut self, at: &VisitContext<'_, W>, kind: Shuffle, lane: Row) {
        let operands = at.state.rows.get(lane);
        let width = at.position.geometry.width;
        let stray = filter_lanes(at.executed, |lane| {
            let from = kind.source(lane as u32, operands[lane], width);
            from < width && at.executed >> from & 1 == 0
        });
        if stray != 0 {
            let message = format!(
                "the shuffle in {}\nthe result is undefined (here the current register value of the inactive lane); execute the shuffle in all source lanes",
                LaneSet(stray)
            );
            self.report(at, FindingKind::ShuffleInactive, u32::MAX, stray, message);
        }
    }

    /// The result of a ballot has 32 bits, so lanes from 32 on are lost.
    fn ballot<const W: usize>(&mut self, at: &VisitContext<'_, W>, condition: Condition) {
        let lost = at.state.holds(condition) & at.executed & !Mask::from(u32::MAX);
        if lost != 0 {
            let message = format!(
                "the predicate is true in {}\nthe result has 32 bits and omits them; launch waves of at most 32 lanes, or count with `wave_reduce_add`",
                LaneSet(lost)
            );
            self.report(at, FindingKind::BallotWidth, u32::MAX, lost, message);
        }
    }

    fn report<const W: usize>(
        &mut self,
        at: &VisitContext<'_, W>,
        kind: FindingKind,
        other: u32,
        lanes: Mask,
        message: String,
    ) {
        if self.reported.insert((kind, at.pc, other)) {
            let wave = WarpId { cta: at.position.workgroup, warp: at.position.wave };
            self.findings.push(wave.finding(kind, message, at.pc, lanes));
        }
    }
}

#[derive(Clone, Copy)]
struct Side {
    statement: u32,
    wave: u32,
    lane: u32,
    lanes: Mask,
    reads: bool,
}

impl Side {
    /// The earlier access of a conflict.
    fn of(conflict: &Conflict, lanes: Mask) -> Side {
        let before = conflict.before;
        let (wave, lane) = (before.wave, before.lane.into());
        Side { statement: before.statement, wave, lane, lanes, reads: conflict.was_read }
    }
}

/// What fixes a race. `own` says whether both lanes are in one wave, `one_store` whether one statement stores
/// from several threads.
fn fix_of(same: bool, own: bool, one_store: bool) -> &'static str {
    match (same, own) {
        (true, _) => "the stored value is unchanged, so the result does not depend on the order",
        (_, true) => "the order is unspecified: let one lane store, or use a distinct address per lane",
        _ if one_store => "let one thread store, use a distinct address per thread, or use an atomic",
        _ => "put a `barrier` that all waves execute between the two accesses",
    }
}

/// Whether a store writes the value that memory already has, or that the other lane of the same store writes.
fn same<const W: usize>(
    at: &VisitContext<'_, W>,
    kind: AccessKind,
    conflict: &Conflict,
    lane: usize,
    start: usize,
    bytes: usize,
) -> bool {
    let AccessKind::Store(values) = kind else { return false };
    if conflict.before.wave == at.position.wave {
        let other = stored(at, values, conflict.before.lane.into());
        return stored(at, values, lane)[..bytes] == other[..bytes];
    }
    is_unchanged(at, values, lane, start, bytes)
}

/// Whether a lane stores what memory holds already.
fn is_unchanged<const W: usize>(
    at: &VisitContext<'_, W>,
    values: [Row; 4],
    lane: usize,
    start: usize,
    bytes: usize,
) -> bool {
    at.local[start..start + bytes] == stored(at, values, lane)[..bytes]
}

/// The bytes of the rows that a lane stores.
fn stored<const W: usize>(at: &VisitContext<'_, W>, values: [Row; 4], lane: usize) -> [u8; 16] {
    let mut all = [0; 16];
    for (bytes, row) in all.chunks_exact_mut(4).zip(values) {
        bytes.copy_from_slice(&at.state.rows.get(row)[lane].to_le_bytes());
    }
    all
}
