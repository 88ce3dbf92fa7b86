//! Value traces of a wave: the registers of each statement after its last visit, and the divergence stack.

use warplens_sim_warp::record::Recorder;
use warplens_sim_warp::recording::{Tap, WarpTap};
use warplens_sim_warp::trace::{Mask, RegisterValues, StatementId, WarpId};
use warplens_sim_warp::value_tracer::{RegisterInfo, TracedValue, VisitTracer};
use warplens_sim_warp::values::{LaneAccesses, StackEntry, TraceRequest, Values};

use super::op::{PREDICATES, Row};
use super::program::{Cell, Named, Program};
use super::sanitizer::WrittenRegisters;
use super::state::State;

#[derive(Clone, Debug)]
pub(crate) struct ValueTracer {
    visits: VisitTracer,
    written: WrittenRegisters,
}

impl ValueTracer {
    /// Traces a wave of a program with these numbers of statements and registers. The launch has initialized
    /// the registers `set`.
    pub(crate) fn new(
        statements: usize,
        registers: u16,
        request: &TraceRequest,
        set: &[(u8, u32)],
    ) -> ValueTracer {
        ValueTracer {
            visits: VisitTracer::new(statements, request),
            written: WrittenRegisters::new(registers, set),
        }
    }

    /// A tracer that sends the steps of a wave to a recording, the initial registers first.
    pub(crate) fn recording(tap: &Tap, wave: WarpId, registers: u16, set: &[(u8, u32)]) -> ValueTracer {
        let tap = tap.of(wave);
        for (register, value) in set {
            tap.starts_with(&Cell::General(*register).name(), (*value).into());
        }
        ValueTracer {
            visits: VisitTracer::recording(tap, wave),
            written: WrittenRegisters::new(registers, set),
        }
    }

    /// The wave's part of a recording.
    pub(crate) fn tap(&mut self) -> Option<&mut WarpTap> {
        self.visits.tap.as_mut()
    }

    /// A tracer that sends the further steps of a wave, whose earlier ones `recorder` has counted, to a recording.
    pub(crate) fn joining(
        tap: &Tap,
        wave: WarpId,
        program: &Program,
        set: &[(u8, u32)],
        recorder: &Recorder,
    ) -> ValueTracer {
        let written = written_before(program, set, recorder);
        ValueTracer { visits: VisitTracer::recording(tap.of(wave), wave), written }
    }

    pub(crate) fn has_register(&self, register: u8) -> bool {
        self.written.has(register.into())
    }

    /// Lanes get a value of a register.
    pub(crate) fn wrote(&mut self, named: &Named, lanes: Mask) {
        self.written.write(named, lanes);
    }

    /// Called before an operation: if it is the requested step, records its registers and accesses.
    pub(crate) fn before<const W: usize>(
        &mut self,
        named: &[Named],
        state: &State<W>,
        accesses: impl FnOnce() -> Option<LaneAccesses>,
    ) {
        if let Some(moment) = self.visits.moment.as_mut().filter(|moment| moment.is_due()) {
            moment.before(registers(&self.written, named, state));
            moment.accesses(accesses().into_iter().collect());
        }
    }

    /// The current step stored to the watched byte.
    pub(crate) fn stored(&mut self) {
        if let Some(moment) = &mut self.visits.moment {
            moment.stored();
        }
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.visits.is_complete()
    }

