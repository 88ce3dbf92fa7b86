//! `warplens/graph`: the control flow of the kernel with the visits of a warp.

use serde_json::Value;
use tower_lsp::jsonrpc::Result;

use super::answer;
use crate::lsp::simulation::panel_request::PanelRun;

pub(crate) fn graph(run: &PanelRun<'_>, _: Value) -> Result<Value> {
    answer(run.panel.graph(run.warp, run.at, run.control))
}
