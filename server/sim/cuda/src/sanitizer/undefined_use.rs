//! The origins of undefined values, and where they matter.

use crate::inactive_sources::InactiveSources;

/// The origin of an undefined value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndefinedOrigin {
    pub statement: u32,
    pub cause: Cause,
    /// The lanes that are undefined there.
    pub lanes: u32,
    /// The first warp-wide operation through which the value reached other lanes.
    pub through: Option<u32>,
}

/// Why a value is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
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
pub struct UndefinedUse {
    pub root: UndefinedOrigin,
    pub statement: u32,
    pub part: Part,
    pub lanes: u32,
}

/// The use of a register that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A source of the result.
    Source,
    /// An address, or a part of one.
    Address,
    /// A value stored where other threads see it.
    Stored,
    /// The selection of a branch target or of a barrier.
    Choice,
    /// The member mask of a warp-wide operation.
    Members,
    /// The guard, which lanes that do not execute read too.
    Guard,
}
