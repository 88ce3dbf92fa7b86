//! `textDocument/completion` and `completionItem/resolve`.

use ls_types::{CompletionItem, CompletionList, CompletionParams, CompletionResponse, Documentation};
use serde_json::Value;
use warplens_protocol::jsonrpc::{Id, Result};

use crate::client_capabilities::ClientCapabilities;
use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::errors::encoded;
use crate::language::{self, Kind};
use crate::markup::markup;
use crate::state::State;
use crate::{from_proto, to_proto};

/// `textDocument/completion`.
pub(crate) fn completion(
    snapshot: &Snapshot,
    params: &CompletionParams,
) -> NullableAnswer<CompletionResponse> {
    let at = snapshot.offset(params.text_document_position.position);
    let position = params.text_document_position.position;
    let mut items = snapshot.launch_on_line(position).completions(position, &snapshot.capabilities);
    let found = snapshot.analysis.completions(snapshot.file, at)?;
    items.extend(found.into_iter().map(|item| to_proto::completion(snapshot, item)));
    Ok(Some(CompletionResponse::List(CompletionList { is_incomplete: false, items })))
}

/// `completionItem/resolve`: adds the documentation of an item.
pub(crate) fn resolve(state: &mut State, id: Id, params: Value) {
    let resolved = resolved(params, &state.client.capabilities);
    state.requests.answer(&id, resolved);
}

fn resolved(params: Value, capabilities: &ClientCapabilities) -> Result<Value> {
    let mut item: CompletionItem = from_proto::params(params)?;
    let data = item.data.take().unwrap_or_default();
    let name = data["explain"].as_str().unwrap_or_default();
    let language = match data["language"].as_str().map(language::by_id) {
        Some(Kind::Supported(language)) => Some(language),
        _ => None,
    };
    let explained = warplens_ide::explain(name, language);
    item.documentation =
        explained.map(|text| Documentation::MarkupContent(markup(text, capabilities.markdown)));
    encoded(item)
}
