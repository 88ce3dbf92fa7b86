//! The routing table: every request and notification of the client with its handler. A new message is one line here and a file in
//! `handlers`.

use std::sync::{Arc, LazyLock};

use ls_types::notification::{
    Cancel, DidChangeConfiguration, DidChangeTextDocument, DidChangeWatchedFiles, DidChangeWorkspaceFolders,
    DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Notification, WorkDoneProgressCancel,
};
use ls_types::request::{
    CallHierarchyIncomingCalls, CallHierarchyOutgoingCalls, CallHierarchyPrepare, CodeActionRequest,
    CodeLensRequest, Completion, DocumentDiagnosticRequest, DocumentHighlightRequest, DocumentLinkRequest,
    DocumentSymbolRequest, ExecuteCommand, FoldingRangeRequest, Formatting, GotoDefinition,
    GotoImplementation, HoverRequest, InlayHintRequest, OnTypeFormatting, PrepareRenameRequest,
    RangeFormatting, References, Rename, Request as Method, ResolveCompletionItem, SelectionRangeRequest,
    SemanticTokensFullDeltaRequest, SemanticTokensFullRequest, SemanticTokensRangeRequest,
    SignatureHelpRequest, WorkspaceSymbolRequest,
};
use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use warplens_protocol::jsonrpc::{Id, Result};

use crate::documents::request::Urgency::{Debounced, Now, Soon};
use crate::documents::request::{Request, Response, Urgency};
use crate::documents::snapshot::{Failure, Snapshot};
use crate::from_proto::document_params;
use crate::handlers::panel::answers::{
    accesses, all_warps, buffers, graph, moment, registers, timeline, why,
};
use crate::handlers::syntax_tree::syntax_tree;
use crate::handlers::warps::warps;
use crate::handlers::{
    call_hierarchy, code_action, code_lens, completion, definition, diagnostic, document_highlight,
    document_link, document_symbol, folding_range, formatting, hover, implementation, inlay_hint, references,
    rename, selection_range, semantic_tokens, signature_help,
};
use crate::simulation::selection::PanelHandler;
use crate::state::{State, ToolHandler};

/// How a request is handled.
pub(crate) enum Route {
    /// Reads one document, on a worker.
    Document(Box<dyn Fn(Value) -> Result<Request> + Send + Sync>),
    /// Runs on the state thread. The handler answers the request, at once or later.
    State(fn(&mut State, Id, Value)),
    /// Is answered from the run that a document shows.
    Panel(PanelHandler),
    /// Runs external tools or a whole comparison, on a thread of its own. It waits for the settings, which name the tools.
    Tool(ToolHandler),
}

type NotificationHandler = Box<dyn Fn(&mut State, Value) + Send + Sync>;

pub(crate) static REQUESTS: LazyLock<FxHashMap<&str, Route>> = LazyLock::new(|| {
    FxHashMap::from_iter([
        document::<HoverRequest>(Now, hover::hover),
        document::<Completion>(Now, completion::completion),
        (ResolveCompletionItem::METHOD, Route::State(completion::resolve)),
        document::<SignatureHelpRequest>(Now, signature_help::signature_help),
        document::<GotoDefinition>(Now, definition::definition),
        respond::<GotoImplementation>(Now, implementation::linked_name),
        document::<References>(Now, references::references),
        document::<DocumentHighlightRequest>(Now, document_highlight::highlights),
        document::<PrepareRenameRequest>(Now, rename::prepare),
        document::<Rename>(Now, rename::rename),
        document::<CallHierarchyPrepare>(Now, call_hierarchy::prepare),
        document::<CallHierarchyIncomingCalls>(Soon, call_hierarchy::incoming),
        document::<CallHierarchyOutgoingCalls>(Soon, call_hierarchy::outgoing),
        (WorkspaceSymbolRequest::METHOD, Route::State(State::workspace_symbol)),
        document::<DocumentSymbolRequest>(Soon, |snapshot, _| document_symbol::symbols(snapshot)),
        document::<DocumentLinkRequest>(Soon, |snapshot, _| document_link::links(snapshot)),
        document::<FoldingRangeRequest>(Soon, |snapshot, _| folding_range::folds(snapshot)),
        document::<SelectionRangeRequest>(Now, selection_range::selection_ranges),
        document::<SemanticTokensFullRequest>(Soon, |snapshot, _| semantic_tokens::full(snapshot)),
        document::<SemanticTokensFullDeltaRequest>(Soon, semantic_tokens::full_delta),
        document::<SemanticTokensRangeRequest>(Soon, semantic_tokens::range),
        document::<InlayHintRequest>(Soon, inlay_hint::inlay_hints),
        document::<CodeLensRequest>(Soon, |snapshot, _| code_lens::lenses(snapshot)),
        document::<CodeActionRequest>(Now, code_action::actions),
        respond::<DocumentDiagnosticRequest>(Debounced, |snapshot, _| diagnostic::pull(snapshot)),
        document::<Formatting>(Soon, |snapshot, _| formatting::document(snapshot)),
        document::<RangeFormatting>(Soon, formatting::range),
        document::<OnTypeFormatting>(Now, formatting::on_type),
        (ExecuteCommand::METHOD, Route::State(State::execute_command)),
        ("warplens/laneMasks", Route::State(State::lane_masks)),
        whole_document("warplens/warps", warps),
        whole_document("warplens/syntaxTree", syntax_tree),
        ("warplens/timeline", Route::Panel(timeline)),
        ("warplens/moment", Route::Panel(moment)),
        ("warplens/registers", Route::Panel(registers)),
        ("warplens/why", Route::Panel(why)),
        ("warplens/accesses", Route::Panel(accesses)),
        ("warplens/buffers", Route::Panel(buffers)),
        ("warplens/graph", Route::Panel(graph)),
        ("warplens/allWarps", Route::Panel(all_warps)),
        ("warplens/listing", Route::Tool(State::listing)),
        ("warplens/assemble", Route::Tool(State::assembled)),
        ("warplens/targets", Route::Tool(State::targets)),
        ("warplens/compare", Route::Tool(State::compare)),
    ])
});

