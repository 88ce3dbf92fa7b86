//! `warplens/timeline`: a page of the time line of a warp.

use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use warplens_ide::lanes::panel::{Page, PanelQuery};

use super::answer;
use crate::lsp::from_proto;

#[derive(Deserialize)]
struct Params {
    #[serde(default)]
    from: u64,
    to: Option<u64>,
    bins: Option<u64>,
}

pub(crate) fn timeline(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    let Params { from, to, bins } = from_proto::params(params)?;
    answer(query.timeline(Page { from, to, bins }))
}
