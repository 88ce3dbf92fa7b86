//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `outgoingCalls`.

use ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, Range,
};
use warplens_ide::{CallItem, Calls};

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::to_proto;

pub(crate) fn prepare(
    snapshot: &Snapshot,
    params: &CallHierarchyPrepareParams,
) -> NullableAnswer<Vec<CallHierarchyItem>> {
    let at = snapshot.offset(params.text_document_position_params.position);
    let found = snapshot.analysis.call_item(snapshot.file, at)?;
    Ok(found.map(|found| vec![item(snapshot, found)]))
}

pub(crate) fn incoming(
    snapshot: &Snapshot,
    params: &CallHierarchyIncomingCallsParams,
) -> NullableAnswer<Vec<CallHierarchyIncomingCall>> {
    let calls = snapshot.analysis.incoming_calls(snapshot.file, &params.item.name)?;
    let call = |(item, from_ranges)| CallHierarchyIncomingCall { from: item, from_ranges };
    Ok(Some(calls.into_iter().map(|calls| converted(snapshot, calls)).map(call).collect()))
}

pub(crate) fn outgoing(
    snapshot: &Snapshot,
    params: &CallHierarchyOutgoingCallsParams,
) -> NullableAnswer<Vec<CallHierarchyOutgoingCall>> {
    let calls = snapshot.analysis.outgoing_calls(snapshot.file, &params.item.name)?;
    let call = |(item, from_ranges)| CallHierarchyOutgoingCall { to: item, from_ranges };
    Ok(Some(calls.into_iter().map(|calls| converted(snapshot, calls)).map(call).collect()))
}

/// The other function, and the ranges of its calls.
fn converted(snapshot: &Snapshot, calls: Calls) -> (CallHierarchyItem, Vec<Range>) {
    let places = calls.places.iter().map(|range| snapshot.range(*range)).collect();
    (item(snapshot, calls.item), places)
}

/// A function of the document. Requests for its calls identify the function by its name.
fn item(snapshot: &Snapshot, item: CallItem) -> CallHierarchyItem {
    CallHierarchyItem {
        name: item.name,
        kind: to_proto::symbol_kind(item.kind),
        tags: None,
        detail: Some(item.detail),
        uri: snapshot.uri.clone(),
        range: snapshot.range(item.target.full),
        selection_range: snapshot.range(item.target.focus),
        data: None,
    }
}
