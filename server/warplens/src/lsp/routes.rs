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
use super::handlers::{
    call_hierarchy, code_action, code_lens, completion, definition, diagnostic, document_highlight,
    document_link, document_symbol, folding_range, formatting, hover, implementation, inlay_hint, references,
    rename, selection_range, semantic_tokens, signature_help,
};
use super::request::{Failure, Request, Response, Urgency};
use super::snapshot::Snapshot;
use super::to_proto::to_value;

/// The request of a method; `None` for a method that does not read one document.
pub(crate) fn document_request(method: &str, params: Value) -> Option<Result<Request>> {
    use Urgency::{Debounced, Now, Soon};
    Some(match method {
        HoverRequest::METHOD => read::<HoverRequest>(params, Now, hover::hover),
        Completion::METHOD => read::<Completion>(params, Now, completion::completion),
        GotoDefinition::METHOD => read::<GotoDefinition>(params, Now, definition::definition),
        References::METHOD => read::<References>(params, Now, references::references),
        DocumentHighlightRequest::METHOD => {
            read::<DocumentHighlightRequest>(params, Now, document_highlight::highlights)
        }
        PrepareRenameRequest::METHOD => read::<PrepareRenameRequest>(params, Now, rename::prepare),
        Rename::METHOD => read::<Rename>(params, Now, rename::rename),
        DocumentSymbolRequest::METHOD => {
            read::<DocumentSymbolRequest>(params, Soon, |snapshot, _| document_symbol::symbols(snapshot))
        }
        FoldingRangeRequest::METHOD => {
            read::<FoldingRangeRequest>(params, Soon, |snapshot, _| folding_range::folds(snapshot))
        }
        SelectionRangeRequest::METHOD => {
            read::<SelectionRangeRequest>(params, Now, selection_range::selection_ranges)
        }
        SemanticTokensRangeRequest::METHOD => {
            read::<SemanticTokensRangeRequest>(params, Soon, semantic_tokens::range)
        }
        SemanticTokensFullRequest::METHOD => {
            read::<SemanticTokensFullRequest>(params, Soon, |snapshot, _| semantic_tokens::full(snapshot))
        }
        SemanticTokensFullDeltaRequest::METHOD => {
            read::<SemanticTokensFullDeltaRequest>(params, Soon, semantic_tokens::full_delta)
        }
        CodeActionRequest::METHOD => read::<CodeActionRequest>(params, Now, code_action::actions),
        CodeLensRequest::METHOD => {
            read::<CodeLensRequest>(params, Soon, |snapshot, _| code_lens::lenses(snapshot))
        }
        DocumentDiagnosticRequest::METHOD => {
            read::<DocumentDiagnosticRequest>(params, Debounced, |snapshot, _| diagnostic::pull(snapshot))
        }
        Formatting::METHOD => read::<Formatting>(params, Soon, |snapshot, _| formatting::document(snapshot)),
        RangeFormatting::METHOD => read::<RangeFormatting>(params, Soon, formatting::range),
        OnTypeFormatting::METHOD => read::<OnTypeFormatting>(params, Now, formatting::on_type),
        SignatureHelpRequest::METHOD => {
            read::<SignatureHelpRequest>(params, Now, signature_help::signature_help)
        }
        InlayHintRequest::METHOD => read::<InlayHintRequest>(params, Soon, inlay_hint::inlay_hints),
        DocumentLinkRequest::METHOD => {
            read::<DocumentLinkRequest>(params, Soon, |snapshot, _| document_link::links(snapshot))
        }
        CallHierarchyPrepare::METHOD => read::<CallHierarchyPrepare>(params, Now, call_hierarchy::prepare),
        CallHierarchyIncomingCalls::METHOD => {
            read::<CallHierarchyIncomingCalls>(params, Soon, call_hierarchy::incoming)
        }
        CallHierarchyOutgoingCalls::METHOD => {
            read::<CallHierarchyOutgoingCalls>(params, Soon, call_hierarchy::outgoing)
        }
        // Answered from the workspace index.
        GotoImplementation::METHOD => respond::<GotoImplementation>(params, Now, implementation::linked_name),
        SyntaxTree::METHOD => read::<SyntaxTree>(params, Soon, |snapshot, _| syntax_tree(snapshot)),
        _ => return None,
    })
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
