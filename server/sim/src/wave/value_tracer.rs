//! Value tracing of a wave: the registers of each statement after its last visit, and the divergence stack.

use crate::trace::{Mask, StatementId};
use crate::values::{StackEntry, TraceRequest, Values};
use crate::warp::value_tracer::{RegisterInfo, VisitTracer};

use super::program::{Cell, Named, Row};
use super::sanitizer::WrittenRegisters;
use super::state::State;

/// The tracer of a wave.
#[derive(Debug)]
pub(crate) struct ValueTracer {
    visits: VisitTracer,
    written: WrittenRegisters,
}

impl ValueTracer {
    /// Traces a wave of a program with these numbers of statements and registers, of which the launch has set `set`.
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

    /// Whether the trace is complete.
    pub(crate) fn is_complete(&self) -> bool {
        self.visits.is_complete()
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
        if !self.visits.visit(statement, (active, executed), stack) {
            return;
        }
        let named = &named[statement.index()];
        named.iter().filter(|named| named.written).for_each(|named| self.written.write(named, executed));
        let bytes = |named: &Named| W * size_of::<u64>() * (1 + usize::from(named.count > 2));
        let values = self.visits.values(statement, named.len(), named.iter().map(bytes).sum());
        for (value, named) in values.iter_mut().zip(named) {
            value.known = self.written.lanes(named.cell);
            match named.cell {
                Cell::Predicate(predicate) => {
                    let mask = state.predicates[usize::from(predicate)];
                    value.low = (0..W).map(|lane| mask >> lane & 1).collect();
                }
                Cell::General(first) => {
                    let word = |at: u8| {
                        let register = u16::from(first) + u16::from(at);
                        (at < named.count && self.written.has(register))
                            .then(|| state.rows.get(Row::from(register)))
                    };
                    let pair = |low: u8| {
                        let [low, high] = [word(low), word(low + 1)];
                        let half =
                            |row: Option<&[u32; W]>, lane: usize| row.map_or(0, |row| u64::from(row[lane]));
                        (0..W).map(|lane| half(low, lane) | half(high, lane) << 32).collect()
                    };
                    value.low = pair(0);
                    value.high = if named.count > 2 { pair(2) } else { Box::default() };
                }
            }
        }
        self.visits.record(statement);
    }

    /// The trace, with the names of the registers.
    pub(crate) fn finish(self, named: &[Box<[Named]>]) -> Values {
        self.visits.finish(|statement| named[statement.index()].iter().map(register_info))
    }
}

fn register_info(named: &Named) -> RegisterInfo {
    match named.cell {
        Cell::Predicate(index) => (format!("p{index}").into(), 1, named.written),
        Cell::General(index) => (format!("r{index}").into(), 32 * u16::from(named.count), named.written),
    }
}
