//! An open document: its text as a rope, its version, and if it is not analyzed, the reason.
//!
//! The rope and the analysis host always have the same text: an edit is applied to both or to neither. After an edit outside the text
//! the document is refused until the client sends the whole text, because answers about a different text would be wrong.

use std::path::Path;

use ls_types::{
    Diagnostic, DiagnosticSeverity, NumberOrString, TextDocumentContentChangeEvent, TextDocumentItem,
};
use ropey::Rope;
use text_size::{TextRange, TextSize};
use warplens_host::Host;
use warplens_ide::{AnalysisHost, FileId, Language};
use warplens_system::cores;

use crate::documents::analysis_delay::AnalysisDelay;
use crate::language::{self, Kind};
use warplens_protocol::position::{Encoding, text_range};

/// The limit of an analyzed text in bytes. Memory use is at most ten times this. VS Code synchronizes files of up to 50 MB.
pub const MAX_TEXT: usize = 64 << 20;

/// A longer text is opened by two threads, and its first check frees much memory.
const LONG: usize = 1 << 20;

pub(crate) struct Document {
    pub(crate) file: FileId,
    pub(crate) version: i32,
    /// When diagnostics and simulations may be computed.
    pub(crate) delay: AnalysisDelay,
    /// Set until the first check of a long text, which frees much memory.
    pub(crate) frees_memory: bool,
    /// The language according to the client, the file name or the text.
    kind: Kind,
    body: Body,
}

enum Body {
    Text(Language, Rope),
    /// A file of another language with inline PTX.
    Host(&'static Host, Rope),
    /// Possibly a file of another tool, so it is not analyzed until it contains a kernel.
    Foreign(Rope),
    /// Not analyzed. The text is not stored.
    Refused(Refusal),
}

/// Why a document is not analyzed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: &'static str,
    /// The message, with the fix.
    pub(crate) message: String,
}

/// A replaced range of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) range: TextRange,
    /// The length of the new text.
    pub(crate) inserted: TextSize,
    /// The size of the largest item that the edit changed.
    pub(crate) largest_item: usize,
}

impl Document {
    pub(crate) fn open(item: TextDocumentItem, file: FileId, host: &mut AnalysisHost) -> Document {
        let kind = language::of_document(&item.language_id, Path::new(item.uri.path().as_str()), &item.text);
        let body = Body::new(kind, &item.text, file, host);
        let frees_memory = item.text.len() > LONG;
        Document { file, version: item.version, delay: AnalysisDelay::default(), frees_memory, kind, body }
    }

    /// The text of an analyzed document.
    pub(crate) fn text(&self) -> Option<&Rope> {
        match &self.body {
            Body::Text(_, text) | Body::Host(_, text) => Some(text),
            Body::Foreign(_) | Body::Refused(_) => None,
        }
    }

    /// The language of a document of assembly.
    pub(crate) fn language(&self) -> Option<Language> {
        match self.body {
            Body::Text(language, _) => Some(language),
            Body::Host(..) | Body::Foreign(_) | Body::Refused(_) => None,
        }
    }

