//! Looking at a wave while it runs: what the registers of each statement held after its last visit, and the divergence stack.
//!
//! Only the wave that is looked at has a probe, and only in a run that is asked for it.

use crate::trace::{Mask, StatementId};
use crate::values::{StackEntry, TraceRequest, TracedRegister, TracedVisit, Values};

use super::program::{Cell, Named, PREDICATES, Row};
use super::state::State;

/// What is kept of the wave.
#[derive(Debug)]
pub(crate) struct Probe {
    until: Option<(StatementId, u64)>,
    /// By statement.
    visits: Vec<Visit>,
    /// The lanes that have written each general register.
    general: Vec<Mask>,
    predicates: [Mask; PREDICATES],
    /// Bytes that may still be kept.
    room: usize,
    truncated: bool,
    /// Whether there is nothing more to look at.
    done: bool,
}

/// The last visit of a statement.
#[derive(Clone, Debug, Default)]
struct Visit {
    count: u64,
    active: Mask,
    executed: Mask,
    /// One a register that the statement names; empty where there was no room for them.
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

impl Probe {
    /// Looks at a wave of a program with so many statements and registers, into which the launch put something.
    pub(crate) fn new(statements: usize, registers: u16, look: &TraceRequest, set: &[(u8, u32)]) -> Probe {
        let mut general = vec![0; usize::from(registers)];
        for (register, _) in set {
            if let Some(written) = general.get_mut(usize::from(*register)) {
                *written = Mask::MAX;
            }
        }
        Probe {
            until: look.until,
            visits: vec![Visit::default(); statements],
            general,
            predicates: [0; PREDICATES],
            room: look.max_bytes,
            truncated: false,
            done: false,
        }
    }

    /// Whether that was enough.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// A visit of a statement is over. `named` has the registers that each statement names; `stack` is for those that move lanes.
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
        named.iter().filter(|named| named.written).for_each(|named| self.note(named, executed));
        self.keep(named, statement, state);
    }

    fn note(&mut self, named: &Named, executed: Mask) {
        match named.cell {
            Cell::Predicate(predicate) => self.predicates[usize::from(predicate)] |= executed,
            Cell::General(first) => {
                let words = self.general.iter_mut().skip(first.into()).take(named.count.into());
                words.for_each(|written| *written |= executed);
            }
        }
    }

    fn keep<const W: usize>(&mut self, named: &[Named], statement: StatementId, state: &State<W>) {
        let visit = &mut self.visits[statement.index()];
        if visit.values.len() < named.len() {
            let bytes: usize =
                named.iter().map(|named| W * size_of::<u64>() * (1 + usize::from(named.count > 2))).sum();
            if bytes > self.room {
                self.truncated = true;
                return;
            }
            self.room -= bytes;
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

    /// What was seen, with the names of the registers.
    pub(crate) fn finish(self, named: &[Box<[Named]>]) -> Values {
        let visits = self.visits.into_iter().enumerate().filter(|(_, visit)| visit.count > 0);
        let seen = visits.map(|(index, visit)| TracedVisit {
            statement: StatementId(index as u32),
            visit: visit.count,
            active: visit.active,
            executed: visit.executed,
            registers: visit.values.into_iter().zip(&named[index]).map(Value::held).collect(),
            stack: visit.stack,
        });
        Values { visits: seen.collect(), truncated: self.truncated }
    }
}

impl Value {
    fn held((value, named): (Value, &Named)) -> TracedRegister {
        let (name, bits) = match named.cell {
            Cell::Predicate(index) => (format!("p{index}"), 1),
            Cell::General(index) => (format!("r{index}"), 32 * u16::from(named.count)),
        };
        let Value { known, low, high } = value;
        TracedRegister { name: name.into(), bits, written: named.written, known, low, high }
    }
}
