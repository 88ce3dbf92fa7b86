//! The watch over a workgroup: waves that meet in local memory with nothing between to order them, and lanes that read what
//! nobody wrote.
//!
//! An operation passes by here before it acts, if the run was asked to look; a run that was not pays nothing. Lanes of a wave go
//! in step, so only other waves race with it, and lanes of one store. What orders waves: a barrier, and an atomic whose result a
//! wave takes or a fence that acquires, which is taken to order everything before it. Rather too few races are found than one
//! that is none.

mod local;
mod registers;

use rustc_hash::FxHashSet;

use crate::Lanes;
use crate::trace::{Checks, Finding, Limits, Mask, Related, Severity, StatementId};

use self::local::{Access, Clash, Deed, Local, Stamp};
pub(crate) use self::registers::Written;
use super::lanes::lanes;
use super::program::{Action, Binary, Cell, Matrix, Op, Program, Row, Shuffle, Space};
use super::state::{Place, State};

/// The watch of a run.
#[derive(Debug)]
pub(crate) struct Watch {
    checks: Checks,
    /// Goes on with every operation that is watched.
    clock: u32,
    /// What was told: code, statement, and the other statement or the register.
    reported: FxHashSet<(&'static str, u32, u32)>,
    /// Races that were told: code, and the two statements in the order of the text.
    raced: FxHashSet<(&'static str, (u32, u32))>,
}

/// What is known of a workgroup.
#[derive(Debug)]
pub(crate) struct GroupWatch {
    local: Local,
    /// Accesses before this moment lie before a barrier.
    barrier: u32,
}

/// What is known of a wave.
#[derive(Debug)]
pub(crate) struct WaveWatch {
    written: Written,
    /// Accesses before this moment are ordered before what the wave does.
    acquired: u32,
}

/// A wave about to act.
pub(crate) struct Moment<'m, const W: usize> {
    pub(crate) program: &'m Program,
    pub(crate) op: &'m Op,
    pub(crate) pc: u32,
    pub(crate) place: &'m Place,
    pub(crate) active: Mask,
    pub(crate) executed: Mask,
    pub(crate) state: &'m State<W>,
    pub(crate) local: &'m [u8],
}

impl Watch {
    /// The watch of a run that is asked to look.
    pub(crate) fn new(checks: Checks) -> Option<Box<Watch>> {
        let watch = Watch { checks, clock: 0, reported: FxHashSet::default(), raced: FxHashSet::default() };
        (checks != Checks::default()).then(|| Box::new(watch))
    }

    /// What is known of a workgroup at its start.
    pub(crate) fn group(&self, local_bytes: usize, limits: &Limits) -> GroupWatch {
        GroupWatch { local: Local::new(local_bytes, limits.max_shadow), barrier: 0 }
    }

    /// What is known of a wave at its start, when the launch has put something into registers.
    pub(crate) fn wave(&self, program: &Program, set: &[(u8, u32)]) -> WaveWatch {
        WaveWatch { written: Written::new(program, set), acquired: 0 }
    }

    /// All waves of a workgroup have come to a barrier.
    pub(crate) fn barrier(&mut self, group: &mut GroupWatch) {
        self.clock += 1;
        group.barrier = self.clock;
    }

    /// An operation is about to act.
    pub(crate) fn before<const W: usize>(
        &mut self,
        at: &Moment<'_, W>,
        group: &mut GroupWatch,
        wave: &mut WaveWatch,
    ) -> Vec<Finding> {
        let mut news = Vec::new();
        self.clock = self.clock.saturating_add(1);
        if self.checks.uninitialized {
            self.unwritten_registers(at, wave, &mut news);
        }
        match at.op.action {
            _ if at.executed == 0 => {}
            Action::Load { space: Space::Local, bytes, address, .. } => {
                self.access(at, Deed::Load, (address, bytes.into()), group, wave, &mut news);
            }
            Action::Store { space: Space::Local, bytes, address, value } => {
                self.access(at, Deed::Store(value), (address, bytes.into()), group, wave, &mut news);
            }
            Action::Atomic { space: Space::Local, address, .. } => {
                self.access(at, Deed::Atomic, (address, 4), group, wave, &mut news);
            }
            Action::Matrix(op) => self.tile(at, op, group, wave, &mut news),
            Action::Binary { op: Binary::Divide | Binary::Remainder, b, .. } if self.checks.division => {
                self.division(at, b, &mut news);
            }
            Action::Shuffle { kind, lane, .. } => self.shuffle(at, kind, lane, &mut news),
            _ => {}
        }
        if let Action::Atomic { d: Some(_), .. } | Action::Acquire = at.op.action
            && at.executed != 0
        {
            self.clock = self.clock.saturating_add(1);
            wave.acquired = self.clock;
        }
        news
    }

