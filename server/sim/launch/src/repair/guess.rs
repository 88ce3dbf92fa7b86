//! What an inferred launch is inferred from, and which findings may be due to it.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{RunResult, Status};

use crate::body::Body;
use crate::kernel::Kernel;

/// Findings about values, addresses and sizes. In an inferred launch they are guesses, even if all attempts have them.
pub(super) const ABOUT_VALUES: [FindingKind; 12] = [
    FindingKind::Assertion,
    FindingKind::BitField,
    FindingKind::ClusterRank,
    FindingKind::DivisionByZero,
    FindingKind::MemoryLimit,
    FindingKind::Misaligned,
    FindingKind::NullPointer,
    FindingKind::OutOfBounds,
    FindingKind::StepLimit,
    FindingKind::TensorMap,
    FindingKind::Trap,
    FindingKind::UninitializedRead,
];

/// Findings that depend on how many threads and blocks there are: if the size is a guess, all attempts may have the wrong one.
pub(super) const ABOUT_SIZE: [FindingKind; 4] = [
    FindingKind::BarrierDeadlock,
    FindingKind::NoProgress,
    FindingKind::Warpgroup,
    FindingKind::WrongMembermask,
];

/// Findings that another size may avoid before they occur, so that an attempt that stops earlier counts as one without them.
pub(super) const ABOUT_ORDER: [FindingKind; 3] =
    [FindingKind::AsyncResult, FindingKind::AsyncSource, FindingKind::DataRace];

/// Findings that do not depend on the launch.
pub(super) const ABOUT_CODE: [FindingKind; 3] =
    [FindingKind::ControlFlow, FindingKind::NoInstruction, FindingKind::Unsupported];

/// The basis of an inferred launch.
#[derive(Debug, Clone)]
pub struct Guess {
    pub kernel: Kernel,
    /// The properties of the kernel's body.
    pub body: Body,
    /// Limit of all buffers together, in bytes.
    pub max_memory: u64,
    /// Whether the size of the launch is known, so that only its arguments are guesses.
    pub has_size: bool,
}

/// Whether a run needs no repair.
pub fn is_clean(result: &RunResult) -> bool {
    result.status == Status::Finished && result.accusations().next().is_none()
}
