//! A watch on a loop that only computes.
//!
//! Such a loop reads no memory, so once its warp returns to an earlier state it loops forever, whatever other threads do.
//! One lane of one register is enough to show that the state still differs, so the loop stays in the fast path meanwhile.
//! The watch ends when the warp diverges or executes anything else, such as a memory access.

use warplens_sim_cuda::registers::{Registers, lanes};

use super::poll_log::Difference;
use super::snapshot::Snapshot;
use crate::program::{Function, Quick, RegisterSlot, Slot};

#[derive(Clone, Copy, Debug)]
pub(super) struct LoopWatch {
    first: u32,
    /// The last instruction that may have run.
    last: u32,
    /// The count of the warp's backward branches at which the watch ends.
    end: u64,
    /// A register, a lane and its value at the start. It differed when all registers were last compared.
    differing: Option<(Slot, usize, u32)>,
}

impl LoopWatch {
    /// Watches the loop from `first` to its backward branch `last`, from the next iteration on.
    pub(super) fn new((first, last): (u32, u32), end: u64) -> LoopWatch {
        LoopWatch { first, last, end, differing: None }
    }

    /// Whether the instructions from `first` to `last` only compute.
    pub(super) fn allows((first, last): (u32, u32), function: &Function) -> bool {
        let code = function.code.get(first as usize..=last as usize);
        code.is_some_and(|code| {
            code.iter()
                .all(|instruction| instruction.quick != Quick::No && !instruction.quick.accesses_memory())
        })
    }

    /// Counts a backward branch; returns whether the whole state must be compared.
    #[inline(always)]
    pub(super) fn backward(&mut self, (from, to): (u32, u32), branches: u64, registers: &Registers) -> bool {
        (self.first, self.last) = (self.first.min(to), self.last.max(from));
        let differs = |(slot, lane, value): (Slot, usize, u32)| registers.get::<u32>(slot)[lane] != value;
        !self.differing.is_some_and(differs) || self.has_ended(branches)
    }

    /// Whether everything that may have run since the start only computes.
    pub(super) fn holds(&self, function: &Function) -> bool {
        LoopWatch::allows((self.first, self.last), function)
    }

    pub(super) fn has_ended(&self, branches: u64) -> bool {
        branches >= self.end
    }

    /// Picks one of the differing registers to be compared first from now on.
    pub(super) fn compare_first(&mut self, difference: &Difference, start: &Snapshot) {
        // Only the running frame can have changed: calls and returns end the watch.
        self.differing = difference.registers.iter().find_map(|&(frame, place, differing)| {
            let RegisterSlot::Word(slot) = place else { return None };
            let lane = lanes(differing).next()?;
            Some((slot, lane, start.registers(frame)?.get::<u32>(slot)[lane]))
        });
    }
}
