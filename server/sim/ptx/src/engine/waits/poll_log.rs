//! The log of an observed warp: the instructions that it executed, and the state that changed meanwhile.

use warplens_sim_cuda::memory::polled::{MemoryRange, PolledValue};
use warplens_sim_cuda::registers::PerLane;

use crate::program::{CallId, RegisterSlot, Slot};

/// State that differs between two points in time: the lanes of each register and of each word of local memory.
#[derive(Debug, Default)]
pub(super) struct Difference {
    pub(super) registers: Vec<(Slot, RegisterSlot, u32)>,
    pub(super) local: Vec<(u32, u32)>,
    pub(super) carry: u32,
}

impl Difference {
    pub(super) fn is_empty(&self) -> bool {
        self.registers.is_empty() && self.local.is_empty() && self.carry == 0
    }
}

/// An instruction's memory access, if other threads cannot see it.
#[derive(Clone, Debug)]
pub(crate) enum Memory {
    Nothing,
    /// Memory that other threads may write, or that nobody writes.
    Common,
    /// Local memory: each lane's address, and the number of bytes.
    Local(Box<PerLane<u32>>, u32),
}

#[derive(Clone, Debug)]
pub(crate) enum LoggedStep {
    Instruction {
        frame: Slot,
        function: u32,
        pc: u32,
        active: u32,
        executed: u32,
        memory: Memory,
    },
    /// Lanes enter a function or return from it.
    Transfer {
        returns: bool,
        /// The calling function, its call, and the called function.
        call: (u32, CallId, u32),
        /// The frame that the lanes leave, and its stack base.
        from: (Slot, u32),
        /// The frame in which they continue, and its stack base.
        to: (Slot, u32),
        mask: u32,
    },
}

/// A read of memory that other threads may write.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoggedRead {
    pub(super) polled: PolledValue,
    pub(super) step: u32,
    pub(super) statement: u32,
    pub(super) lane: u32,
}

/// How an instruction uses the memory that it accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Reads,
    Writes,
    /// Reads memory and writes a value computed from it.
    Exchanges,
}

/// A write of memory that other threads may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct LoggedWrite {
    pub(super) range: MemoryRange,
    pub(super) exchanges: bool,
}
