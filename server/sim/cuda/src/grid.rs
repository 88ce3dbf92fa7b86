//! Blocks and clusters: the order in which they run, the barriers between their threads, and deadlocks.
//!
//! A language implements [`CudaWarp`](warp::CudaWarp) and [`ClusterReports`](cluster::ClusterReports) for its warps; the
//! rest is generic.

mod after_fault;
mod barrier;
pub mod block;
pub mod cluster;
pub mod cluster_barrier;
mod deadlock;
mod early_wait;
pub mod launch;
mod livelock;
mod parallel_blocks;
pub mod pause;
pub mod residency;
pub mod run;
mod scheduled_clusters;
mod sequential_blocks;
mod standstill;
pub mod warp;
