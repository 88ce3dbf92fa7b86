//! Blocks and clusters: the order in which they run, the barriers between their threads, and explanations of deadlocks.

mod barrier;
pub(super) mod block;
pub(super) mod cluster;
mod cluster_barrier;
mod deadlock;
mod livelock;
mod notes;
pub(super) mod parallel_blocks;
pub(super) mod sequential_blocks;
mod tensor_checks;
mod waiting;
