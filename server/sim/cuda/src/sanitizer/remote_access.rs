//! Accesses to the shared memory of another block of the cluster.

use super::stamp::Stamp;

/// The last access by one statement and warp to the memory of another block.
#[derive(Clone, Copy, Debug)]
pub(super) struct RemoteAccess {
    /// The rank of the block that owns the memory.
    pub(super) rank: u32,
    pub(super) stamp: Stamp,
    /// The accessing block and warp.
    pub(super) block: u32,
    pub(super) warp: u32,
}