pub(crate) static NOTIFICATIONS: LazyLock<FxHashMap<&str, NotificationHandler>> = LazyLock::new(|| {
    FxHashMap::from_iter([
        notification::<DidOpenTextDocument>(State::did_open),
        untyped::<DidChangeTextDocument>(State::did_change),
        notification::<DidSaveTextDocument>(State::did_save),
        notification::<DidCloseTextDocument>(State::did_close),
        notification::<DidChangeWorkspaceFolders>(|state, params| {
            state.workspace_index.change_folders(params)
        }),
        untyped::<DidChangeConfiguration>(State::did_change_configuration),
        // Only launch files are watched.
        untyped::<DidChangeWatchedFiles>(|state, _| state.prepare_all_again()),
        untyped::<Cancel>(|state, params| state.cancel(&params)),
        untyped::<WorkDoneProgressCancel>(|state, params| state.progress_cancelled(&params)),
    ])
});

/// A request that the handler answers from a snapshot.
fn document<R: Method<Params: Send + Sync + 'static, Result: 'static>>(
    urgency: Urgency,
    handler: fn(&Snapshot, &R::Params) -> std::result::Result<R::Result, Failure>,
) -> (&'static str, Route) {
    let respond = move |snapshot: &Snapshot, params: &_| Response::value(handler(snapshot, params)?);
    (R::METHOD, document_route::<R::Params>(urgency, respond))
}

/// A request with no parameters besides the document.
fn whole_document<T: Serialize + 'static>(
    method: &'static str,
    handler: fn(&Snapshot) -> std::result::Result<T, Failure>,
) -> (&'static str, Route) {
    (method, document_route::<Value>(Soon, move |snapshot, _| Response::value(handler(snapshot)?)))
}

/// A request whose response the state thread turns into the answer.
fn respond<R: Method<Params: Send + Sync + 'static>>(
    urgency: Urgency,
    handler: fn(&Snapshot, &R::Params) -> std::result::Result<Response, Failure>,
) -> (&'static str, Route) {
    (R::METHOD, document_route(urgency, handler))
}

/// A request about a document, which `respond` answers from a snapshot.
fn document_route<P: DeserializeOwned + Send + Sync + 'static>(
    urgency: Urgency,
    respond: impl Fn(&Snapshot, &P) -> std::result::Result<Response, Failure> + Copy + Send + Sync + 'static,
) -> Route {
    Route::Document(Box::new(move |params| {
        let (uri, params) = document_params::<P>(params)?;
        Ok(Request { uri, urgency, handler: Arc::new(move |snapshot| respond(snapshot, &params)) })
    }))
}

fn notification<N: Notification>(handler: fn(&mut State, N::Params)) -> (&'static str, NotificationHandler)
where
    N::Params: 'static,
{
    let handle = move |state: &mut State, params| match serde_json::from_value(params) {
        Ok(params) => handler(state, params),
        Err(error) => tracing::error!("{}: {error}", N::METHOD),
    };
    (N::METHOD, Box::new(handle))
}

/// A notification whose parameters clients do not always send as specified.
fn untyped<N: Notification>(handler: fn(&mut State, Value)) -> (&'static str, NotificationHandler) {
    (N::METHOD, Box::new(handler))
}