    fn unwritten_registers<const W: usize>(
        &mut self,
        at: &Moment<'_, W>,
        wave: &mut WaveWatch,
        news: &mut Vec<Finding>,
    ) {
        let guard = at.op.guard.map(|guard| guard.predicate);
        let named = &at.program.named[at.pc as usize];
        let mut found = Vec::new();
        wave.written.read(named, guard, (at.active, at.executed), |cell, lanes| found.push((cell, lanes)));
        for (cell, lanes) in found {
            let (name, number) = match cell {
                Cell::General(index) => (format!("r{index}"), u32::from(index)),
                Cell::Predicate(index) => (format!("p{index}"), 256 + u32::from(index)),
            };
            let message = format!(
                "`{name}` is read in {} but was written in other lanes only; it holds 0 there, or anything on a machine that does not clear registers: give it a value in all lanes first",
                Lanes(lanes)
            );
            self.report(at, "uninitialized-read", Severity::Warning, number, lanes, message, news);
        }
    }

    /// Lanes that reach for local memory: each for so many bytes at the address in a row.
    fn access<const W: usize>(
        &mut self,
        at: &Moment<'_, W>,
        deed: Deed,
        (address, bytes): (Row, usize),
        group: &mut GroupWatch,
        wave: &WaveWatch,
        news: &mut Vec<Finding>,
    ) {
        let addresses = at.state.rows.get(address);
        let mut unwritten = 0;
        let mut first = None;
        let mut races: Vec<(Clash, usize, usize)> = Vec::new();
        for lane in lanes(at.executed) {
            let start = addresses[lane] as usize;
            if start.checked_add(bytes).is_none_or(|end| end > at.local.len()) {
                continue;
            }
            let access = self.one(at, lane, deed, group.barrier, wave.acquired);
            if self.checks.uninitialized && deed.reads() && !group.local.is_written(start, bytes) {
                unwritten |= 1 << lane;
                first.get_or_insert((lane, start));
            }
            let clash = group.local.touch(start, bytes, &access);
            if let Some(clash) = clash.filter(|_| self.checks.races) {
                races.push((clash, lane, start));
            }
        }
        if let Some((lane, start)) = first {
            let message = format!(
                "lane {lane} reads local memory at offset {start}, which no thread of the workgroup has written; it holds 0 here, and anything elsewhere: store to it first, and put a `barrier` behind the store"
            );
            self.report(at, "uninitialized-read", Severity::Warning, u32::MAX, unwritten, message, news);
        }
        // One finding for each statement that is raced with.
        while let Some((Clash { before, .. }, ..)) = races.first() {
            let statement = before.statement();
            let (with, others): (Vec<_>, Vec<_>) =
                races.into_iter().partition(|(clash, ..)| clash.before.statement() == statement);
            let different =
                with.iter().position(|(clash, lane, start)| !same(at, deed, clash, *lane, *start, bytes));
            let (clash, lane, start) = &with[different.unwrap_or(0)];
            let wave = clash.before.wave();
            let lanes = with
                .iter()
                .filter(|(clash, ..)| clash.before.wave() == wave)
                .fold([0; 2], |all, one| [all[0] | 1 << one.1, all[1] | 1 << one.0.before.lane()]);
            self.race(at, deed, clash, (*lane, *start), lanes, different.is_none(), news);
            races = others;
        }
    }

    fn one<const W: usize>(
        &self,
        at: &Moment<'_, W>,
        lane: usize,
        deed: Deed,
        barrier: u32,
        acquired: u32,
    ) -> Access {
        let stamp = Stamp::new(self.clock, at.pc, at.place.wave, lane as u8);
        Access { stamp, deed, settled: barrier.max(acquired) }
    }

    /// Tiles of 4 x 4 words.
    fn tile<const W: usize>(
        &mut self,
        at: &Moment<'_, W>,
        op: Matrix,
        group: &mut GroupWatch,
        wave: &WaveWatch,
        news: &mut Vec<Finding>,
    ) {
        let (address, stride, deed) = match op {
            Matrix::LoadA { address, stride, .. } | Matrix::LoadB { address, stride, .. } => {
                (address, stride, Deed::Load)
            }
            Matrix::StoreC { address, stride, .. } => (address, stride, Deed::Tile),
            Matrix::Compute { .. } => return,
        };
        for lane in lanes(at.executed) {
            let [address, stride] = [address, stride].map(|row| at.state.rows.get(row)[lane]);
            for row in 0..4u32 {
                let start = address.wrapping_add(stride.wrapping_mul(row)) as usize;
                if start.checked_add(16).is_none_or(|end| end > at.local.len()) {
                    continue;
                }
                let access = self.one(at, lane, deed, group.barrier, wave.acquired);
                let clash = group.local.touch(start, 16, &access).filter(|_| self.checks.races);
                if let Some(clash) = clash {
                    let lanes = [1 << lane, 1 << clash.before.lane()];
                    self.race(at, deed, &clash, (lane, start), lanes, false, news);
                }
            }
        }
    }

