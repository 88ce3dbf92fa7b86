//! The origins and the uses of undefined values.

use crate::cuda::inactive_sources::InactiveSources;
use crate::cuda::registers::{Lanes, Registers};
use crate::ptx::program::{Function, Part};

/// The origin of an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UndefinedOrigin {
    pub(crate) statement: u32,
    pub(crate) cause: Cause,
    /// The lanes that are undefined there.
    pub(crate) lanes: u32,
    /// The first warp-wide operation through which the value reached other lanes.
    pub(crate) through: Option<u32>,
}

/// Why a value is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    /// This register was not written.
    Register(u32),
    /// Memory was not written.
    Memory,
    /// A shuffle read lanes that do not take part in it.
    Shuffle(InactiveSources),
    /// A division by zero.
    Division,
}

/// A use of an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UndefinedUse {
    pub(crate) root: UndefinedOrigin,
    pub(crate) statement: u32,
    pub(crate) part: Part,
    pub(crate) lanes: u32,
}

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
