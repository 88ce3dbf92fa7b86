//! How a statement uses undefined values.

use warplens_sim_cuda::registers::{PerLane, Registers};
use warplens_sim_cuda::sanitizer::undefined_use::{UndefinedOrigin, UndefinedUse};

use crate::program::Function;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UndefinedUses {
    pub(crate) used: Option<UndefinedUse>,
    /// A store, which matters if other threads can see it.
    pub(crate) stored: Option<UndefinedUse>,
    pub(crate) sources: u32,
    /// The origin of an undefined source or a stored value.
    pub(crate) root: Option<UndefinedOrigin>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct UndefinedBits {
    pub(crate) bits: PerLane<u64>,
    /// The lanes in which the bytes are as they were loaded, so the undefined ones may be the padding of a structure.
    pub(crate) copied: u32,
}

/// The undefined inputs of a warp-wide operation, by lane.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UndefinedInput {
    /// Lanes in which the exchanged value is undefined.
    pub(crate) value: u32,
    /// The value's undefined bits, if some lanes are only partly undefined.
    pub(crate) bits: Option<UndefinedBits>,
    /// Lanes in which the operands that select the source lane are undefined.
    pub(crate) selector: u32,
    pub(crate) root: Option<UndefinedOrigin>,
}

/// A statement that these lanes are about to execute.
pub(crate) struct StatementVisit<'f> {
    pub(crate) function: &'f Function,
    pub(crate) pc: u32,
    pub(crate) active: u32,
    pub(crate) executed: u32,
    pub(crate) registers: &'f Registers,
}