    /// Two accesses that nothing orders: told once, where the later one stands in the text. `lanes` are those of this operation and
    /// those that were there before.
    #[expect(clippy::too_many_arguments, reason = "the parts of a finding")]
    fn race<const W: usize>(
        &mut self,
        at: &Moment<'_, W>,
        deed: Deed,
        clash: &Clash,
        (lane, start): (usize, usize),
        lanes: [Mask; 2],
        same: bool,
        news: &mut Vec<Finding>,
    ) {
        let before = clash.before;
        let own = before.wave() == at.place.wave;
        let (code, severity) = match (same, own) {
            // Lanes of one store that agree: there is nothing that could come out differently.
            (true, true) => return,
            (true, false) => ("same-value-race", Severity::Information),
            // Lanes act in order here; that the highest stays is only not promised.
            (false, true) => ("data-race", Severity::Warning),
            (false, false) => ("data-race", Severity::Error),
        };
        let reads = deed.reads() && deed != Deed::Atomic;
        let here = Side { statement: at.pc, wave: at.place.wave, lane: lane as u32, lanes: lanes[0], reads };
        let there = Side {
            statement: before.statement(),
            wave: before.wave(),
            lane: before.lane().into(),
            lanes: lanes[1],
            reads: clash.was_read,
        };
        let (first, last) = if there.statement > here.statement { (here, there) } else { (there, here) };
        // Of two that are told as a race, the harmless cases are not told too.
        let pair = (first.statement, last.statement);
        if !self.raced.insert((code, pair)) || same && self.raced.contains(&("data-race", pair)) {
            return;
        }
        let mend = match (same, own) {
            (true, _) => "what is there stays the same, so the outcome does not depend on who is first",
            (_, true) => {
                "which lane's value stays is not promised: let one lane store, or give each a place of its own"
            }
            _ if first.statement == last.statement && !first.reads => {
                "let one thread store, give each a place of its own, or use an atomic"
            }
            _ => "put a `barrier` between the two, on the way of all waves",
        };
        let other = match own {
            true => format!("lane {}", first.lane),
            false => format!("lane {} of wave {}", first.lane, first.wave),
        };
        let what = if same { "lane" } else { "data race: lane" };
        let does = if last.reads { "reads" } else { "writes" };
        let did = if first.reads { "read" } else { "wrote" };
        let message = format!(
            "{what} {} {does} local memory at offset {start} that {other} {did} with nothing between to order them; {mend}",
            last.lane
        );
        let related =
            Related { statement: StatementId(first.statement), message: format!("{other} {did} it here") };
        news.push(Finding {
            code,
            severity,
            message,
            statement: Some(StatementId(last.statement)),
            cta: at.place.workgroup,
            warp: last.wave,
            lanes: last.lanes,
            related: vec![related],
        });
    }

    fn division<const W: usize>(&mut self, at: &Moment<'_, W>, divisor: Row, news: &mut Vec<Finding>) {
        let row = at.state.rows.get(divisor);
        let zero = lanes(at.executed).filter(|lane| row[*lane] == 0).fold(0, |all, lane| all | 1 << lane);
        if zero != 0 {
            let message = format!(
                "division by zero in {}: what comes of it is not specified (0 here); keep them out with a guard",
                Lanes(zero)
            );
            self.report(at, "division-by-zero", Severity::Information, u32::MAX, zero, message, news);
        }
    }

    fn shuffle<const W: usize>(
        &mut self,
        at: &Moment<'_, W>,
        kind: Shuffle,
        lane: Row,
        news: &mut Vec<Finding>,
    ) {
        let operands = at.state.rows.get(lane);
        let width = at.place.geometry.width;
        let reads_absent = |lane: &usize| {
            let from = kind.source(*lane as u32, operands[*lane], width);
            from < width && at.executed >> from & 1 == 0
        };
        let stray = lanes(at.executed).filter(reads_absent).fold(0, |all, lane| all | 1 << lane);
        if stray != 0 {
            let message = format!(
                "the shuffle reads lanes that do not run it, in {}: what it gets is up to the machine (here, what the register holds there)",
                Lanes(stray)
            );
            self.report(at, "shuffle-inactive", Severity::Warning, u32::MAX, stray, message, news);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of a finding")]
    fn report<const W: usize>(
        &mut self,
        at: &Moment<'_, W>,
        code: &'static str,
        severity: Severity,
        other: u32,
        lanes: Mask,
        message: String,
        news: &mut Vec<Finding>,
    ) {
        if self.reported.insert((code, at.pc, other)) {
            news.push(Finding {
                code,
                severity,
                message,
                statement: Some(StatementId(at.pc)),
                cta: at.place.workgroup,
                warp: at.place.wave,
                lanes,
                related: Vec::new(),
            });
        }
    }
}

/// Who takes part in a race.
#[derive(Clone, Copy)]
struct Side {
    statement: u32,
    wave: u32,
    lane: u32,
    lanes: Mask,
    reads: bool,
}

/// Whether a store leaves what is there, or what the other lane of the same store leaves.
fn same<const W: usize>(
    at: &Moment<'_, W>,
    deed: Deed,
    clash: &Clash,
    lane: usize,
    start: usize,
    bytes: usize,
) -> bool {
    let Deed::Store(values) = deed else { return false };
    let stored = |lane: usize| -> Vec<u8> {
        values.iter().flat_map(|row| at.state.rows.get(*row)[lane].to_le_bytes()).take(bytes).collect()
    };
    if clash.before.wave() == at.place.wave {
        return stored(lane) == stored(clash.before.lane().into());
    }
    at.local[start..start + bytes] == stored(lane)
}
