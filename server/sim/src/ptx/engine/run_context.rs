//! What all warps of a run share.

use super::launch::Launch;
use crate::cuda::memory::spaces::Spaces;
use crate::cuda::run_state::RunState;

/// The constant data of a run, its memory, and its counters and findings.
pub(crate) struct RunContext<'a> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) spaces: &'a mut Spaces,
    pub(crate) state: &'a mut RunState,
}
