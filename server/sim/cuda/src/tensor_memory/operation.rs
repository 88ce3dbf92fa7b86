//! Operations on tensor memory in flight: the cells that they use, and what they do when they complete.

use std::fmt::Debug;
use std::sync::Arc;

use warplens_sim_warp::finding_kind::FindingKind;

use super::cells::{CellRange, TensorMemory};

/// An operation in flight.
#[derive(Clone, Debug)]
pub struct CellOperation {
    /// What it is called in messages.
    pub name: &'static str,
    /// The cells that it reads.
    pub reads: Vec<CellRange>,
    /// The cells that it writes.
    pub writes: Vec<CellRange>,
    pub effect: Arc<dyn CellEffect>,
}

/// What an operation does when it completes. The instructions implement it.
pub trait CellEffect: Debug + Send + Sync {
    /// Reads the sources and writes the destinations. `shared` is the shared memory of the cluster, `window` the size of a
    /// block's part of it.
    fn complete(&self, shared: &[u8], window: u32, memory: &mut TensorMemory) -> Option<LateProblem>;
}

/// What an operation found when it read its operands.
#[derive(Clone, Debug)]
pub struct LateProblem {
    /// The finding.
    pub kind: FindingKind,
    pub message: String,
}
