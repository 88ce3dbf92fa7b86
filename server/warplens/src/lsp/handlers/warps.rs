//! `warplens/warps`: the warps of the run that a document shows.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tower_lsp::ls_types::TextDocumentIdentifier;
use tower_lsp::ls_types::request::Request;

use crate::lsp::documents::snapshot::{Failure, Snapshot};
use crate::lsp::to_proto::to_value;

pub(crate) enum Warps {}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WarpsParams {
    text_document: TextDocumentIdentifier,
}

impl Request for Warps {
    type Params = WarpsParams;
    type Result = Value;
    const METHOD: &'static str = "warplens/warps";
}

/// Each recorded warp; `null` if nothing has run.
pub(crate) fn warps(snapshot: &Snapshot) -> Result<Value, Failure> {
    let Some(lanes) = snapshot.lanes() else { return Ok(Value::Null) };
    let mut answer = to_value(lanes.prepared.warp_summaries(&lanes.outcome))?;
    answer["version"] = json!(snapshot.version);
    answer["entry"] = json!(lanes.shown.entry());
    answer["launch"] = json!(lanes.shown.launch().name);
    Ok(answer)
}
