//! Groups of running lanes, and waiting lanes.

use crate::program::Token;

/// Lanes that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) pc: u32,
    pub(crate) mask: u32,
    /// Whether no other lanes can run.
    pub(crate) alone: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// The statement at which the lanes wait, or their next one.
    pub(crate) statement: u32,
    pub(crate) mask: u32,
    pub(crate) why: WaitReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitReason {
    /// Other lanes run first.
    Runnable,
    /// The lanes wait in a token.
    Token(Token),
    /// The lanes wait at a `BSYNC` for the lanes of this mask.
    Barrier(u8, u32),
    /// The lanes wait at a `WARPSYNC` for the lanes of this mask.
    WarpSync(u32),
    /// The lanes wait at a barrier of the block or of the cluster.
    Block,
}

/// An instruction that the state of the machine does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MachineError {
    /// There is no token of this kind.
    NoToken(Token),
    /// Lanes wait for lanes that the machine runs only later.
    RunsLater(u32),
}

/// The statement at which groups continue together, and the groups.
pub(crate) type Joined = (u32, Vec<u32>);
