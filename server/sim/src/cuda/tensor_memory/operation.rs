//! Operations on tensor memory in flight: the cells that they use, and what they do when they complete.

use crate::warp::finding_kind::FindingKind;
use std::fmt::Debug;
use std::sync::Arc;

use super::cells::{CellRange, TensorMemory};

/// An operation in flight.
#[derive(Clone, Debug)]
pub(crate) struct CellOperation {
    /// What it is called in messages.
    pub(crate) name: &'static str,
    /// The cells that it reads.
    pub(crate) reads: Vec<CellRange>,
    /// The cells that it writes.
    pub(crate) writes: Vec<CellRange>,
    pub(crate) effect: Arc<dyn CellEffect>,
}

/// What an operation does when it completes. The instructions implement it.
pub(crate) trait CellEffect: Debug + Send + Sync {
    /// Reads the sources and writes the destinations. `shared` is the shared memory of the cluster, `window` the size of a
    /// block's part of it.
    fn complete(&self, shared: &[u8], window: u32, memory: &mut TensorMemory) -> Option<LateProblem>;
}

/// What an operation found when it read its operands.
#[derive(Clone, Debug)]
pub(crate) struct LateProblem {
    /// The finding.
    pub(crate) kind: FindingKind,
    pub(crate) message: String,
}
