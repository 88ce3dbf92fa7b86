//! The requests that read one document: which question each of them asks.

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, DocumentDiagnosticRequest, DocumentHighlightRequest,
    DocumentSymbolRequest, FoldingRangeRequest, GotoDefinition, HoverRequest, PrepareRenameRequest,
    References, Rename, Request, SelectionRangeRequest, SemanticTokensFullDeltaRequest,
    SemanticTokensFullRequest, SemanticTokensRangeRequest,
};
use tower_lsp::ls_types::{
    CompletionItem, CompletionList, CompletionResponse, Diagnostic, DocumentDiagnosticReport,
    DocumentDiagnosticReportResult, DocumentHighlight, Documentation, FullDocumentDiagnosticReport, Location,
    PrepareRenameResponse, RelatedFullDocumentDiagnosticReport, SelectionRange, SemanticTokens,
    SemanticTokensDelta, SemanticTokensFullDeltaResult, TextDocumentIdentifier, TextDocumentPositionParams,
    Uri, WorkspaceEdit,
};

use crate::language::{self, Kind};

use super::capabilities::Abilities;
use super::job::{Ask, Done, Failure, Question, Urgency};
use super::{actions, convert, editing, lanes, ptxas, tokens};

/// Above this many bytes the tokens of a whole document are not given; those of a range always are.
const MAX_WHOLE_TOKENS: usize = 1 << 20;

/// A request as a question.
pub(super) struct Asked {
    pub(super) uri: Uri,
    pub(super) urgency: Urgency,
    pub(super) ask: Ask,
}

/// The question of a request; `None` for a method that is not among them.
pub(super) fn route(method: &str, params: Value) -> Option<Result<Asked>> {
    use Urgency::{AtRest, Now, Soon};
    Some(match method {
        HoverRequest::METHOD => read::<HoverRequest>(params, Now, |question, params| {
            let at = question.offset(params.text_document_position_params.position);
            lanes::hover(question, at)
        }),
        Completion::METHOD => read::<Completion>(params, Now, |question, params| {
            let at = question.offset(params.text_document_position.position);
            let items = question.analysis.completions(question.file, at)?;
            let items = items.into_iter().map(|item| convert::completion(question, item)).collect();
            Ok(Some(CompletionResponse::List(CompletionList { is_incomplete: false, items })))
        }),
        GotoDefinition::METHOD => read::<GotoDefinition>(params, Now, |question, params| {
            let at = question.offset(params.text_document_position_params.position);
            let targets = question.analysis.definition(question.file, at)?;
            Ok((!targets.is_empty()).then(|| convert::definition(question, targets)))
        }),
        References::METHOD => read::<References>(params, Now, |question, params| {
            let at = &params.text_document_position;
            references(question, at, params.context.include_declaration).map(Some)
        }),
        DocumentHighlightRequest::METHOD => {
            read::<DocumentHighlightRequest>(params, Now, |question, params| {
                highlights(question, &params.text_document_position_params).map(Some)
            })
        }
        PrepareRenameRequest::METHOD => read::<PrepareRenameRequest>(params, Now, |question, params| {
            let at = question.offset(params.position);
            let target = question.analysis.prepare_rename(question.file, at)?.map_err(Failure::Refused)?;
            Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
                range: question.range(target.range),
                placeholder: target.placeholder,
            }))
        }),
        Rename::METHOD => read::<Rename>(params, Now, |question, params| {
            let at = question.offset(params.text_document_position.position);
            let edits = question.analysis.rename(question.file, at, &params.new_name)?;
            let edits = convert::edits(question, edits.map_err(Failure::Refused)?);
            let changes = [(question.uri.clone(), edits)].into();
            Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
        }),
        DocumentSymbolRequest::METHOD => read::<DocumentSymbolRequest>(params, Soon, |question, _| {
            let symbols = question.analysis.symbols(question.file)?;
            Ok(Some(convert::symbols(question, symbols)))
        }),
        FoldingRangeRequest::METHOD => read::<FoldingRangeRequest>(params, Soon, |question, _| {
            let folds = question.analysis.folds(question.file)?;
            Ok(Some(folds.into_iter().filter_map(|fold| convert::fold(question, fold)).collect()))
        }),
        SelectionRangeRequest::METHOD => read::<SelectionRangeRequest>(params, Now, |question, params| {
            params
                .positions
                .iter()
                .map(|&at| selection(question, at))
                .collect::<std::result::Result<_, _>>()
                .map(Some)
        }),
        SemanticTokensRangeRequest::METHOD => {
            read::<SemanticTokensRangeRequest>(params, Soon, |question, params| {
                let range = question.text_range(params.range);
                let tokens = question.analysis.tokens_in(question.file, range)?;
                let data = tokens::encode(question, &tokens);
                Ok(Some(SemanticTokens { result_id: None, data }.into()))
            })
        }
        SemanticTokensFullRequest::METHOD => {
            ask::<SemanticTokensFullRequest>(params, Soon, |question, _| whole_tokens(question, None))
        }
        SemanticTokensFullDeltaRequest::METHOD => {
            ask::<SemanticTokensFullDeltaRequest>(params, Soon, |question, params| {
                whole_tokens(question, Some(&params.previous_result_id))
            })
        }
        CodeActionRequest::METHOD => read::<CodeActionRequest>(params, Now, |question, params| {
            actions::actions(question, params).map(Some)
        }),
        CodeLensRequest::METHOD => read::<CodeLensRequest>(params, Soon, |question, _| {
            let mut lenses = lanes::lenses(question)?;
            lenses.extend(ptxas::lenses(question)?);
            Ok(Some(lenses))
        }),
        DocumentDiagnosticRequest::METHOD => {
            read::<DocumentDiagnosticRequest>(params, AtRest, |question, _| {
                Ok(report(diagnostics(question)?))
            })
        }
        SyntaxTree::METHOD => read::<SyntaxTree>(params, Soon, |question, _| {
            Ok(question.analysis.syntax_tree(question.file)?)
        }),
        _ => return editing::route(method, params),
    })
}

