//! A watch on a loop that only computes.
//!
//! Such a loop reads no memory, so it repeats forever if the state of its warp is once more what it was, whatever other threads do.
//! One lane of a register that differs shows that the state differs, so the loop runs on in the fast loop meanwhile. The watch ends
//! when the warp diverges or executes something else, such as an access to memory.

use warplens_sim_cuda::registers::{Registers, lanes};

use super::poll_log::Difference;
use super::snapshot::Snapshot;
use crate::program::{Function, Quick, RegisterSlot, Slot};

/// What has run since the start of a watch, and what shows that the state is another one.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoopWatch {
    /// The first instruction that may have run.
    first: u32,
    /// The last one.
    last: u32,
    /// The number of backward branches of the warp at which the watch ends.
    end: u64,
    /// A register, a lane and its value at the start, which was another one at the last comparison of all registers.
    differing: Option<(Slot, usize, u32)>,
}

impl LoopWatch {
    /// A watch on the loop from `first` to its backward branch `last`, which begins with the next iteration.
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

    /// Counts a backward branch; returns whether all of the state must be compared.
    #[inline(always)]
    pub(super) fn backward(&mut self, (from, to): (u32, u32), branches: u64, registers: &Registers) -> bool {
        (self.first, self.last) = (self.first.min(to), self.last.max(from));
        let differs = |(slot, lane, value): (Slot, usize, u32)| registers.get::<u32>(slot)[lane] != value;
        !self.differing.is_some_and(differs) || self.has_ended(branches)
    }

    /// Whether all that may have run since the start only computes.
    pub(super) fn holds(&self, function: &Function) -> bool {
        LoopWatch::allows((self.first, self.last), function)
    }

    pub(super) fn has_ended(&self, branches: u64) -> bool {
        branches >= self.end
    }

    /// From now on, one of the registers that differ is compared first.
    pub(super) fn compare_first(&mut self, difference: &Difference, start: &Snapshot) {
        // Only the running frame has changed: calls and returns end the watch.
        self.differing = difference.registers.iter().find_map(|&(frame, place, differing)| {
            let RegisterSlot::Word(slot) = place else { return None };
            let lane = lanes(differing).next()?;
            Some((slot, lane, start.registers(frame)?.get::<u32>(slot)[lane]))
        });
    }
}
