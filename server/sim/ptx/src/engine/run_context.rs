//! The data that all warps of a run share.

use warplens_sim_cuda::memory::spaces::Spaces;
use warplens_sim_cuda::run_state::RunState;

use super::launch::Launch;

/// The constant data of a run, its memory, and its counters and findings.
pub(crate) struct RunContext<'a> {
    pub(crate) launch: &'a Launch<'a>,
    pub(crate) spaces: &'a mut Spaces,
    pub(crate) state: &'a mut RunState,
}
