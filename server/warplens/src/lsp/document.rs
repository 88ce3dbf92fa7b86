//! An open document: its text as a rope, its version, and why it may not be analysed.
//!
//! The rope and the analysis host hold the same text, always: an edit goes to both or to neither. When that cannot be
//! (an edit that does not fit the text that the client claims to edit), the document is refused until the client sends
//! the whole text again: no answer is better than one about another text.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use ropey::Rope;
use text_size::{TextRange, TextSize};
use tower_lsp::ls_types::{
    Diagnostic, DiagnosticSeverity, NumberOrString, SemanticToken, TextDocumentContentChangeEvent,
    TextDocumentItem,
};
use warplens_ide::{AnalysisHost, FileId, Language};

use crate::language::{self, Kind};

use crate::position::{Encoding, text_range};

/// The longest text that is analysed, in bytes. Memory is bounded by ten times this; editors stop synchronising
/// earlier (VS Code at 50 MB).
pub const MAX_TEXT: usize = 64 << 20;

/// Why nothing is said of a `.wave` file that may be another tool's.
const FOREIGN: &str =
    "this file has no `.kernel` line; if it is WAVE all the same, choose the language `wave-asm` for it";

/// An open document.
pub(super) struct Document {
    pub(super) file: FileId,
    pub(super) version: i32,
    /// Checks wait until then.
    pub(super) rests_until: Option<Instant>,
    /// As the client named it, or as the name of the file or the text shows.
    kind: Kind,
    pub(super) body: Body,
    /// The tokens that the client was last given, and the version that they were for.
    pub(super) tokens: Option<(i32, Arc<Vec<SemanticToken>>)>,
}

/// What is kept of a document.
pub(super) enum Body {
    /// Its text, which is analysed.
    Text(Language, Rope),
    /// Its text, which may be another tool's: nothing is said about it unless it gets a kernel.
    Foreign(Rope),
    /// Nothing: it is not analysed.
    Refused(Refusal),
}

/// Why a document is not analysed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// A stable name, the code of the diagnostic that says it.
    pub(super) code: &'static str,
    /// One sentence with the mend.
    pub(super) message: String,
}

/// A range of the text that was replaced by so many bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) range: TextRange,
    pub(super) inserted: TextSize,
    /// The size of the largest item that has to be looked at anew.
    pub(super) renewed: usize,
}

impl Document {
    /// Opens a document in the host.
    pub(super) fn open(item: TextDocumentItem, file: FileId, host: &mut AnalysisHost) -> Document {
        let kind = language::of_document(&item.language_id, Path::new(item.uri.path().as_str()), &item.text);
        let body = Body::new(kind, &item.text, file, host);
        Document { file, version: item.version, rests_until: None, kind, body, tokens: None }
    }

    /// The text, of a document that is analysed.
    pub(super) fn text(&self) -> Option<&Rope> {
        match &self.body {
            Body::Text(_, text) => Some(text),
            Body::Foreign(_) | Body::Refused(_) => None,
        }
    }

    /// The language, of a document that is analysed.
    pub(super) fn language(&self) -> Option<Language> {
        match self.body {
            Body::Text(language, _) => Some(language),
            Body::Foreign(_) | Body::Refused(_) => None,
        }
    }

    /// Why it is not analysed, where its user is to know.
    pub(super) fn refusal(&self) -> Option<&Refusal> {
        match &self.body {
            Body::Text(..) | Body::Foreign(_) => None,
            Body::Refused(refusal) => Some(refusal),
        }
    }

    /// Why it is not analysed, for who asks for something of it.
    pub(super) fn why_not(&self) -> Option<&str> {
        match &self.body {
            Body::Text(..) => None,
            Body::Foreign(_) => Some(FOREIGN),
            Body::Refused(refusal) => Some(&refusal.message),
        }
    }

    /// Gives a document up; the host forgets it.
    pub(super) fn refuse(&mut self, refusal: Refusal, host: &mut AnalysisHost) {
        host.close(self.file);
        self.body = Body::Refused(refusal);
    }

