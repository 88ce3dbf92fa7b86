//! Groups of lanes that run, and lanes that wait.

use crate::program::Token;

/// Lanes that run together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// The next statement.
    pub(crate) pc: u32,
    /// The lanes.
    pub(crate) mask: u32,
    /// Whether no other lanes can run.
    pub(crate) alone: bool,
}

/// Lanes that are not running.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// The statement at which they wait, or their next one.
    pub(crate) statement: u32,
    /// The lanes.
    pub(crate) mask: u32,
    /// What for.
    pub(crate) why: WaitReason,
}

/// Why lanes do not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WaitReason {
    /// Others run first.
    Runnable,
    /// They wait in a token.
    Token(Token),
    /// They wait at a `BSYNC` for these lanes.
    Barrier(u8, u32),
    /// They wait at a `WARPSYNC` for these lanes.
    WarpSync(u32),
    /// They wait at a barrier of the block.
    Block,
}

/// An instruction that the state of the machine does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MachineError {
    /// No token of the kind.
    NoToken(Token),
    /// Lanes wait for others, which the machine runs after them.
    RunsLater(u32),
}

/// Groups that continue together: the statement, and the groups.
pub(crate) type Joined = (u32, Vec<u32>);
