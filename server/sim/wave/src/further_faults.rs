//! What a run knows while it goes on after a fault, only to find further faults.

use rustc_hash::FxHashSet;
use warplens_sim_warp::trace::{Finding, Mask};

use super::op::{PREDICATES, Space};
use super::program::{Cell, Named};

/// The search for further faults.
#[derive(Debug, Default)]
pub(crate) struct FurtherFaults {
    /// The statements whose accesses are reported.
    pub(crate) reported: FxHashSet<u32>,
    pub(crate) findings: Vec<Finding>,
    /// Words that may hold unknown values, also after another store: their space, the workgroup of local memory, and their
    /// number.
    pub(crate) memory: FxHashSet<(Space, [u32; 3], u32)>,
    pub(crate) is_over: bool,
}

/// The lanes in which registers depend on skipped accesses.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnknownRegisters {
    general: Vec<Mask>,
    predicates: [Mask; PREDICATES],
}

impl FurtherFaults {
    pub(crate) fn after(statement: u32) -> FurtherFaults {
        FurtherFaults { reported: FxHashSet::from_iter([statement]), ..FurtherFaults::default() }
    }
}

impl UnknownRegisters {
    pub(crate) fn lanes(&self, named: &Named) -> Mask {
        match named.cell {
            Cell::Predicate(index) => self.predicates[usize::from(index) % PREDICATES],
            Cell::General(first) => {
                let registers = self.general.iter().skip(first.into()).take(named.count.into());
                registers.fold(0, |all, lanes| all | lanes)
            }
        }
    }

    /// Lanes write registers, which are unknown in the lanes of `unknown`.
    pub(crate) fn write(&mut self, named: &Named, executed: Mask, unknown: Mask) {
        let set = |lanes: &mut Mask| *lanes = *lanes & !executed | unknown & executed;
        match named.cell {
            Cell::Predicate(index) => set(&mut self.predicates[usize::from(index) % PREDICATES]),
            Cell::General(first) => {
                let end = usize::from(first) + usize::from(named.count);
                if self.general.len() < end {
                    self.general.resize(end, 0);
                }
                self.general[first.into()..end].iter_mut().for_each(set);
            }
        }
    }
}
