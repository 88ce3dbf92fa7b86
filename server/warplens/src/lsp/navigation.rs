//! Requests that lead elsewhere: to the source that a file was compiled from, to callers and callees, to other files.

use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types as lsp;
use tower_lsp::ls_types::request::{
    CallHierarchyIncomingCalls, CallHierarchyOutgoingCalls, CallHierarchyPrepare, DocumentLinkRequest,
    GotoImplementation, Request,
};
use warplens_ide::{CallItem, Calls, TextRange};

use super::convert;
use super::job::{Done, Failure, Question, Urgency};
use super::requests::{Asked, ask, read};

/// The question of a request; `None` for a method that is not among them.
pub(super) fn route(method: &str, params: Value) -> Option<Result<Asked>> {
    use Urgency::{Now, Soon};
    Some(match method {
        DocumentLinkRequest::METHOD => {
            read::<DocumentLinkRequest>(params, Soon, |question, _| links(question).map(Some))
        }
        CallHierarchyPrepare::METHOD => read::<CallHierarchyPrepare>(params, Now, |question, params| {
            let at = question.offset(params.text_document_position_params.position);
            let item = question.analysis.call_item(question.file, at)?;
            Ok(item.map(|item| vec![call_item(question, item)]))
        }),
        CallHierarchyIncomingCalls::METHOD => {
            read::<CallHierarchyIncomingCalls>(params, Soon, |question, params| {
                let calls = question.analysis.incoming_calls(question.file, &params.item.name)?;
                let call = |calls: Calls| lsp::CallHierarchyIncomingCall {
                    from_ranges: ranges(question, &calls.places),
                    from: call_item(question, calls.item),
                };
                Ok(Some(calls.into_iter().map(call).collect()))
            })
        }
        CallHierarchyOutgoingCalls::METHOD => {
            read::<CallHierarchyOutgoingCalls>(params, Soon, |question, params| {
                let calls = question.analysis.outgoing_calls(question.file, &params.item.name)?;
                let call = |calls: Calls| lsp::CallHierarchyOutgoingCall {
                    from_ranges: ranges(question, &calls.places),
                    to: call_item(question, calls.item),
                };
                Ok(Some(calls.into_iter().map(call).collect()))
            })
        }
        // Which files define the name is a question about all of them.
        GotoImplementation::METHOD => ask::<GotoImplementation>(params, Now, |question, params| {
            let at = question.offset(params.text_document_position_params.position);
            Ok(Done::Linked(question.analysis.linked_name(question.file, at)?))
        }),
        _ => return None,
    })
}

fn ranges(question: &Question, ranges: &[TextRange]) -> Vec<lsp::Range> {
    ranges.iter().map(|range| question.range(*range)).collect()
}

/// A function of the document; its name tells which one when its calls are asked for.
fn call_item(question: &Question, item: CallItem) -> lsp::CallHierarchyItem {
    lsp::CallHierarchyItem {
        name: item.name,
        kind: convert::symbol_kind(item.kind),
        tags: None,
        detail: Some(item.detail),
        uri: question.uri.clone(),
        range: question.range(item.target.full),
        selection_range: question.range(item.target.focus),
        data: None,
    }
}

/// The links whose files exist.
fn links(question: &Question) -> std::result::Result<Vec<lsp::DocumentLink>, Failure> {
    let links = question.analysis.links(question.file)?;
    let folder = question.uri.to_file_path().and_then(|path| path.parent().map(Path::to_path_buf));
    let mut files: FxHashMap<String, Option<lsp::Uri>> = FxHashMap::default();
    let mut found = Vec::new();
    for link in links {
        let file =
            files.entry(link.path.to_string()).or_insert_with_key(|path| source(folder.as_ref(), path));
        let Some(file) = file else { continue };
        let target = match link.place {
            None | Some((0, _)) => Some(file.clone()),
            Some((line, 0)) => format!("{}#L{line}", file.as_str()).parse().ok(),
            Some((line, column)) => format!("{}#L{line},{column}", file.as_str()).parse().ok(),
        };
        found.push(lsp::DocumentLink {
            range: question.range(link.range),
            target,
            tooltip: link.place.map(|(line, _)| format!("{}:{line}", link.path)),
            data: None,
        });
    }
    Ok(found)
}

/// The source file of this name, if it is there: an absolute path, or one from the folder of the document.
fn source(folder: Option<&PathBuf>, path: &str) -> Option<lsp::Uri> {
    let path = Path::new(path);
    let path = if path.is_absolute() { path.to_path_buf() } else { folder?.join(path) };
    path.is_file().then(|| lsp::Uri::from_file_path(&path)).flatten()
}
