//! Requests of the lanes panel. They wait while the run of their document is in progress.

use serde_json::Value;
use tower_lsp::jsonrpc::{Id, Result};
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

/// A request that waits for the result of a run.
#[derive(Debug, Clone)]
pub(crate) struct PanelRequest {
    pub(crate) id: Id,
    pub(crate) handler: PanelHandler,
    pub(crate) params: Value,
}

impl PanelRequest {
    /// Whether the client accepts the beginning of a run that is in progress.
    pub(crate) fn accepts_beginning(&self) -> bool {
        self.params["partial"] == true
    }
}
