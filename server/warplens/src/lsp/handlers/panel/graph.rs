//! `warplens/graph`: the control flow of the kernel with the visits of a warp.

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use warplens_ide::lanes::panel::PanelQuery;

use super::answer;

pub(crate) fn graph(query: &PanelQuery<'_>, _: Value) -> Result<Value> {
    answer(query.graph())
}
