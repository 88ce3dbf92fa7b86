//! Detects whether a warp repeats a state or polls memory.

use warplens_sim_warp::spin::SpinDetector;

use super::machine::Machine;
use super::pause::Pause;
use super::registers::Registers;

/// Backward branches before states are compared.
const PATIENCE: u64 = 256;
#[derive(Default)]
pub(super) struct SpinWatch(SpinDetector<(Machine, Registers), PATIENCE, 1>);

impl SpinWatch {
    /// Called after a backward branch: detects a repeated state. `reads` says whether the warp has read
    /// memory that others may write, since memory last changed; `changes` counts the changes.
    #[inline(always)]
    pub(super) fn branched(
        &mut self,
        machine: &Machine,
        registers: &Registers,
        reads: &mut bool,
        changes: u64,
    ) -> Option<Pause> {
        if !self.0.is_due(changes) {
            *reads &= self.0.branches() > 1;
            return None;
        }
        self.compare(machine, registers, *reads)
    }

    #[inline(never)]
    fn compare(&mut self, machine: &Machine, registers: &Registers, reads: bool) -> Option<Pause> {
        let is_same = |(earlier_machine, earlier): &(Machine, Registers)| {
            earlier.predicates == registers.predicates
                && earlier.rows == registers.rows
                && machine.is_where(earlier_machine)
        };
        if self.0.repeats(is_same, || (machine.clone(), registers.clone())) {
            return Some(Pause::Spinning);
        }
        (reads && self.0.yields()).then_some(Pause::Polling)
    }
}
