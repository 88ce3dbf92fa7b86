//! Detects whether a warp repeats a state or polls memory.

use warplens_sim_warp::spin::SpinDetector;

use super::machine::Machine;
use super::pause::Pause;
use super::registers::Registers;

/// Backward branches before states are compared.
const PATIENCE: u64 = 256;
/// Backward branches after which a warp that reads memory lets others run; doubled each time.
const POLL_PATIENCE: u64 = 1024;

pub(super) struct SpinWatch {
    detector: SpinDetector<(Machine, Registers), PATIENCE, 1>,
    /// The number of backward branches at which a warp that reads memory lets others run.
    poll_patience: u64,
}

impl Default for SpinWatch {
    fn default() -> Self {
        SpinWatch { detector: SpinDetector::default(), poll_patience: POLL_PATIENCE }
    }
}

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
        if !self.detector.is_due(changes) {
            if self.detector.branches() <= 1 {
                (*reads, self.poll_patience) = (false, POLL_PATIENCE);
            }
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
        if self.detector.repeats(is_same, || (machine.clone(), registers.clone())) {
            return Some(Pause::Spinning);
        }
        if reads && self.detector.branches() >= self.poll_patience {
            self.poll_patience = 2 * self.detector.branches();
            return Some(Pause::Polling);
        }
        None
    }
}
