//! Instructions that all threads of a warp must execute together.

use warplens_sim_cuda::fault::{Fault, Result};
use warplens_sim_warp::finding_kind::FindingKind;

/// Checks that all lanes of the warp execute the instruction `name`.
pub(crate) fn whole_warp(name: &str, kind: FindingKind, mask: u32) -> Result {
    if mask == u32::MAX {
        return Ok(());
    }
    let message = format!(
        "`{name}` is executed by a part of a warp\nall 32 threads of the warp must execute it together: move it out of \
         divergent code"
    );
    Err(Fault::new(kind, message, mask))
}
