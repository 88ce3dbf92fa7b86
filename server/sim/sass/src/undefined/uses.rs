//! Where undefined values matter: in branches, addresses, and stores that others see.
//!
//! There, an unwritten register is reported, and the value of an instruction that is not simulated stops the
//! run.

use warplens_sim_cuda::registers::lanes;
use warplens_sim_cuda::sanitizer::undefined_messages;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::lanes::LaneSet;
use warplens_sim_warp::trace::{Finding, Related};

use super::memory::UndefinedMemory;
use super::origins::{Cause, Origin};
use super::transfer::Results;
use super::visit::UndefinedVisit;
use super::{Key, UndefinedValues, UndefinedWord};
use crate::exec::ExecContext;
use crate::program::{Access, Atomic, Control, ControlUse, Op, Program, Space};
use crate::registers::{CC_ZERO, Registers, Row};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Guard,
    Address,
    Branch,
    Members,
    Barrier,
    Stored,
}

impl Part {
    /// The predicate of a sentence about the value.
    fn what(self) -> &'static str {
        match self {
            Part::Guard => "controls a predicate",
            Part::Address => "is used as an address",
            Part::Branch => "controls a branch",
            Part::Members => "is used as a member mask",
            Part::Barrier => "selects a barrier or its number of threads",
            Part::Stored => "is stored",
        }
    }
}

/// How a statement affects undefined values.
pub(crate) struct Effects {
    results: Results,
    /// Lanes that may have executed the statement.
    maybe: UndefinedWord,
    /// Findings about unwritten registers.
    pub(crate) findings: Vec<Finding>,
    /// The finding with which the run stops.
    pub(crate) stop: Option<Box<Finding>>,
}

impl UndefinedValues {
    /// Called before an operation: its undefined results, and the uses that matter.
    pub(crate) fn before(
        &self,
        visit: &UndefinedVisit<'_>,
        memory: &mut UndefinedMemory,
        r: &mut Registers,
        ctx: &mut ExecContext<'_>,
    ) -> Option<Effects> {
        let reads_memory = !memory.is_empty() && visit.operation().op.accesses_memory();
        if !reads_memory && !self.touches(visit) {
            return None;
        }
        let maybe = self.guard(visit, r);
        let mut effects = Effects { results: Results::new(), maybe, findings: Vec::new(), stop: None };
        if visit.operation().joins {
            let guard = effects.maybe.clone();
            self.used(visit, Part::Branch, &guard, memory, &mut effects);
        }
        match visit.operation().op.accesses_memory() {
            true => self.access(visit, &mut effects, memory, r, ctx),
            false => effects.results = self.results(visit, r, ctx),
        }
        Some(effects)
    }

    /// Called after an operation: marks the registers that it wrote.
    pub(crate) fn after(&mut self, visit: &UndefinedVisit<'_>, effects: &Effects) {
        self.write(visit, &effects.results, &effects.maybe);
    }

