//! `textDocument/hover`.

use ls_types::{Hover, HoverParams};
use ropey::Rope;
use text_size::TextSize;
use warplens_ide::lanes::{hover as lanes_hover, operands, with_documentation};
use warplens_ide::markdown::{code, code_block};

use crate::documents::snapshot::{NullableAnswer, Snapshot, unless_refused};
use crate::files::file_access::read_files;
use crate::files::source_files::{self, Search};
use crate::to_proto;

/// The lanes that executed a statement, followed by the documentation at the position.
pub(crate) fn hover(snapshot: &Snapshot, params: &HoverParams) -> NullableAnswer<Hover> {
    let at = snapshot.offset(params.text_document_position_params.position);
    let position = params.text_document_position_params.position;
    if let Some(hover) = snapshot.launch_on_line(position).hover(position, &snapshot.capabilities) {
        return Ok(Some(hover));
    }
    let documented = match source_text(snapshot, at)? {
        Some(source) => snapshot.analysis.hover_with(snapshot.file, at, &source)?,
        None => snapshot.analysis.hover(snapshot.file, at)?,
    };
    let documented = with_documentation(source_line(snapshot, at)?, documented);
    let line_of = |offset: TextSize| snapshot.line(offset);
    let word = register(&snapshot.text, at);
    let lanes = snapshot.lanes();
    let is_shown = lanes.as_ref().is_some_and(|lanes| operands::is_shown(&lanes.shown, at, &word));
    let operand = if is_shown { None } else { snapshot.analysis.operand(snapshot.file, at, &word)? };
    let documented = with_documentation(operand, documented);
    let ran = lanes.and_then(|lanes| {
        let mut hover = lanes_hover(&lanes.shown, at, &word, &line_of)?;
        if let Some(name) = lanes.same_register(at, &word) {
            let sentence = "the values agree in all visits of this line by the shown warp";
            hover.markdown += &format!("\n\n`{word}` is *probably* {name}: {sentence}.");
        }
        Some(hover)
    });
    Ok(with_documentation(ran, documented).map(|hover| to_proto::hover(snapshot, hover)))
}

/// The text of the file that the document was compiled from, if the hover needs it.
fn source_text(snapshot: &Snapshot, at: TextSize) -> NullableAnswer<String> {
    let Some(wanted) = snapshot.analysis.hover_source(snapshot.file, at)? else { return Ok(None) };
    let search = Search::of(snapshot);
    let read = move || {
        let stated = wanted.files.iter().find_map(|file| search.named(file));
        source_files::text(&stated.or_else(|| search.origin(wanted.extension))?)
    };
    Ok(unless_refused(read_files(snapshot, read))?.flatten())
}

/// The source line that the line at an offset was compiled from.
fn source_line(snapshot: &Snapshot, at: TextSize) -> NullableAnswer<warplens_ide::Hover> {
    let links = snapshot.analysis.links_in(snapshot.file, snapshot.line_range(at))?;
    let Some(link) = links.iter().find(|link| link.place.is_some()) else { return Ok(None) };
    let (path, place) = (link.path.to_string(), link.place.map_or(0, |(line, _)| line));
    let origin = link.origin;
    let search = Search::of(snapshot);
    let found = read_files(snapshot, move || {
        let file = search.find(&path, origin)?;
        let name = if origin.is_some() { file.file_name()?.to_string_lossy().into_owned() } else { path };
        Some((source_files::line(&file, place)?, name))
    });
    Ok(unless_refused(found)?.flatten().map(|(text, path)| {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let language = origin.unwrap_or("cpp");
        let markdown =
            format!("{}\n\n{}", code(&format!("{name}:{place}")), code_block(language, text.trim()));
        warplens_ide::Hover { range: link.range, markdown }
    }))
}

/// The word at an offset, which may be the name of a register.
fn register(text: &Rope, at: TextSize) -> String {
    let is_name = |char: &char| char.is_ascii_alphanumeric() || matches!(char, '_' | '$' | '%');
    let at = text.byte_to_char(usize::from(at).min(text.len_bytes()));
    let mut before: Vec<char> = text.chars_at(at).reversed().take_while(is_name).collect();
    before.reverse();
    before.into_iter().chain(text.chars_at(at).take_while(is_name)).collect()
}
