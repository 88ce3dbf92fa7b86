//! Blocks and clusters: in which order they run, the barriers between their threads, and how a deadlock is explained.

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