    /// Applies the changes of one notification in their order, and says what they were. A change that does not fit
    /// the text gives the document up; only a change that brings the whole text takes it back.
    pub(super) fn change(
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
                done.push(Edit { range, inserted: TextSize::of(change.text.as_str()), renewed: 0 });
                continue;
            };
            let (Body::Text(_, text) | Body::Foreign(text)) = &mut self.body else { continue };
            let edited = match text_range(text, range, encoding) {
                Some(range) if matches!(self.kind, Kind::Shared(_)) => {
                    Ok(edit_foreign(text, range, &change.text))
                }
                Some(range) => edit(text, range, &change.text, self.file, host),
                None => Err(out_of_sync(&format!(
                    "an edit from line {} to line {} does not lie in the text of {} lines",
                    range.start.line + 1,
                    range.end.line + 1,
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

    /// Takes a foreign document for ours, once an edit has given it a kernel.
    fn adopt(&mut self, edit: Edit, host: &mut AnalysisHost) {
        let (Body::Foreign(text), Kind::Shared(language)) = (&self.body, self.kind) else { return };
        let line = |offset: TextSize| text.byte_to_line(usize::from(offset));
        let (first, last) = (line(edit.range.start()), line(edit.range.start() + edit.inserted));
        if (first..=last).any(|line| language.sniffs(&text.line(line).to_string())) {
            let text = text.to_string();
            self.set_text(&text, host);
        }
    }

    fn set_text(&mut self, text: &str, host: &mut AnalysisHost) {
        if let Kind::Shared(language) = self.kind
            && language.sniffs(text)
        {
            self.kind = Kind::Read(language);
        }
        self.body = Body::new(self.kind, text, self.file, host);
    }
}

impl Refusal {
    /// The refusal at the start of the document, for everybody who looks at it.
    pub(super) fn diagnostic(&self) -> Diagnostic {
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
            Kind::Shared(_) => {
                host.close(file);
                return Body::Foreign(Rope::from_str(text));
            }
            _ if text.len() > MAX_TEXT => too_large(text.len()),
            Kind::Read(language) => {
                host.open(file, language, text);
                return Body::Text(language, Rope::from_str(text));
            }
            Kind::Listing => Refusal { code: "listing", message: language::LISTINGS_LATER.into() },
            Kind::Unknown => Refusal {
                code: "unknown-language",
                message: format!("Warplens does not know this language; it reads {}", language::read_ids()),
            },
        };
        host.close(file);
        Body::Refused(refusal)
    }
}

/// Edits a text that is not analysed.
fn edit_foreign(text: &mut Rope, range: TextRange, insert: &str) -> Edit {
    replace(text, range, insert);
    Edit { range, inserted: TextSize::of(insert), renewed: 0 }
}

fn replace(text: &mut Rope, range: TextRange, insert: &str) {
    let start = text.byte_to_char(range.start().into());
    text.remove(start..text.byte_to_char(range.end().into()));
    text.insert(start, insert);
}

/// Edits rope and host alike.
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
    Ok(Edit { range, inserted: TextSize::of(insert), renewed: edited.largest_item })
}

fn too_large(length: usize) -> Refusal {
    let (length, most) = (length as f64 / 1e6, MAX_TEXT as f64 / 1e6);
    Refusal {
        code: "too-large",
        message: format!("this file has {length:.0} MB; Warplens analyses files of at most {most:.0} MB"),
    }
}

/// The refusal of a document whose text is no longer known.
pub(super) fn out_of_sync(why: &str) -> Refusal {
    Refusal {
        code: "out-of-sync",
        message: format!("Warplens lost track of this file ({why}); close it and open it again"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tower_lsp::ls_types::{Position, Range};

    use super::*;

    fn open(text: &str) -> (AnalysisHost, Document) {
        let mut host = AnalysisHost::new();
        let item = TextDocumentItem {
            uri: "file:///k.ptx".parse().expect("it is an address"),
            language_id: "ptx".into(),
            version: 1,
            text: text.into(),
        };
        let document = Document::open(item, FileId(1), &mut host);
        (host, document)
    }

    /// The byte offset of a position, counted the slow way.
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
        fn rope_and_host_hold_the_text_that_the_client_has(
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
