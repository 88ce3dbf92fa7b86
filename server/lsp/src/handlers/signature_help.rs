//! `textDocument/signatureHelp`.

use ls_types::{
    Documentation, ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpParams,
    SignatureInformation,
};
use warplens_ide::{Signature, SignatureParameter, TextRange};

use crate::documents::snapshot::{NullableAnswer, Snapshot};
use crate::markup::markup;

/// The characters that trigger signature help.
pub(crate) const TRIGGERS: [&str; 5] = [" ", ",", "[", "{", "("];

pub(crate) fn signature_help(
    snapshot: &Snapshot,
    params: &SignatureHelpParams,
) -> NullableAnswer<SignatureHelp> {
    let at = snapshot.offset(params.text_document_position_params.position);
    let Some(help) = snapshot.analysis.signature_help(snapshot.file, at)? else { return Ok(None) };
    let active_parameter = active_parameter(&help.signatures[help.active]);
    Ok(Some(SignatureHelp {
        active_signature: Some(help.active as u32),
        active_parameter: Some(active_parameter),
        signatures: help.signatures.into_iter().map(|form| signature(snapshot, form)).collect(),
    }))
}

/// The parameter to highlight. A number after the last parameter highlights none.
fn active_parameter(form: &Signature) -> u32 {
    form.active.unwrap_or(form.parameters.len()) as u32
}

fn signature(snapshot: &Snapshot, form: Signature) -> SignatureInformation {
    let documentation = |text: String| {
        let markup = markup(text, snapshot.capabilities.markdown);
        Some(Documentation::MarkupContent(markup))
    };
    let label = |range: TextRange| {
        let units = |text: &str| text.encode_utf16().count() as u32;
        if !snapshot.capabilities.label_offsets {
            return ParameterLabel::Simple(form.label[range].to_owned());
        }
        let start = units(&form.label[..range.start().into()]);
        ParameterLabel::LabelOffsets([start, start + units(&form.label[range])])
    };
    let active_parameter = active_parameter(&form);
    let parameter = |parameter: SignatureParameter| ParameterInformation {
        label: label(parameter.range),
        documentation: documentation(parameter.documentation),
    };
    SignatureInformation {
        parameters: Some(form.parameters.into_iter().map(parameter).collect()),
        documentation: documentation(form.documentation),
        active_parameter: Some(active_parameter),
        label: form.label.clone(),
    }
}
