//! `warplens/buffers`: the buffers of the launch, and a page of one of them or the writer of an element.

use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use warplens_ide::lanes::panel::{BufferRequest, PanelQuery};

use super::answer;
use crate::lsp::from_proto;

#[derive(Deserialize)]
struct Params {
    name: Option<String>,
    #[serde(default)]
    from: u64,
    count: Option<u64>,
    element: Option<u64>,
}

pub(crate) fn buffers(query: &PanelQuery<'_>, params: Value) -> Result<Value> {
    let Params { name, from, count, element } = from_proto::params(params)?;
    answer(query.buffers(&BufferRequest { name, from, count, element }))
}
