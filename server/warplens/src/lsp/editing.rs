//! Requests that help while one writes: formatting, the forms of a statement, hints between the words.

use serde_json::Value;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types as lsp;
use tower_lsp::ls_types::request::{
    Formatting, InlayHintRequest, OnTypeFormatting, RangeFormatting, Request, SignatureHelpRequest,
};
use warplens_ide::{InlayHintKind, InlayHintKinds, Signature, TextRange, TextSize};

use super::job::{Failure, Question, Urgency};
use super::requests::{Asked, read};
use super::{convert, lanes};

/// What asks for help with operands as it is typed.
pub(super) const OPERAND_TRIGGERS: [&str; 5] = [" ", ",", "[", "{", "("];

/// What formats: what ends a statement, and the last letters of the words that close something in WAVE (`else`, `endif`,
/// `endloop`, `.end`).
pub(super) const FORMAT_TRIGGERS: [&str; 6] = [";", "\n", "e", "f", "p", "d"];

/// The question of a request; `None` for a method that is not among them.
pub(super) fn route(method: &str, params: Value) -> Option<Result<Asked>> {
    use Urgency::{Now, Soon};
    Some(match method {
        Formatting::METHOD => read::<Formatting>(params, Soon, |question, _| {
            Ok(Some(convert::edits(question, question.analysis.format(question.file)?.edits)))
        }),
        RangeFormatting::METHOD => read::<RangeFormatting>(params, Soon, |question, params| {
            let range = question.text_range(params.range);
            Ok(Some(convert::edits(question, question.analysis.format_range(question.file, range)?.edits)))
        }),
        OnTypeFormatting::METHOD => read::<OnTypeFormatting>(params, Now, |question, params| {
            let at = question.offset(params.text_document_position.position);
            let edits = question.analysis.format_typed(question.file, at)?;
            Ok(Some(convert::edits(question, edits)))
        }),
        SignatureHelpRequest::METHOD => read::<SignatureHelpRequest>(params, Now, |question, params| {
            let at = question.offset(params.text_document_position_params.position);
            let help = question.analysis.signature_help(question.file, at)?;
            Ok(help.map(|help| signature_help(question, help)))
        }),
        InlayHintRequest::METHOD => read::<InlayHintRequest>(params, Soon, |question, params| {
            hints(question, question.text_range(params.range)).map(Some)
        }),
        _ => return super::navigation::route(method, params),
    })
}

fn signature_help(question: &Question, help: warplens_ide::SignatureHelp) -> lsp::SignatureHelp {
    let active = &help.signatures[help.active];
    // A form with no such operand highlights none: there is no number for that but one beyond the last.
    let active_parameter = active.active.unwrap_or(active.parameters.len());
    lsp::SignatureHelp {
        active_signature: Some(help.active as u32),
        active_parameter: Some(active_parameter as u32),
        signatures: help.signatures.into_iter().map(|form| signature(question, form)).collect(),
    }
}

fn signature(question: &Question, form: Signature) -> lsp::SignatureInformation {
    let documentation = |text: String| {
        let markup = convert::markup(text, question.abilities.markdown);
        Some(lsp::Documentation::MarkupContent(markup))
    };
    let label = |range: TextRange| {
        let units = |text: &str| text.encode_utf16().count() as u32;
        if !question.abilities.label_offsets {
            return lsp::ParameterLabel::Simple(form.label[range].to_owned());
        }
        let start = units(&form.label[..range.start().into()]);
        lsp::ParameterLabel::LabelOffsets([start, start + units(&form.label[range])])
    };
    let parameter = |parameter: warplens_ide::SignatureParameter| lsp::ParameterInformation {
        label: label(parameter.range),
        documentation: documentation(parameter.documentation),
    };
    let active = form.active.unwrap_or(form.parameters.len());
    lsp::SignatureInformation {
        parameters: Some(form.parameters.into_iter().map(parameter).collect()),
        documentation: documentation(form.documentation),
        active_parameter: Some(active as u32),
        label: form.label.clone(),
    }
}

/// The lanes at the ends of lines, and the hints of the settings.
fn hints(question: &Question, range: TextRange) -> std::result::Result<Vec<lsp::InlayHint>, Failure> {
    let wanted = &question.settings.inlay_hints;
    let kinds =
        InlayHintKinds { register_types: wanted.register_types, parameter_names: wanted.parameter_names };
    let mut hints = lanes::hints(question, range)?;
    let found = question.analysis.inlay_hints(question.file, range, kinds)?;
    hints.extend(found.into_iter().map(|hint| inlay_hint(question, hint.offset, hint.label, hint.kind)));
    Ok(hints)
}

fn inlay_hint(question: &Question, offset: TextSize, label: String, kind: InlayHintKind) -> lsp::InlayHint {
    let (kind, padding_right) = match kind {
        InlayHintKind::Type => (lsp::InlayHintKind::TYPE, false),
        InlayHintKind::Parameter => (lsp::InlayHintKind::PARAMETER, true),
    };
    lsp::InlayHint {
        position: question.range(TextRange::empty(offset)).start,
        label: lsp::InlayHintLabel::String(label),
        kind: Some(kind),
        text_edits: None,
        tooltip: None,
        padding_left: None,
        padding_right: Some(padding_right),
        data: None,
    }
}
