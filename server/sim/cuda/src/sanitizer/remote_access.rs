//! Accesses to the shared memory of another block of the cluster.

use super::stamp::Stamp;

/// The last access of a statement of a warp to the memory of another block.
#[derive(Clone, Copy, Debug)]
pub(super) struct RemoteAccess {
    /// The rank of the block whose memory it is.
    pub(super) rank: u32,
    pub(super) stamp: Stamp,
    /// The number of the block that accesses it, and its warp.
    pub(super) block: u32,
    pub(super) warp: u32,
}
