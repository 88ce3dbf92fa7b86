//! What a handler of the lanes panel sees of a run.

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use warplens_ide::lanes::WarpId;
use warplens_ide::lanes::json::Positions;
use warplens_ide::lanes::panel::Panel;
use warplens_sim_warp::Control;

/// The run that a document shows, as a handler of the panel sees it.
pub(crate) struct PanelRun<'a> {
    pub(crate) panel: &'a Panel,
    /// The requested warp, by default the one that is shown.
    pub(crate) warp: WarpId,
    pub(crate) at: Positions<'a>,
    pub(crate) control: Control<'a>,
}

/// Computes the answer to a request from its parameters.
pub(crate) type PanelHandler = fn(&PanelRun<'_>, Value) -> Result<Value>;