    fn access(
        &self,
        visit: &UndefinedVisit<'_>,
        effects: &mut Effects,
        memory: &mut UndefinedMemory,
        r: &Registers,
        ctx: &ExecContext<'_>,
    ) {
        let (operation, program, executed) = (visit.operation(), visit.program, visit.written);
        let mut stored = UndefinedWord::default();
        let (mut is_global, mut is_lost) = (false, false);
        match operation.op {
            Op::Load(access) | Op::LoadLocked(access) => {
                let access = &program.accesses[access];
                let words = memory.load(access, r, ctx, executed);
                effects.results = (0..).map(|element| access.row(element)).zip(words).collect();
            }
            Op::Store(access) | Op::StoreUnlock(access) => {
                let access = &program.accesses[access];
                let visible = memory.store(access, self, visit.statement, (r, ctx), executed);
                (stored, is_global, is_lost) = (visible.word, visible.is_global, visible.is_lost);
            }
            Op::Copy { from, .. } => stored = memory.any(&program.accesses[from], r, ctx, executed),
            Op::MatrixLoad(load) => {
                let load = &program.matrix_accesses[load];
                let row = Access::words(Space::Shared, load.address, 4);
                let words = memory.any(&row, r, ctx, executed).spread(executed);
                effects.results =
                    (load.data..load.data + Row::from(load.count)).map(|row| (row, words.clone())).collect();
            }
            Op::MatrixStore(store) => {
                let store = &program.matrix_accesses[store];
                let rows = store.data..store.data + Row::from(store.count);
                stored = UndefinedWord::any_of(rows.map(|row| self.read(row, visit.statement)));
            }
            Op::Atomic(atomic) => {
                let atomic = &program.atomics[atomic];
                stored = self.operands(atomic, visit.statement);
                stored.add(&memory.any(&Access::of_atomic(atomic), r, ctx, executed));
            }
            _ => {}
        }
        let address = self.address(visit).keep(executed);
        self.used(visit, Part::Address, &address, memory, effects);
        let writes = !matches!(operation.op, Op::Load(_) | Op::LoadConstant(_) | Op::MatrixLoad(_));
        if writes {
            let guard = effects.maybe.clone();
            self.used(visit, Part::Guard, &guard, memory, effects);
        }
        let stored = stored.keep(executed);
        let may_stay = matches!(operation.op, Op::Store(_) | Op::StoreUnlock(_)) && !is_lost;
        match origin_that_stops(&stored) {
            Some((origin, mask)) if may_stay && effects.stop.is_none() => {
                if is_global && memory.reported.insert((origin.statement.unwrap_or(0), visit.statement)) {
                    effects.findings.push(stored_unknown(visit, origin, mask));
                }
            }
            _ => self.used(visit, Part::Stored, &stored, memory, effects),
        }
    }

    fn address(&self, visit: &UndefinedVisit<'_>) -> UndefinedWord {
        let addresses = visit.program.addresses(visit.operation().op);
        let terms = addresses.iter().flat_map(|address| address.terms.iter().flatten());
        let rows = terms.flat_map(|term| term.row..=term.row + Row::from(term.wide));
        UndefinedWord::any_of(rows.map(|row| self.read(row, visit.statement)))
    }

    fn operands(&self, atomic: &Atomic, statement: u32) -> UndefinedWord {
        let words = atomic.ty.bits().div_ceil(32) as Row;
        let swaps = atomic.op == warplens_sim_cuda::address::AtomicOp::CompareSwap;
        let sources = atomic.b.into_iter().chain(swaps.then_some(atomic.c));
        let rows = sources.flat_map(|source| source.row..source.row + words);
        UndefinedWord::any_of(rows.map(|row| self.read(row, statement)))
    }

    /// Called before a control instruction: the uses that matter. `None` if it uses no undefined value.
    pub(crate) fn control(
        &self,
        visit: &UndefinedVisit<'_>,
        memory: &mut UndefinedMemory,
        r: &Registers,
    ) -> Option<Effects> {
        let (operation, statement) = (visit.operation(), visit.statement);
        let mut sources = match operation.op {
            Op::Control(control) => Some(control.sources()).into_iter().flatten(),
            _ => None.into_iter().flatten(),
        };
        let reads_undefined = |(_, first, words): (ControlUse, Row, u16)| {
            (first..first + words).any(|row| self.lanes_of(row) != 0)
        };
        if !self.touches(visit) && !sources.any(reads_undefined) {
            return None;
        }
        let maybe = self.guard(visit, r);
        let mut effects = Effects { results: Results::new(), maybe, findings: Vec::new(), stop: None };
        let Op::Control(control) = operation.op else { return Some(effects) };
        let mut condition = effects.maybe.clone();
        if !matches!(control, Control::Trap | Control::WarpSync(_) | Control::WarpSyncAll | Control::Yield) {
            let second = self.read(self.predicate(operation.p[0].predicate), statement);
            condition.add(&second.keep(visit.executed));
        }
        self.used(visit, Part::Branch, &condition, memory, &mut effects);
        let executed = visit.executed & operation.test.of(r);
        let executed = match control {
            Control::Block { .. } => executed,
            _ => executed & r.holds(operation.p[0]),
        };
        for (what, first, words) in control.sources() {
            let part = match what {
                ControlUse::Target => Part::Address,
                ControlUse::Members => Part::Members,
                ControlUse::Barrier => Part::Barrier,
            };
            let rows = UndefinedWord::any_of((first..first + words).map(|row| self.read(row, statement)));
            self.used(visit, part, &rows.keep(executed), memory, &mut effects);
        }
        Some(effects)
    }

