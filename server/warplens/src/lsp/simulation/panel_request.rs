//! Requests of the lanes panel. They wait while the run of their document is in progress.

use serde_json::Value;
use tower_lsp::jsonrpc::{Id, Result};
use warplens_ide::lanes::panel::PanelQuery;

/// Computes the answer to a request from its parameters.
pub(crate) type PanelHandler = fn(&PanelQuery<'_>, Value) -> Result<Value>;

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