    /// The language of a document whose inline PTX is analyzed.
    pub(crate) fn host(&self) -> Option<&'static Host> {
        match self.body {
            Body::Host(host, _) => Some(host),
            Body::Text(..) | Body::Foreign(_) | Body::Refused(_) => None,
        }
    }

    pub(crate) fn is_analyzed(&self) -> bool {
        self.text().is_some()
    }

    /// Why the document is refused. The user is shown this.
    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        match &self.body {
            Body::Text(..) | Body::Host(..) | Body::Foreign(_) => None,
            Body::Refused(refusal) => Some(refusal),
        }
    }

    /// Why requests about the document are refused.
    pub(crate) fn reason_not_analyzed(&self) -> Option<String> {
        match (&self.body, self.kind) {
            (Body::Refused(refusal), _) => Some(refusal.message.clone()),
            (Body::Foreign(_), Kind::Ambiguous(language)) => Some(format!(
                "this file has no {title} code yet; if it is {title}, select the language `{}` for it",
                language.id,
                title = language.title
            )),
            _ => None,
        }
    }

    /// Refuses the document, and closes it in the host.
    pub(crate) fn refuse(&mut self, refusal: Refusal, host: &mut AnalysisHost) {
        host.close(self.file);
        self.body = Body::Refused(refusal);
    }

    /// Applies the changes of one notification in order, and returns the edits. A change outside the text refuses the document, until
    /// a change contains the whole text.
    pub(crate) fn change(
        &mut self,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
        host: &mut AnalysisHost,
    ) -> Vec<Edit> {
        let mut done = Vec::with_capacity(changes.len());
        for change in changes {
            let Some(range) = change.range else {
                let length = self.text().map_or(0, Rope::len_bytes);
                self.set_text(&change.text, host);
                let range = TextRange::up_to(TextSize::try_from(length).unwrap_or_default());
                done.push(Edit { range, inserted: TextSize::of(change.text.as_str()), largest_item: 0 });
                continue;
            };
            let (Body::Text(_, text) | Body::Host(_, text) | Body::Foreign(text)) = &mut self.body else {
                continue;
            };
            let edited = match text_range(text, range, encoding) {
                Some(range) if matches!(self.kind, Kind::Ambiguous(_)) => {
                    Ok(edit_foreign(text, range, &change.text))
                }
                Some(range) => edit(text, range, &change.text, self.file, host),
                None => Err(out_of_sync(&format!(
                    "an edit from line {} to line {} is outside the text of {} lines",
                    u64::from(range.start.line) + 1,
                    u64::from(range.end.line) + 1,
                    text.len_lines()
                ))),
            };
            match edited {
                Ok(edit) => {
                    self.adopt(edit, host);
                    done.push(edit);
                }
                Err(refusal) => self.refuse(refusal, host),
            }
        }
        done
    }

    /// Analyzes a foreign document once an edit has inserted a kernel.
    fn adopt(&mut self, edit: Edit, host: &mut AnalysisHost) {
        let (Body::Foreign(text), Kind::Ambiguous(language)) = (&self.body, self.kind) else { return };
        let line = |offset: TextSize| text.byte_to_line(usize::from(offset));
        let (first, last) = (line(edit.range.start()), line(edit.range.start() + edit.inserted));
        if (first..=last).any(|line| language.sniffs(&text.line(line).to_string())) {
            let text = text.to_string();
            self.set_text(&text, host);
        }
    }

    fn set_text(&mut self, text: &str, host: &mut AnalysisHost) {
        if let Kind::Ambiguous(language) = self.kind
            && language.sniffs(text)
        {
            self.kind = Kind::Supported(language);
        }
        self.body = Body::new(self.kind, text, self.file, host);
    }
}

impl Refusal {
    pub(crate) fn diagnostic(&self) -> Diagnostic {
        Diagnostic {
            severity: Some(DiagnosticSeverity::WARNING),
            code: Some(NumberOrString::String(self.code.to_owned())),
            source: Some("warplens".into()),
            message: self.message.clone(),
            ..Diagnostic::default()
        }
    }
}

impl Body {
    fn new(kind: Kind, text: &str, file: FileId, host: &mut AnalysisHost) -> Body {
        let refusal = match kind {
            Kind::Ambiguous(_) => {
                host.close(file);
                return Body::Foreign(Rope::from_str(text));
            }
            _ if text.len() > MAX_TEXT => too_large(text.len()),
            Kind::Supported(language) => return Body::Text(language, open_text(text, file, language, host)),
            Kind::Host(language) => {
                host.open_host(file, language, text);
                return Body::Host(language, Rope::from_str(text));
            }
            Kind::Unknown => Refusal {
                code: "unknown-language",
                message: format!("unsupported language; Warplens supports {}", language::supported_ids()),
            },
        };
        host.close(file);
        Body::Refused(refusal)
    }
}

/// Opens a text in the host and makes its rope. For a long text, both delay the first diagnostics, so they run in parallel.
fn open_text(text: &str, file: FileId, language: Language, host: &mut AnalysisHost) -> Rope {
    if text.len() <= LONG {
        host.open(file, language, text);
        return Rope::from_str(text);
    }
    cores::both(|| Rope::from_str(text), || host.open(file, language, text)).0
}

