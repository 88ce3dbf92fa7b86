//! What a statement does with undefined values.

use warplens_sim_cuda::registers::{Lanes, Registers};
use warplens_sim_cuda::sanitizer::undefined_use::{UndefinedOrigin, UndefinedUse};

use crate::program::Function;

/// The uses of undefined values by a statement.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UndefinedUses {
    /// One that matters.
    pub(crate) used: Option<UndefinedUse>,
    /// A store, which matters where other threads can see it.
    pub(crate) stored: Option<UndefinedUse>,
    /// The lanes with an undefined source.
    pub(crate) sources: u32,
    /// The origin of an undefined source or of a stored value.
    pub(crate) root: Option<UndefinedOrigin>,
}

/// The undefined bits of a value, by lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UndefinedBits {
    pub(crate) bits: Lanes<u64>,
    /// The lanes in which the bytes are as they were loaded: the undefined ones may be the padding of a structure.
    pub(crate) copied: u32,
}

/// The undefined inputs of a warp-wide operation, by lane.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UndefinedInput {
    /// The exchanged value.
    pub(crate) value: u32,
    /// Its undefined bits, if some lanes are undefined only in part.
    pub(crate) bits: Option<UndefinedBits>,
    /// The operands that select the source lane.
    pub(crate) selector: u32,
    pub(crate) root: Option<UndefinedOrigin>,
}

/// A statement about to execute, in these lanes.
pub(crate) struct StatementVisit<'f> {
    pub(crate) function: &'f Function,
    pub(crate) pc: u32,
    pub(crate) active: u32,
    pub(crate) executed: u32,
    pub(crate) registers: &'f Registers,
}
