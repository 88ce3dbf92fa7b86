//! `textDocument/hover`.

use ropey::Rope;
use text_size::TextSize;
use tower_lsp::ls_types::{Hover, HoverParams};
use warplens_ide::lanes::{hover as lanes_hover, with_documentation};

use crate::lsp::snapshot::{Answer, Snapshot};
use crate::lsp::to_proto;

/// The documentation at a position, after the lanes that executed the statement.
pub(crate) fn hover(snapshot: &Snapshot, params: &HoverParams) -> Answer<Hover> {
    let at = snapshot.offset(params.text_document_position_params.position);
    let position = params.text_document_position_params.position;
    if let Some(hover) = snapshot.launch_on_line(position).hover(position, &snapshot.capabilities) {
        return Ok(Some(hover));
    }
    let documented = snapshot.analysis.hover(snapshot.file, at)?;
    let line_of = |offset: TextSize| snapshot.line(offset);
    let word = register(&snapshot.text, at);
    let lanes = snapshot.lanes();
    let ran = lanes.and_then(|lanes| lanes_hover(&lanes.shown, at, &word, &line_of));
    Ok(with_documentation(ran, documented).map(|hover| to_proto::hover(snapshot, hover)))
}

/// The name at an offset, which may be a register.
fn register(text: &Rope, at: TextSize) -> String {
    let is_name = |char: &char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$' | '%');
    let at = text.byte_to_char(usize::from(at).min(text.len_bytes()));
    let mut before: Vec<char> = text.chars_at(at).reversed().take_while(is_name).collect();
    before.reverse();
    before.into_iter().chain(text.chars_at(at).take_while(is_name)).collect()
}