/// Applies an edit to a text that is not analyzed.
fn edit_foreign(text: &mut Rope, range: TextRange, insert: &str) -> Edit {
    replace(text, range, insert);
    Edit { range, inserted: TextSize::of(insert), largest_item: 0 }
}

pub(super) fn replace(text: &mut Rope, range: TextRange, insert: &str) {
    let start = text.byte_to_char(range.start().into());
    text.remove(start..text.byte_to_char(range.end().into()));
    text.insert(start, insert);
}

/// Applies an edit to the rope and the host.
fn edit(
    text: &mut Rope,
    range: TextRange,
    insert: &str,
    file: FileId,
    host: &mut AnalysisHost,
) -> Result<Edit, Refusal> {
    let length = text.len_bytes() - usize::from(range.len()) + insert.len();
    if length > MAX_TEXT {
        return Err(too_large(length));
    }
    let edited = host.edit(file, range, insert).map_err(|problem| out_of_sync(&problem.to_string()))?;
    replace(text, range, insert);
    Ok(Edit { range, inserted: TextSize::of(insert), largest_item: edited.largest_item })
}

fn too_large(length: usize) -> Refusal {
    let (length, max) = (length as f64 / 1e6, MAX_TEXT as f64 / 1e6);
    Refusal { code: "too-large", message: format!("the file has {length:.0} MB, limit is {max:.0} MB") }
}

/// The refusal of a document whose text is no longer the client's.
pub(crate) fn out_of_sync(reason: &str) -> Refusal {
    Refusal {
        code: "out-of-sync",
        message: format!("the text of this file is out of sync ({reason}); close and reopen it"),
    }
}

#[cfg(test)]
mod tests {
    use ls_types::{Position, Range};
    use proptest::prelude::*;

    use super::*;

    fn open(text: &str) -> (AnalysisHost, Document) {
        let mut host = AnalysisHost::new();
        let item = TextDocumentItem {
            uri: "file:///k.ptx".parse().expect("a valid URI"),
            language_id: "ptx".into(),
            version: 1,
            text: text.into(),
        };
        let document = Document::open(item, FileId(1), &mut host);
        (host, document)
    }

    /// The byte offset of a position, counted naively.
    fn offset(text: &str, position: Position, encoding: Encoding) -> usize {
        let mut start = 0;
        for _ in 0..position.line {
            let rest = &text[start..];
            let Some(end) = rest.find(['\n', '\r']) else { return text.len() };
            start += end + if rest[end..].starts_with("\r\n") { 2 } else { 1 };
        }
        let line = text[start..].split(['\n', '\r']).next().unwrap_or_default();
        let mut units = 0;
        for (at, char) in line.char_indices() {
            units += match encoding {
                Encoding::Utf8 => char.len_utf8(),
                Encoding::Utf16 => char.len_utf16(),
            } as u32;
            if units > position.character {
                return start + at;
            }
        }
        start + line.len()
    }

    fn position() -> impl Strategy<Value = Position> {
        (0..6u32, 0..12u32).prop_map(|(line, character)| Position { line, character })
    }

    proptest! {
        #[test]
        fn rope_and_host_hold_the_text_of_the_client(
            text in "[ab;é𝄞\n\r]{0,40}",
            edits in prop::collection::vec((position(), position(), "[xy;ü\n\r{}]{0,6}"), 1..8),
            utf8 in any::<bool>(),
        ) {
            let encoding = if utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
            let (mut host, mut document) = open(&text);
            let mut expected = text;
            for (one, other, insert) in edits {
                let range = Range { start: one.min(other), end: one.max(other) };
                let change = TextDocumentContentChangeEvent {
                    range: Some(range),
                    range_length: None,
                    text: insert.clone(),
                };
                document.change(vec![change], encoding, &mut host);
                let Some(text) = document.text() else {
                    prop_assert!(document.refusal().is_some_and(|refusal| refusal.code == "out-of-sync"));
                    prop_assert_eq!(host.text(FileId(1)), None);
                    return Ok(());
                };
                let (start, end) = (offset(&expected, range.start, encoding), offset(&expected, range.end, encoding));
                expected.replace_range(start..end, &insert);
                prop_assert_eq!(text.to_string(), expected.clone());
                prop_assert_eq!(host.text(FileId(1)), Some(expected.clone()));
            }
        }
    }
}
