//! Traces a warp's values: reads the registers that its statements name.

use warplens_sim_cuda::registers::{PerLane, Registers, WIDTH};
use warplens_sim_warp::moment::MomentTracer;
use warplens_sim_warp::recording::WarpTap;
use warplens_sim_warp::trace::{RegisterValues, StatementId};
use warplens_sim_warp::value_tracer::{RegisterInfo, TracedValue, VisitTracer};
use warplens_sim_warp::values::Values;

use super::frame::Frame;
use super::operand::get;
use crate::program::{Function, Program, Register, RegisterSlot};

/// Bytes per traced register.
const VALUE_BYTES: usize = size_of::<(u64, PerLane<u64>, u64)>();

#[derive(Clone, Debug)]
pub(crate) struct ValueTracer(pub(crate) VisitTracer);

impl ValueTracer {
    /// The warp's part of a recording, for what happens in a frame.
    pub(crate) fn tap(&mut self, frame: &Frame) -> Option<&mut WarpTap> {
        let tap = self.0.tap.as_mut()?;
        tap.depth = frame.depth;
        Some(tap)
    }

    /// The tracer of the single step, if that step is next.
    pub(crate) fn due(&mut self) -> Option<&mut MomentTracer> {
        self.0.moment.as_mut().filter(|moment| moment.is_due())
    }

    /// Records a finished visit to the statement at `pc`; returns whether the trace is complete.
    pub(crate) fn visited(
        &mut self,
        function: &Function,
        pc: u32,
        (active, executed): (u32, u32),
        frame: &Frame,
    ) -> bool {
        let statement = StatementId(function.first_statement + pc);
        if let Some(moment) = &mut self.0.moment {
            moment.visited(statement, (active.into(), executed.into()), || registers_of(function, frame));
            return moment.is_complete();
        }
        self.tap(frame);
        if self.0.visit(statement, (active.into(), executed.into()), None) {
            self.read(function, pc, frame);
            if function.code[pc as usize].op.is_control() {
                self.forget_results(function, pc);
            }
            self.0.record(statement);
        }
        self.0.is_complete()
    }

    /// Reads the registers of the statement at `pc` again, after its call or barrier has changed them in `lanes`.
    pub(crate) fn reread_results(&mut self, function: &Function, pc: u32, frame: &Frame, lanes: u32) {
        if self.0.moment.is_some() {
            return;
        }
        self.read(function, pc, frame);
        self.tap(frame);
        self.0.record_late(StatementId(function.first_statement + pc), lanes.into());
    }

    /// Reads the sums of warpgroup products that have completed.
    pub(crate) fn keep_products(&mut self, function: &Function, statements: &[u32], frame: &Frame) {
        for statement in statements {
            if let Some(pc) = statement.checked_sub(function.first_statement) {
                self.reread_results(function, pc, frame, u32::MAX);
            }
        }
    }

    fn read(&mut self, function: &Function, pc: u32, frame: &Frame) {
        // A recording needs only what is written.
        let writes = self.0.is_recording().then(|| function.writes_of(pc));
        for (value, &register) in self.values(function, pc).iter_mut().zip(function.registers_of(pc)) {
            if writes.is_some_and(|writes| !writes.contains(&register)) {
                continue;
            }
            let Register { place, .. } = function.frame.registers[register as usize];
            value.known = frame.written.as_ref().map_or(0, |written| written[register as usize]).into();
            read(value, place, &frame.registers);
        }
    }

    /// Marks the results of a call or a barrier as unknown until it completes.
    fn forget_results(&mut self, function: &Function, pc: u32) {
        for (value, register) in self.values(function, pc).iter_mut().zip(function.registers_of(pc)) {
            if function.writes_of(pc).contains(register) {
                value.known = 0;
            }
        }
    }

    fn values(&mut self, function: &Function, pc: u32) -> &mut [TracedValue] {
        let registers = function.registers_of(pc).len();
        self.0.values(StatementId(function.first_statement + pc), registers, registers * VALUE_BYTES)
    }

    pub(crate) fn finish(self, program: &Program) -> Values {
        self.0.finish(|statement| {
            let located = program.locate(statement);
            located.into_iter().flat_map(|(function, pc)| register_infos(&program.functions[function], pc))
        })
    }
}

pub(crate) fn registers_of(function: &Function, frame: &Frame) -> Vec<RegisterValues> {
    register_values(function, frame, frame.written.as_deref().unwrap_or_default())
}

/// The registers of a function; `written` has the lanes that wrote each of them.
pub(crate) fn register_values(function: &Function, frame: &Frame, written: &[u32]) -> Vec<RegisterValues> {
    let written = |index: usize| written.get(index).copied().unwrap_or(0);
    let named = function.frame.registers.iter().enumerate();
    let values = |index: usize, place: RegisterSlot| {
        let lane =
            |lane: usize| (written(index) >> lane & 1 == 1).then(|| get(place, &frame.registers, lane));
        (0..WIDTH).map(lane).collect()
    };
    named
        .map(|(index, Register { name, bits, place })| RegisterValues {
            name: name.clone(),
            bits: *bits,
            lanes: values(index, *place),
        })
        .collect()
}

pub(crate) fn register_infos(function: &Function, pc: u32) -> impl Iterator<Item = RegisterInfo> {
    let (reads, written) = (function.flow.reads_of(pc), function.writes_of(pc));
    function.registers_of(pc).iter().map(move |number| {
        let Register { ref name, bits, .. } = function.frame.registers[*number as usize];
        let read = reads.iter().any(|read| read.register == *number);
        RegisterInfo { name: name.clone(), bits, read, written: written.contains(number) }
    })
}

fn read(value: &mut TracedValue, place: RegisterSlot, registers: &Registers) {
    match place {
        RegisterSlot::Word(slot) => value.set_low(&registers.get::<u32>(slot).map(u64::from)),
        RegisterSlot::Double(slot) => value.set_low(registers.get::<u64>(slot)),
        RegisterSlot::Quad(slot) => {
            value.set_low(registers.get::<u64>(slot));
            value.high = Box::from(registers.get::<u64>(slot + 1).as_slice());
        }
        RegisterSlot::Predicate(slot) => {
            let mask = registers.predicates[slot as usize];
            let bits: PerLane<u64> = std::array::from_fn(|lane| u64::from(mask >> lane & 1));
            value.set_low(&bits);
        }
    }
}
