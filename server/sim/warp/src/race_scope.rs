//! How far apart the threads of a race are.

/// The smallest group of threads that contains the threads of two racing accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RaceScope {
    /// One warp.
    Warp,
    /// One block.
    Block,
    /// One cluster of blocks.
    Cluster,
    /// The whole launch.
    Grid,
}