/// `warplens/syntaxTree`: the tree as text, for debugging.
enum SyntaxTree {}

#[derive(Deserialize, serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct SyntaxTreeParams {
    text_document: TextDocumentIdentifier,
}

impl Request for SyntaxTree {
    type Params = SyntaxTreeParams;
    type Result = String;
    const METHOD: &'static str = "warplens/syntaxTree";
}

/// Adds the documentation to a completion that somebody looks at.
pub(super) fn resolve_completion(params: Value, abilities: &Abilities) -> Result<Value> {
    let mut item: CompletionItem =
        from_value(params).map_err(|error| Error::invalid_params(error.to_string()))?;
    let data = item.data.take().unwrap_or_default();
    let name = data["explain"].as_str().unwrap_or_default();
    let language = match data["language"].as_str().map(language::by_id) {
        Some(Kind::Read(language)) => Some(language),
        _ => None,
    };
    let explained = warplens_ide::explain(name, language);
    item.documentation =
        explained.map(|text| Documentation::MarkupContent(convert::markup(text, abilities.markdown)));
    serde_json::to_value(item).map_err(|_| Error::internal_error())
}

/// A request whose answer is the handler's.
pub(super) fn read<R: Request>(
    params: Value,
    urgency: Urgency,
    handler: fn(&Question, &R::Params) -> std::result::Result<R::Result, Failure>,
) -> Result<Asked>
where
    R::Params: Send + 'static,
    R::Result: 'static,
{
    let (uri, params) = document_params::<R::Params>(params)?;
    let ask: Ask = Box::new(move |question| Ok(Done::Answer(to_value(handler(question, &params)?)?)));
    Ok(Asked { uri, urgency, ask })
}

/// A request whose handler brings more than the answer.
pub(super) fn ask<R: Request>(
    params: Value,
    urgency: Urgency,
    handler: fn(&Question, &R::Params) -> std::result::Result<Done, Failure>,
) -> Result<Asked>
where
    R::Params: Send + 'static,
{
    let (uri, params) = document_params::<R::Params>(params)?;
    Ok(Asked { uri, urgency, ask: Box::new(move |question| handler(question, &params)) })
}

