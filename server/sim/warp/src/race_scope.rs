//! How far apart the threads of a race are.

/// The smallest group of threads that contains the threads of two racing accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RaceScope {
    Warp,
    Block,
    Cluster,
    Grid,
}
