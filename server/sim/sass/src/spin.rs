//! Detects whether a warp repeats a state or polls memory.

use warplens_sim_warp::spin::SpinDetector;

use super::machine::Machine;
use super::pause::Pause;
use super::registers::Registers;

/// Backward branches before states are compared.
const PATIENCE: u64 = 256;

#[derive(Clone, Default)]
pub(super) struct SpinWatch {
    detector: SpinDetector<(Machine, Registers), PATIENCE, 1>,
    /// The row that differed last. A comparison starts with it and nearly always ends there.
    changing: usize,
    /// Whether the warp has waited at a barrier of its block or its cluster since memory last changed.
    passes_barriers: bool,
    /// See [`CudaWarp::at_barriers`](warplens_sim_cuda::grid::warp::CudaWarp::at_barriers).
    pub(super) at_barriers: Option<u64>,
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
            *reads &= self.detector.branches() > 1;
            self.passes_barriers &= self.detector.branches() > 1;
            return None;
        }
        self.compare(machine, registers, *reads, changes)
    }

    /// Called when the warp continues after a barrier.
    pub(super) fn passed_barrier(&mut self) {
        self.passes_barriers = true;
    }

    #[inline(never)]
    fn compare(
        &mut self,
        machine: &Machine,
        registers: &Registers,
        reads: bool,
        changes: u64,
    ) -> Option<Pause> {
        let changing = &mut self.changing;
        let is_same = |(earlier_machine, earlier): &(Machine, Registers)| {
            if earlier.rows.get(*changing) != registers.rows.get(*changing)
                || earlier.predicates != registers.predicates
                || !machine.is_where(earlier_machine)
            {
                return false;
            }
            let differs = earlier.rows.iter().zip(&registers.rows).position(|(earlier, now)| earlier != now);
            *changing = differs.unwrap_or(*changing);
            differs.is_none()
        };
        if self.detector.repeats(is_same, || (machine.clone(), registers.clone())) {
            if !self.passes_barriers {
                return Some(Pause::Spinning);
            }
            // The others at the barriers may do something else in each iteration.
            if self.detector.yields() {
                self.at_barriers = Some(changes);
                return Some(Pause::Polling);
            }
            return None;
        }
        (reads && self.detector.yields()).then_some(Pause::Polling)
    }
}
