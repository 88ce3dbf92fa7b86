//! Value tracing of a warp: the registers that each statement names, after its visits.

use super::program::{Cell, Named};
use super::registers::Registers;
use crate::cuda::registers::WIDTH;
use crate::trace::StatementId;
use crate::values::{TraceRequest, Values};
use crate::warp::value_tracer::{RegisterInfo, VisitTracer};

/// The tracer of a warp.
#[derive(Debug)]
pub(crate) struct ValueTracer {
    visits: VisitTracer,
}

impl ValueTracer {
    pub(crate) fn new(statements: usize, request: &TraceRequest) -> ValueTracer {
        ValueTracer { visits: VisitTracer::new(statements, request) }
    }

    /// Records a visit; returns whether the trace is complete.
    pub(super) fn visited(
        &mut self,
        named: &[Named],
        statement: StatementId,
        (active, executed): (u32, u32),
        registers: &Registers,
        known: impl Fn(Cell) -> u32,
    ) -> bool {
        if !self.visits.visit(statement, (active.into(), executed.into()), None) {
            return self.visits.is_complete();
        }
        let bytes = |named: &Named| match named.cell {
            Cell::Rows(_, 3..) => 2 * WIDTH * size_of::<u64>(),
            _ => WIDTH * size_of::<u64>(),
        };
        let values = self.visits.values(statement, named.len(), named.iter().map(bytes).sum());
        for (value, named) in values.iter_mut().zip(named) {
            value.known = known(named.cell).into();
            match named.cell {
                Cell::Predicate(predicate) => {
                    let mask = registers.predicates[usize::from(predicate)];
                    let bits: [u64; WIDTH] = std::array::from_fn(|lane| u64::from(mask >> lane & 1));
                    value.set_low(&bits);
                }
                Cell::Rows(first, count) => {
                    let pair = |low: u16| match count - low {
                        0 => [0; WIDTH],
                        1 => registers.row(first + low).map(u64::from),
                        _ => registers.bits_64(first + low),
                    };
                    value.set_low(&pair(0));
                    if count > 2 {
                        value.high = pair(2).into();
                    }
                }
            }
        }
        self.visits.record(statement);
        self.visits.is_complete()
    }

    /// The trace.
    pub(crate) fn finish(self, named: &[Box<[Named]>]) -> Values {
        self.visits.finish(|statement| named[statement.index()].iter().map(register_info))
    }
}

fn register_info(named: &Named) -> RegisterInfo {
    let bits = match named.cell {
        Cell::Rows(_, count) => 32 * count,
        Cell::Predicate(_) => 1,
    };
    (named.name.clone(), bits, named.written)
}
