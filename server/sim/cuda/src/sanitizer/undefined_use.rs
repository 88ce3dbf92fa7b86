//! Where undefined values come from, and where they matter.

use crate::inactive_sources::InactiveSources;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndefinedOrigin {
    pub statement: u32,
    pub cause: Cause,
    /// The lanes in which the value is undefined at its origin.
    pub lanes: u32,
    /// The first warp-wide operation that passed the value to other lanes.
    pub through: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Register(u32),
    /// The carry flag, which no instruction wrote.
    Carry,
    Memory,
    /// A product, `wgmma` or `tcgen05.mma`, of shared memory that nobody has written.
    Factor,
    /// Tensor memory that nothing has written.
    Cell,
    Shuffle(InactiveSources),
    Division,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndefinedUse {
    pub root: UndefinedOrigin,
    pub statement: u32,
    pub part: ReadKind,
    pub lanes: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadKind {
    Source,
    Address,
    /// A value that is stored where other threads see it.
    Stored,
    /// Selects a branch target or a barrier.
    Choice,
    /// The member mask of a warp-wide operation.
    Members,
    /// The guard; lanes that it predicates off read it too.
    Guard,
}
