//! Tracing of one warp: the register values of each statement after its last visit.
//!
//! Only the requested warp has a tracer.

use super::frame::Frame;
use crate::ptx::program::{Function, Program, RegisterSlot};
use crate::ptx::registers::{Lanes, Registers, WIDTH};
use crate::trace::StatementId;
use crate::values::{TraceRequest, TracedRegister, TracedVisit, Values};

/// The recorded values of the warp.
#[derive(Clone, Debug)]
pub(crate) struct ValueTracer {
    until: Option<(StatementId, u64)>,
    /// By statement.
    visits: Vec<Visit>,
    /// Remaining budget in bytes.
    budget: usize,
    truncated: bool,
    /// Whether tracing is complete.
    done: bool,
}

/// The last visit of a statement.
#[derive(Clone, Debug, Default)]
struct Visit {
    count: u64,
    active: u32,
    executed: u32,
    /// One per register that the statement names; empty if the budget was exhausted.
    values: Vec<Value>,
}

/// A register after a visit.
#[derive(Clone, Debug)]
struct Value {
    known: u32,
    low: Lanes<u64>,
    high: Option<Box<Lanes<u64>>>,
}

impl ValueTracer {
    pub(crate) fn new(program: &Program, request: &TraceRequest) -> ValueTracer {
        ValueTracer {
            until: request.until,
            visits: vec![Visit::default(); program.statements()],
            budget: request.max_bytes,
            truncated: false,
            done: false,
        }
    }

    /// Records a visit of the statement at `pc`, after which `frame` holds the results. Returns whether tracing is complete.
    pub(crate) fn visited(
        &mut self,
        function: &Function,
        pc: u32,
        (active, executed): (u32, u32),
        frame: &Frame,
    ) -> bool {
        let statement = StatementId(function.first_statement + pc);
        let Some(visit) = self.visits.get_mut(statement.index()).filter(|_| !self.done) else {
            return self.done;
        };
        if self.until.is_some_and(|(at, last)| at == statement && visit.count >= last) {
            self.done = true;
            return true;
        }
        visit.count += 1;
        (visit.active, visit.executed) = (active, executed);
        self.keep(function, pc, frame);
        if function.code[pc as usize].op.is_control() {
            self.forget_results(function, pc);
        }
        false
    }

    /// Records the values of the statement at `pc` again, after a callee or a barrier changed them.
    pub(crate) fn keep(&mut self, function: &Function, pc: u32, frame: &Frame) {
        let statement = (function.first_statement + pc) as usize;
        let Some(visit) = self.visits.get_mut(statement).filter(|_| !self.done) else { return };
        let named = function.registers_of(pc);
        if visit.values.len() < named.len() {
            let bytes = named.len() * size_of::<Value>();
            if bytes > self.budget {
                self.truncated = true;
                return;
            }
            self.budget -= bytes;
            visit.values = vec![Value { known: 0, low: [0; WIDTH], high: None }; named.len()];
        }
        for (value, &register) in visit.values.iter_mut().zip(named) {
            let place = function.frame.registers[register as usize].place;
            value.known = frame.written.as_ref().map_or(0, |written| written[register as usize]);
            value.read(place, &frame.registers);
        }
    }

    /// The results of a call or a barrier are not available when lanes reach it.
    fn forget_results(&mut self, function: &Function, pc: u32) {
        let visit = &mut self.visits[(function.first_statement + pc) as usize];
        for (value, register) in visit.values.iter_mut().zip(function.registers_of(pc)) {
            if function.writes_of(pc).contains(register) {
                value.known = 0;
            }
        }
    }

    /// The recorded visits, with register names.
    pub(crate) fn finish(self, program: &Program) -> Values {
        let mut visits = Vec::new();
        for (index, visit) in self.visits.into_iter().enumerate().filter(|(_, visit)| visit.count > 0) {
            let statement = StatementId(index as u32);
            let Some((function, pc)) = program.locate(statement) else { continue };
            let function = &program.functions[function];
            let written = function.writes_of(pc);
            let registers =
                visit.values.into_iter().zip(function.registers_of(pc)).map(|(value, register)| {
                    let named = &function.frame.registers[*register as usize];
                    let written = written.contains(register);
                    value.held(named.name.clone(), named.bits, written)
                });
            visits.push(TracedVisit {
                statement,
                visit: visit.count,
                active: visit.active.into(),
                executed: visit.executed.into(),
                registers: registers.collect(),
                stack: None,
            });
        }
        Values { visits, truncated: self.truncated }
    }
}

impl Value {
    fn read(&mut self, place: RegisterSlot, registers: &Registers) {
        match place {
            RegisterSlot::Word(slot) => self.low = registers.get::<u32>(slot).map(u64::from),
            RegisterSlot::Double(slot) => self.low = *registers.get::<u64>(slot),
            RegisterSlot::Quad(slot) => {
                self.low = *registers.get::<u64>(slot);
                self.high = Some(Box::new(*registers.get::<u64>(slot + 1)));
            }
            RegisterSlot::Predicate(slot) => {
                let mask = registers.predicates[slot as usize];
                self.low = std::array::from_fn(|lane| u64::from(mask >> lane & 1));
            }
        }
    }

    fn held(self, name: smol_str::SmolStr, bits: u16, written: bool) -> TracedRegister {
        let high = self.high.map_or_else(Box::default, |high| Box::from(high.as_slice()));
        TracedRegister { name, bits, written, known: self.known.into(), low: self.low.into(), high }
    }
}
