//! `warplens/timeline`: a page of the time line of a warp.

use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use warplens_ide::lanes::panel::Page;

use super::answer;
use crate::lsp::from_proto;
use crate::lsp::simulation::panel_request::PanelRun;

#[derive(Deserialize)]
struct Params {
    #[serde(default)]
    from: u64,
    to: Option<u64>,
    bins: Option<u64>,
}

pub(crate) fn timeline(run: &PanelRun<'_>, params: Value) -> Result<Value> {
    let Params { from, to, bins } = from_proto::params(params)?;
    answer(run.panel.timeline(run.warp, Page { from, to, bins }, run.at, run.control))
}
