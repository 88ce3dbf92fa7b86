//! Operations in flight on tensor memory: which cells they use, and what they do when they complete.

use std::fmt::Debug;
use std::sync::Arc;

use warplens_sim_warp::finding_kind::FindingKind;

use super::cells::{CellRange, TensorMemory};

#[derive(Clone, Debug)]
pub struct CellOperation {
    pub name: &'static str,
    /// M and N of a product.
    pub shape: Option<[u32; 2]>,
    pub reads: Vec<CellRange>,
    pub writes: Vec<CellRange>,
    pub effect: Arc<dyn CellEffect>,
}

/// What an operation does when it completes; implemented by the instructions.
pub trait CellEffect: Debug + Send + Sync {
    /// Reads the sources and writes the destinations. `shared` is the shared memory of the cluster, `window` the size
    /// of each block's part of it.
    fn complete(&self, shared: &[u8], window: u32, memory: &mut TensorMemory) -> Option<LateProblem>;

    /// What that costs, as the meter counts it.
    fn accesses(&self) -> u64;
}

/// A problem that an operation found in its operands when it completed.
#[derive(Clone, Debug)]
pub struct LateProblem {
    pub kind: FindingKind,
    pub message: String,
}