/// The parameters of a request about one document, and which one.
pub(super) fn document_params<P: DeserializeOwned>(params: Value) -> Result<(Uri, P)> {
    let uri = params.pointer("/textDocument/uri").or_else(|| params.pointer("/item/uri"));
    let uri = uri.cloned().unwrap_or_default();
    let uri = from_value(uri).map_err(|error| Error::invalid_params(format!("textDocument.uri: {error}")))?;
    let params = from_value(params).map_err(|error| Error::invalid_params(error.to_string()))?;
    Ok((uri, params))
}

fn from_value<T: DeserializeOwned>(value: Value) -> serde_json::Result<T> {
    serde_json::from_value(value)
}

/// The answer as JSON.
pub(super) fn to_value(answer: impl serde::Serialize) -> std::result::Result<Value, Failure> {
    serde_json::to_value(answer).map_err(|error| Failure::Refused(error.to_string()))
}

fn references(
    question: &Question,
    at: &TextDocumentPositionParams,
    declarations: bool,
) -> std::result::Result<Vec<Location>, Failure> {
    let occurrences = question.analysis.occurrences(question.file, question.offset(at.position))?;
    let wanted =
        occurrences.iter().filter(|found| declarations || found.access != warplens_ide::Access::Declaration);
    Ok(wanted.map(|found| convert::location(question, found.range)).collect())
}

fn highlights(
    question: &Question,
    at: &TextDocumentPositionParams,
) -> std::result::Result<Vec<DocumentHighlight>, Failure> {
    let occurrences = question.analysis.occurrences(question.file, question.offset(at.position))?;
    Ok(occurrences.into_iter().map(|found| convert::highlight(question, found)).collect())
}

/// The ranges around a position; where nothing is, the position itself.
fn selection(
    question: &Question,
    at: tower_lsp::ls_types::Position,
) -> std::result::Result<SelectionRange, Failure> {
    let ranges = question.analysis.selection(question.file, question.offset(at))?;
    let nothing =
        || SelectionRange { range: tower_lsp::ls_types::Range { start: at, end: at }, parent: None };
    Ok(convert::selection(question, &ranges).unwrap_or_else(nothing))
}

/// The tokens of a document, or what changed since the answer that the client has.
fn whole_tokens(question: &Question, previous: Option<&str>) -> std::result::Result<Done, Failure> {
    if question.text.len_bytes() > MAX_WHOLE_TOKENS {
        return Ok(Done::Answer(Value::Null));
    }
    let tokens = question.analysis.tokens(question.file)?;
    let data = Arc::new(tokens::encode(question, &tokens));
    let result_id = Some(question.version.to_string());
    let known =
        question.tokens.as_ref().filter(|(version, _)| Some(version.to_string().as_str()) == previous);
    let answer = match known {
        Some((_, old)) => SemanticTokensFullDeltaResult::TokensDelta(SemanticTokensDelta {
            result_id,
            edits: tokens::delta(old, &data),
        }),
        None => SemanticTokensFullDeltaResult::Tokens(SemanticTokens { result_id, data: data.to_vec() }),
    };
    Ok(Done::Tokens { answer: to_value(answer)?, data })
}

/// All diagnostics of a document, those of the user's assembler and the findings of the run that is shown among them.
pub(super) fn diagnostics(question: &Question) -> std::result::Result<Vec<Diagnostic>, Failure> {
    let found = question.analysis.diagnostics(question.file)?;
    let mut found = found.into_iter().map(|found| convert::diagnostic(question, found)).collect();
    ptxas::merge(question, &mut found);
    let of_run = lanes::findings(question)?;
    found.extend(of_run.into_iter().map(|found| convert::diagnostic(question, found)));
    Ok(found)
}

/// A full report.
pub(super) fn report(items: Vec<Diagnostic>) -> DocumentDiagnosticReportResult {
    let full = FullDocumentDiagnosticReport { result_id: None, items };
    DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(
        RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: full,
        },
    ))
}
