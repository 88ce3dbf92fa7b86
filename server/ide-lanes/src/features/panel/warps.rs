//! All warps of the run, with the costs of their accesses.

use warplens_sim_warp::RunOptions;

use super::error::PanelError;
use super::run::PanelQuery;
use crate::features::WarpSummaries;

/// The limit of warps in an answer. A run may record more.
const MAX_WARPS: usize = 4096;

impl PanelQuery<'_> {
    /// The first warps of the run, in the order of block, then warp.
    pub fn warps(&self) -> Result<WarpSummaries, PanelError> {
        let panel = self.panel;
        let counted = if panel.prepared.options.counters {
            None
        } else {
            let options = RunOptions { counters: true, ..RunOptions::default() };
            Some(panel.prepared.again_with_warps(options, self.control)?)
        };
        let warps = counted.as_ref().map_or(&panel.result.warps, |counted| &counted.warps);
        Ok(WarpSummaries::of(&panel.prepared, &panel.result, &warps[..warps.len().min(MAX_WARPS)]))
    }
}
