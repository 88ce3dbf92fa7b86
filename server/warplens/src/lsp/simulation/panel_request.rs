//! A request of the lanes panel.

use serde_json::Value;
use tower_lsp::jsonrpc::Id;

/// A request of the panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PanelMethod {
    Timeline,
    Moment,
    Registers,
    Accesses,
    Buffers,
    Graph,
}

impl PanelMethod {
    /// The request with this name.
    pub(crate) fn from_name(method: &str) -> Option<PanelMethod> {
        Some(match method {
            "warplens/timeline" => PanelMethod::Timeline,
            "warplens/moment" => PanelMethod::Moment,
            "warplens/registers" => PanelMethod::Registers,
            "warplens/accesses" => PanelMethod::Accesses,
            "warplens/buffers" => PanelMethod::Buffers,
            "warplens/graph" => PanelMethod::Graph,
            _ => return None,
        })
    }
}

/// A request that waits for the result of a run.
#[derive(Debug, Clone)]
pub(crate) struct PanelRequest {
    pub(crate) id: Id,
    pub(crate) method: PanelMethod,
    pub(crate) params: Value,
}

impl PanelRequest {
    /// Whether the beginning of a run that is in progress is an answer.
    pub(crate) fn takes_beginning(&self) -> bool {
        self.params["partial"] == true
    }
}
