//! Value traces of a warp: after each visit of a statement, the registers that it names.

use warplens_sim_cuda::registers::WIDTH;
use warplens_sim_warp::recording::WarpTap;
use warplens_sim_warp::trace::StatementId;
use warplens_sim_warp::value_tracer::{RegisterInfo, VisitTracer};
use warplens_sim_warp::values::Values;

use super::executing::Executing;
use super::program::{Cell, Named, Program};
use super::register_values::RegisterReader;
use super::registers::Registers;

#[derive(Clone, Debug)]
pub(crate) struct ValueTracer(pub(crate) VisitTracer);

impl ValueTracer {
    /// The warp's part of a recording.
    pub(crate) fn tap(&mut self) -> Option<&mut WarpTap> {
        self.0.tap.as_mut()
    }

    pub(crate) fn is_recording(&self) -> bool {
        self.0.is_recording()
    }

    /// Records a visit. Returns whether the trace is complete.
    pub(super) fn visited(
        &mut self,
        program: &Program,
        statement: StatementId,
        Executing { active, executed, written, .. }: Executing,
        registers: &Registers,
        known: &dyn Fn(Cell) -> u32,
    ) -> bool {
        if let Some(moment) = &mut self.0.moment {
            let reader = RegisterReader { registers, known };
            let around = || reader.around(program, statement);
            moment.visited(statement, (active.into(), executed.into()), around);
            return moment.is_complete();
        }
        let named = &program.named[statement.index()];
        if !self.0.visit(statement, (active.into(), executed.into()), None) {
            return self.0.is_complete();
        }
        self.0.writes_in(written.into());
        self.read(named, statement, registers, known);
        self.0.record(statement);
        self.0.is_complete()
    }

    /// Sends the registers that a control instruction has written in `lanes` to a recording.
    pub(super) fn reread_results(
        &mut self,
        program: &Program,
        statement: StatementId,
        registers: &Registers,
        known: &dyn Fn(Cell) -> u32,
        lanes: u32,
    ) {
        if self.is_recording() {
            self.read(&program.named[statement.index()], statement, registers, known);
            self.0.record_late(statement, lanes.into());
        }
    }

    /// Reads the registers that a statement names.
    fn read(
        &mut self,
        named: &[Named],
        statement: StatementId,
        registers: &Registers,
        known: &dyn Fn(Cell) -> u32,
    ) {
        let bytes = |named: &Named| match named.cell {
            Cell::Rows(_, 3..) => 2 * WIDTH * size_of::<u64>(),
            _ => WIDTH * size_of::<u64>(),
        };
        // A recording needs only what is written.
        let is_recording = self.is_recording();
        let values = self.0.values(statement, named.len(), named.iter().map(bytes).sum());
        for (value, named) in values.iter_mut().zip(named.iter()) {
            if is_recording && !named.written {
                continue;
            }
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
    }

    pub(crate) fn finish(self, named: &[Box<[Named]>]) -> Values {
        self.0.finish(|statement| named[statement.index()].iter().map(register_info))
    }
}

pub(crate) fn register_info(named: &Named) -> RegisterInfo {
    let bits = match named.cell {
        Cell::Rows(_, count) => 32 * count,
        Cell::Predicate(_) => 1,
    };
    RegisterInfo { name: named.name.clone(), bits, read: named.read, written: named.written }
}
