//! The requests that read one document, by method.

use std::sync::Arc;

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::request::{
    CallHierarchyIncomingCalls, CallHierarchyOutgoingCalls, CallHierarchyPrepare, CodeActionRequest,
    CodeLensRequest, Completion, DocumentDiagnosticRequest, DocumentHighlightRequest, DocumentLinkRequest,
    DocumentSymbolRequest, FoldingRangeRequest, Formatting, GotoDefinition, GotoImplementation, HoverRequest,
    InlayHintRequest, OnTypeFormatting, PrepareRenameRequest, RangeFormatting, References, Rename,
    Request as Method, SelectionRangeRequest, SemanticTokensFullDeltaRequest, SemanticTokensFullRequest,
    SemanticTokensRangeRequest, SignatureHelpRequest,
};

use super::from_proto::document_params;
use super::handlers::syntax_tree::{SyntaxTree, syntax_tree};
use super::handlers::warps::{Warps, warps};
use super::handlers::{
    call_hierarchy, code_action, code_lens, completion, definition, diagnostic, document_highlight,
    document_link, document_symbol, folding_range, formatting, hover, implementation, inlay_hint, references,
    rename, selection_range, semantic_tokens, signature_help,
};
use super::request::{Request, Response, Urgency};
use super::snapshot::{Failure, Snapshot};
use super::to_proto::to_value;

/// The function that finds the request of a method, from a table: method, scheduling class, handler.
macro_rules! routes {
    ($($method:ident $urgency:ident $handler:expr;)*) => {
        /// The request of a method; `None` for a method that does not read one document.
        pub(crate) fn document_request(method: &str, params: Value) -> Option<Result<Request>> {
            Some(match method {
                $($method::METHOD => read::<$method>(params, Urgency::$urgency, $handler),)*
                DocumentDiagnosticRequest::METHOD => {
                    respond::<DocumentDiagnosticRequest>(params, Urgency::Debounced, |snapshot, _| {
                        diagnostic::pull(snapshot)
                    })
                }
                // Answered from the workspace index.
                GotoImplementation::METHOD => {
                    respond::<GotoImplementation>(params, Urgency::Now, implementation::linked_name)
                }
                _ => return None,
            })
        }
    };
}

routes! {
    HoverRequest Now hover::hover;
    Completion Now completion::completion;
    GotoDefinition Now definition::definition;
    References Now references::references;
    DocumentHighlightRequest Now document_highlight::highlights;
    PrepareRenameRequest Now rename::prepare;
    Rename Now rename::rename;
    DocumentSymbolRequest Soon |snapshot, _| document_symbol::symbols(snapshot);
    FoldingRangeRequest Soon |snapshot, _| folding_range::folds(snapshot);
    SelectionRangeRequest Now selection_range::selection_ranges;
    SemanticTokensRangeRequest Soon semantic_tokens::range;
    SemanticTokensFullRequest Soon |snapshot, _| semantic_tokens::full(snapshot);
    SemanticTokensFullDeltaRequest Soon semantic_tokens::full_delta;
    CodeActionRequest Now code_action::actions;
    CodeLensRequest Soon |snapshot, _| code_lens::lenses(snapshot);
    Formatting Soon |snapshot, _| formatting::document(snapshot);
    RangeFormatting Soon formatting::range;
    OnTypeFormatting Now formatting::on_type;
    SignatureHelpRequest Now signature_help::signature_help;
    InlayHintRequest Soon inlay_hint::inlay_hints;
    DocumentLinkRequest Soon |snapshot, _| document_link::links(snapshot);
    CallHierarchyPrepare Now call_hierarchy::prepare;
    CallHierarchyIncomingCalls Soon call_hierarchy::incoming;
    CallHierarchyOutgoingCalls Soon call_hierarchy::outgoing;
    SyntaxTree Soon |snapshot, _| syntax_tree(snapshot);
    Warps Soon |snapshot, _| warps(snapshot);
}

/// A request that the handler answers.
fn read<R: Method>(
    params: Value,
    urgency: Urgency,
    handler: fn(&Snapshot, &R::Params) -> std::result::Result<R::Result, Failure>,
) -> Result<Request>
where
    R::Params: Send + Sync + 'static,
    R::Result: 'static,
{
    let (uri, params) = document_params::<R::Params>(params)?;
    let handler = move |snapshot: &Snapshot| Ok(Response::Answer(to_value(handler(snapshot, &params)?)?));
    Ok(Request { uri, urgency, handler: Arc::new(handler) })
}

/// A request whose response the state thread turns into an answer.
fn respond<R: Method>(
    params: Value,
    urgency: Urgency,
    handler: fn(&Snapshot, &R::Params) -> std::result::Result<Response, Failure>,
) -> Result<Request>
where
    R::Params: Send + Sync + 'static,
{
    let (uri, params) = document_params::<R::Params>(params)?;
    Ok(Request { uri, urgency, handler: Arc::new(move |snapshot| handler(snapshot, &params)) })
}