    /// Lanes use an undefined value.
    fn used(
        &self,
        visit: &UndefinedVisit<'_>,
        part: Part,
        word: &UndefinedWord,
        memory: &mut UndefinedMemory,
        effects: &mut Effects,
    ) {
        if effects.stop.is_some() {
            return;
        }
        if let Some((origin, mask)) = origin_that_stops(word) {
            effects.stop = Some(Box::new(needs_unknown(visit, part, origin, mask)));
            return;
        }
        let Some(lane) = lanes(word.lanes()).next() else { return };
        let Some((mask, origin)) = word.origins.iter().find(|(mask, _)| mask >> lane & 1 != 0) else {
            return;
        };
        let mask = mask & word.lanes();
        if memory.reported.insert((origin.statement.unwrap_or(0), visit.statement)) {
            effects.findings.extend(self.undefined(visit, part, origin, mask));
        }
    }

    /// The finding about an undefined value, reported at its origin.
    fn undefined(
        &self,
        visit: &UndefinedVisit<'_>,
        part: Part,
        origin: Origin,
        mask: u32,
    ) -> Option<Finding> {
        let (kind, message) = match origin.cause {
            Cause::Unwritten(key) => {
                let name = self.name(visit.program, key);
                (FindingKind::UninitializedRead, undefined_messages::register(&name, mask, part.what()))
            }
            Cause::Shuffle(inactive) => (
                FindingKind::ShuffleInactive,
                undefined_messages::shuffle(&inactive, inactive.readers, part.what()),
            ),
            Cause::NotSimulated => return None,
        };
        let statement = origin.statement.unwrap_or(visit.statement);
        let elsewhere = (statement != visit.statement)
            .then(|| Related::new(visit.statement, format!("the value {} here", part.what())));
        Some(visit.warp.finding(kind, message, statement, mask).with(elsewhere))
    }

    fn name(&self, program: &Program, key: Key) -> String {
        let (first, _) = program.layout.uniform;
        match key.checked_sub(self.predicate(0)) {
            Some(predicate) if predicate < 7 => format!("P{predicate}"),
            Some(predicate) if predicate >= Key::from(CC_ZERO) => "CC".to_owned(),
            Some(predicate) => format!("UP{}", predicate - 8),
            None if key < program.layout.general => format!("R{key}"),
            None => format!("UR{}", key - first),
        }
    }
}

/// The lanes whose value depends on an instruction that is not simulated, and that instruction.
fn origin_that_stops(word: &UndefinedWord) -> Option<(Origin, u32)> {
    let mask = word.stopping_lanes();
    word.origins.any_in(mask).map(|origin| (origin, mask))
}

/// A branch or an address needs an unknown value.
fn needs_unknown(visit: &UndefinedVisit<'_>, part: Part, origin: Origin, mask: u32) -> Finding {
    unknown_value(visit, origin, mask, |note, lanes| {
        format!(
            "an unknown value {} in {lanes}\nit comes from the unsupported instruction {note}; the run stops here",
            part.what()
        )
    })
}

/// A buffer receives an unknown value.
fn stored_unknown(visit: &UndefinedVisit<'_>, origin: Origin, mask: u32) -> Finding {
    unknown_value(visit, origin, mask, |note, lanes| {
        format!(
            "an unknown value is stored in {lanes}\nthese elements do not have the values of the kernel; they come from the \
             unsupported instruction {note}"
        )
    })
}

/// A finding about an unknown value; the message gets the instruction that is not simulated, and the lanes.
fn unknown_value(
    visit: &UndefinedVisit<'_>,
    origin: Origin,
    mask: u32,
    message: impl FnOnce(&str, LaneSet) -> String,
) -> Finding {
    let operation = origin.statement.and_then(|statement| visit.program.code.get(statement as usize));
    let note = match operation.map(|operation| operation.op) {
        Some(Op::Unknown(unknown)) => &visit.program.unknowns[unknown].note,
        _ => "",
    };
    let message = message(note, LaneSet(mask.into()));
    let from = origin.statement.map(|statement| Related::new(statement, "the value is computed here"));
    visit.warp.finding(FindingKind::Unsupported, message, visit.statement, mask).with(from)
}
