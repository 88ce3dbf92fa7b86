//! Value tracing of a wave: the registers of each statement after its last visit, and the divergence stack.
//!
//! Only the traced wave of a run with a trace request has a tracer.

use crate::trace::{Mask, StatementId};
use crate::values::{StackEntry, TraceRequest, TracedRegister, TracedVisit, Values};

use super::program::{Cell, Named, PREDICATES, Row};
use super::state::State;

/// The trace of the wave.
#[derive(Debug)]
pub(crate) struct ValueTracer {
    until: Option<(StatementId, u64)>,
    /// By statement.
    visits: Vec<Visit>,
    /// The lanes that have written each general register.
    general: Vec<Mask>,
    predicates: [Mask; PREDICATES],
    /// Remaining bytes.
    budget: usize,
    truncated: bool,
    /// Whether the trace is complete.
    done: bool,
}

/// The last visit of a statement.
#[derive(Clone, Debug, Default)]
struct Visit {
    count: u64,
    active: Mask,
    executed: Mask,
    /// One value a register that the statement names; empty if over the limit.
    values: Vec<Value>,
    stack: Option<Box<[StackEntry]>>,
}

/// A register after a visit.
#[derive(Clone, Debug, Default)]
struct Value {
    known: Mask,
    low: Box<[u64]>,
    high: Box<[u64]>,
}

impl ValueTracer {
    /// Traces a wave of a program with `statements` statements and `registers` registers, of which the launch has set `set`.
    pub(crate) fn new(
        statements: usize,
        registers: u16,
        request: &TraceRequest,
        set: &[(u8, u32)],
    ) -> ValueTracer {
        let mut general = vec![0; usize::from(registers)];
        for (register, _) in set {
            if let Some(written) = general.get_mut(usize::from(*register)) {
                *written = Mask::MAX;
            }
        }
        ValueTracer {
            until: request.until,
            visits: vec![Visit::default(); statements],
            general,
            predicates: [0; PREDICATES],
            budget: request.max_bytes,
            truncated: false,
            done: false,
        }
    }

    /// Whether the trace is complete.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Records a finished visit. `named` lists the registers that each statement names; `stack` is given for control operations.
    pub(crate) fn visited<const W: usize>(
        &mut self,
        named: &[Box<[Named]>],
        statement: StatementId,
        (active, executed): (Mask, Mask),
        state: &State<W>,
        stack: Option<Box<[StackEntry]>>,
    ) {
        let Some(visit) = self.visits.get_mut(statement.index()).filter(|_| !self.done) else { return };
        if self.until.is_some_and(|(at, last)| at == statement && visit.count >= last) {
            self.done = true;
            return;
        }
        visit.count += 1;
        (visit.active, visit.executed) = (active, executed);
        visit.stack = stack;
        let named = &named[statement.index()];
        named.iter().filter(|named| named.written).for_each(|named| self.mark_written(named, executed));
        self.store(named, statement, state);
    }

    fn mark_written(&mut self, named: &Named, executed: Mask) {
        match named.cell {
            Cell::Predicate(predicate) => self.predicates[usize::from(predicate)] |= executed,
            Cell::General(first) => {
                let words = self.general.iter_mut().skip(first.into()).take(named.count.into());
                words.for_each(|written| *written |= executed);
            }
        }
    }

    fn store<const W: usize>(&mut self, named: &[Named], statement: StatementId, state: &State<W>) {
        let visit = &mut self.visits[statement.index()];
        if visit.values.len() < named.len() {
            let bytes: usize =
                named.iter().map(|named| W * size_of::<u64>() * (1 + usize::from(named.count > 2))).sum();
            if bytes > self.budget {
                self.truncated = true;
                return;
            }
            self.budget -= bytes;
            visit.values = vec![Value::default(); named.len()];
        }
        for (value, named) in visit.values.iter_mut().zip(named) {
            match named.cell {
                Cell::Predicate(predicate) => {
                    let mask = state.predicates[usize::from(predicate)];
                    value.known = self.predicates[usize::from(predicate)];
                    value.low = (0..W).map(|lane| mask >> lane & 1).collect();
                }
                Cell::General(first) => {
                    let word = |at: u8| {
                        let register = usize::from(first) + usize::from(at);
                        (at < named.count && register < self.general.len())
                            .then(|| state.rows.get(register as Row))
                    };
                    let pair = |low: u8| {
                        let [low, high] = [word(low), word(low + 1)];
                        let half =
                            |row: Option<&[u32; W]>, lane: usize| row.map_or(0, |row| u64::from(row[lane]));
                        (0..W).map(|lane| half(low, lane) | half(high, lane) << 32).collect()
                    };
                    value.known = self.general.get(usize::from(first)).copied().unwrap_or(Mask::MAX);
                    value.low = pair(0);
                    value.high = if named.count > 2 { pair(2) } else { Box::default() };
                }
            }
        }
    }

    /// The trace, with the names of the registers.
    pub(crate) fn finish(self, named: &[Box<[Named]>]) -> Values {
        let visited = self.visits.into_iter().enumerate().filter(|(_, visit)| visit.count > 0);
        let visits = visited.map(|(index, visit)| TracedVisit {
            statement: StatementId(index as u32),
            visit: visit.count,
            active: visit.active,
            executed: visit.executed,
            registers: visit.values.into_iter().zip(&named[index]).map(Value::register).collect(),
            stack: visit.stack,
        });
        Values { visits: visits.collect(), truncated: self.truncated }
    }
}

impl Value {
    fn register((value, named): (Value, &Named)) -> TracedRegister {
        let (name, bits) = match named.cell {
            Cell::Predicate(index) => (format!("p{index}"), 1),
            Cell::General(index) => (format!("r{index}"), 32 * u16::from(named.count)),
        };
        let Value { known, low, high } = value;
        TracedRegister { name: name.into(), bits, written: named.written, known, low, high }
    }
}