    /// Records a finished visit. `named` lists the registers that each statement names; `stack` is present
    /// for control operations.
    pub(crate) fn visited<const W: usize>(
        &mut self,
        named: &[Box<[Named]>],
        statement: StatementId,
        (active, executed): (Mask, Mask),
        state: &State<W>,
        stack: Option<Box<[StackEntry]>>,
    ) {
        let named = &named[statement.index()];
        if let Some(moment) = &mut self.visits.moment {
            let writes = named.iter().filter(|named| named.written);
            writes.for_each(|named| self.written.write(named, executed));
            moment.visited(statement, (active, executed), || registers(&self.written, named, state));
            return;
        }
        if !self.visits.visit(statement, (active, executed), stack) {
            return;
        }
        named.iter().filter(|named| named.written).for_each(|named| self.written.write(named, executed));
        let bytes = |named: &Named| W * size_of::<u64>() * (1 + usize::from(named.count > 2));
        // A recording needs only what is written.
        let is_recording = self.visits.is_recording();
        let values = self.visits.values(statement, named.len(), named.iter().map(bytes).sum());
        for (value, named) in values.iter_mut().zip(named).filter(|(_, named)| named.written || !is_recording)
        {
            *value = read(&self.written, named, state);
        }
        self.visits.record(statement);
    }

    /// The trace; `None` if the steps were sent to a recording.
    pub(crate) fn finish(self, named: &[Box<[Named]>]) -> Option<Values> {
        let visits = Some(self.visits).filter(|visits| !visits.is_recording())?;
        let values = visits.finish(|statement| named[statement.index()].iter().map(Named::info));
        Some(values)
    }
}

/// The registers that a wave has written, whose steps `recorder` has counted, and those in `set`, which the launch has initialized.
pub(crate) fn held<const W: usize>(
    program: &Program,
    set: &[(u8, u32)],
    recorder: &Recorder,
    state: &State<W>,
) -> Vec<RegisterValues> {
    registers(&written_before(program, set, recorder), &[], state)
}

fn written_before(program: &Program, set: &[(u8, u32)], recorder: &Recorder) -> WrittenRegisters {
    let mut written = WrittenRegisters::new(program.registers, set);
    for (named, executed) in program.named.iter().zip(recorder.executed()) {
        named.iter().filter(|named| named.written).for_each(|named| written.write(named, executed));
    }
    written
}

fn read<const W: usize>(written: &WrittenRegisters, named: &Named, state: &State<W>) -> TracedValue {
    let known = written.lanes(named.cell);
    match named.cell {
        Cell::Predicate(predicate) => {
            let mask = state.predicates[usize::from(predicate)];
            TracedValue { known, low: (0..W).map(|lane| mask >> lane & 1).collect(), high: Box::default() }
        }
        Cell::General(first) => {
            let word = |at: u8| {
                let register = u16::from(first) + u16::from(at);
                (at < named.count && written.has(register)).then(|| state.rows.get(Row::from(register)))
            };
            let pair = |low: u8| {
                let [low, high] = [word(low), word(low + 1)];
                let half = |row: Option<&[u32; W]>, lane: usize| row.map_or(0, |row| u64::from(row[lane]));
                (0..W).map(|lane| half(low, lane) | half(high, lane) << 32).collect()
            };
            let high = if named.count > 2 { pair(2) } else { Box::default() };
            TracedValue { known, low: pair(0), high }
        }
    }
}

/// All registers: first the ones that the operation names, in the width that it uses, then the others.
fn registers<const W: usize>(
    written: &WrittenRegisters,
    named: &[Named],
    state: &State<W>,
) -> Vec<RegisterValues> {
    let single = |cell: Cell| Named { cell, count: 1, read: false, written: false };
    let predicates = (0..PREDICATES as u8).map(|number| single(Cell::Predicate(number)));
    let general = (0..=u8::MAX).take_while(|number| written.has(u16::from(*number)));
    let others = predicates.chain(general.map(|number| single(Cell::General(number))));
    let others = others.filter(|other| named.iter().all(|named| named.cell != other.cell));
    let value = |named: Named| {
        let TracedValue { known, low, high } = read(written, &named, state);
        let RegisterInfo { name, bits, .. } = named.info();
        let value = |lane: usize| {
            let high = high.get(lane).copied().unwrap_or(0);
            (known >> lane & 1 == 1).then(|| u128::from(low[lane]) | u128::from(high) << 64)
        };
        RegisterValues { name, bits, lanes: (0..W).map(value).collect() }
    };
    named.iter().copied().chain(others).map(value).collect()
}
