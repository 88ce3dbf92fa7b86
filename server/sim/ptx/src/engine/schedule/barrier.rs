//! The named barriers of a block: arrivals, waiting groups, completion.

use warplens_sim_cuda::registers::{WIDTH, lanes};

use crate::engine::exec::operand::put;
use crate::engine::exec::warp::{Arrival, Warp};
use crate::program::{Barrier, BarrierKind, Program, Slot};

/// Number of named barriers per block.
pub(crate) const COUNT: usize = 16;

#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Arrived threads, as the hardware counts them.
    arrived: u32,
    /// The arrived threads of each warp.
    masks: Vec<u32>,
    /// Number of threads that must arrive, if the program specifies it.
    expected: Option<u32>,
    waiting: Vec<Waiting>,
    /// For a reduction: lanes whose predicate is true, and participating lanes.
    yes: u32,
    voters: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    pub(crate) warp: usize,
    pub(crate) frame: Slot,
    pub(crate) mask: u32,
    pub(crate) statement: u32,
    barrier: Barrier,
}

impl State {
    /// A group of a warp arrives; `true` if it waits.
    pub(crate) fn arrive(
        &mut self,
        warps: usize,
        index: usize,
        warp: &Warp,
        arrival: Arrival,
        count: Option<u32>,
    ) -> bool {
        let Arrival { barrier, mask, frame, statement } = arrival;
        self.masks.resize(warps, 0);
        self.masks[index] |= mask;
        self.expected = count.or(self.expected);
        let whole = barrier.aligned && mask == warp.live;
        self.arrived += if whole { WIDTH as u32 } else { mask.count_ones() };
        if let Some(frame) = &warp.frames[frame as usize] {
            self.yes += barrier.predicate.of(&frame.registers.predicates, mask).count_ones();
        }
        self.voters += mask.count_ones();
        let waits = barrier.kind != BarrierKind::Arrive;
        if waits {
            self.waiting.push(Waiting { warp: index, frame, mask, statement, barrier });
        }
        waits
    }

    /// The statement of waiting threads that expect a different count, and their count.
    pub(crate) fn disagrees(&self, count: Option<u32>) -> Option<(u32, Option<u32>)> {
        let first = self.waiting.first()?;
        (self.expected != count).then_some((first.statement, self.expected))
    }

    /// Whether all required threads have arrived. Without a count, these are all threads of the block that have not exited.
    pub(crate) fn is_complete(&self, warps: &[Warp]) -> bool {
        if self.masks.is_empty() {
            return false;
        }
        match self.expected {
            Some(count) => self.arrived >= count,
            None => warps.iter().zip(&self.masks).all(|(warp, arrived)| warp.live & !arrived == 0),
        }
    }

    /// Releases the waiting groups and resets the barrier.
    pub(crate) fn open(&mut self, warps: &mut [Warp], program: &Program) {
        for waiting in self.waiting.drain(..) {
            let warp = &mut warps[waiting.warp];
            warp.groups.release(waiting.mask);
            let Some(d) = waiting.barrier.d else { continue };
            let Some(frame) = &mut warp.frames[waiting.frame as usize] else { continue };
            let value = match waiting.barrier.kind {
                BarrierKind::ReduceAnd => u32::from(self.yes == self.voters),
                BarrierKind::ReduceOr => u32::from(self.yes != 0),
                _ => self.yes,
            };
            for lane in lanes(waiting.mask) {
                put(d, &mut frame.registers, lane, value.into());
            }
            if let Some(tracer) = &mut warp.tracer {
                let function = &program.functions[frame.function as usize];
                tracer.keep(function, waiting.statement - function.first_statement, frame);
            }
        }
        self.masks.clear();
        (self.arrived, self.expected, self.yes, self.voters) = (0, None, 0, 0);
    }

    /// The arrived lanes of each warp.
    pub(crate) fn arrived(&self) -> &[u32] {
        &self.masks
    }

    /// The waiting lanes of each warp.
    pub(crate) fn waiting_lanes(&self) -> Vec<u32> {
        let mut lanes = vec![0; self.masks.len()];
        for waiting in &self.waiting {
            lanes[waiting.warp] |= waiting.mask;
        }
        lanes
    }

    pub(crate) fn waiting(&self) -> &[Waiting] {
        &self.waiting
    }
}
