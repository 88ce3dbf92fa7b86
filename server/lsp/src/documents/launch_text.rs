//! Editor features of launches: diagnostics, completion and hover, in launch files and in the comments of other documents.

use std::ops::Range;

use ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CompletionItem, CompletionItemKind, CompletionTextEdit,
    Diagnostic, DiagnosticSeverity, Documentation, Hover, HoverContents, InsertTextFormat, NumberOrString,
    Position, Range as LspRange, TextEdit, Uri,
};
use ropey::Rope;
use text_size::{TextRange, TextSize};
use warplens_ide::lanes::launch_text::{LaunchHome, documentation, problems, suggestions};
use warplens_ide::model_choices;

use crate::client_capabilities::ClientCapabilities;
use crate::markup::markup;
use crate::workspace_edit::workspace_edit;
use warplens_protocol::position::{Encoding, offset, range};

/// The code of all diagnostics about launches.
const CODE: &str = "invalid-launch";

/// A part of a document that may contain launches.
pub(crate) struct LaunchText<'t> {
    document: &'t Rope,
    encoding: Encoding,
    /// The start of the part.
    start: usize,
    text: String,
    home: LaunchHome<'t>,
}

impl<'t> LaunchText<'t> {
    pub(crate) fn whole(document: &'t Rope, encoding: Encoding, home: LaunchHome<'t>) -> LaunchText<'t> {
        LaunchText { document, encoding, start: 0, text: document.to_string(), home }
    }

    /// The line at a position. A launch in a comment is on one line.
    pub(crate) fn line(
        document: &'t Rope,
        encoding: Encoding,
        home: LaunchHome<'t>,
        position: Position,
    ) -> LaunchText<'t> {
        let line = (position.line as usize).min(document.len_lines().saturating_sub(1));
        let start = document.line_to_byte(line);
        LaunchText { document, encoding, start, text: document.line(line).to_string(), home }
    }

    pub(crate) fn diagnostics(&self) -> Vec<Diagnostic> {
        self.problems().map(|(diagnostic, _)| diagnostic).collect()
    }

    /// The problems, with the texts that fix them by replacing their range.
    fn problems(&self) -> impl Iterator<Item = (Diagnostic, Option<String>)> {
        problems(&self.text, self.home).into_iter().map(|problem| {
            let at = problem.at.unwrap_or(0..0);
            // The range may span several lines, as that of a launch without a required key. Only the first one is marked.
            let first = self.text[at.clone()].find('\n').map_or(at.end, |end| at.start + end);
            let diagnostic = Diagnostic {
                range: self.range(at.start..first),
                severity: Some(DiagnosticSeverity::ERROR),
                code: Some(NumberOrString::String(CODE.to_owned())),
                source: Some("warplens".to_owned()),
                message: problem.message,
                ..Diagnostic::default()
            };
            (diagnostic, problem.replacement)
        })
    }

    /// The quick fixes in a range.
    pub(crate) fn fixes(&self, uri: &Uri, asked: LspRange) -> Vec<CodeActionOrCommand> {
        let overlaps = |found: &Diagnostic| found.range.start <= asked.end && asked.start <= found.range.end;
        let fix = |(found, replacement): (Diagnostic, Option<String>)| {
            let new_text = replacement.filter(|_| overlaps(&found))?;
            let title = format!("Change to `{new_text}`");
            let edits = vec![TextEdit { range: found.range, new_text }];
            Some(CodeActionOrCommand::CodeAction(CodeAction {
                title,
                kind: Some(CodeActionKind::QUICKFIX),
                is_preferred: Some(true),
                diagnostics: Some(vec![found]),
                edit: Some(workspace_edit(uri, edits)),
                ..CodeAction::default()
            }))
        };
        self.problems().filter_map(fix).collect()
    }

    /// The keys or values that can be written at a position.
    pub(crate) fn completions(&self, at: Position, capabilities: &ClientCapabilities) -> Vec<CompletionItem> {
        let Some(at) = self.offset(at) else { return Vec::new() };
        let items = suggestions(&self.text, self.home, at, &model_choices()).into_iter().map(|found| {
            let (new_text, format) = match capabilities.snippets {
                true => (found.snippet, InsertTextFormat::SNIPPET),
                false => (found.insert, InsertTextFormat::PLAIN_TEXT),
            };
            CompletionItem {
                label: found.label,
                kind: Some(if found.is_key {
                    CompletionItemKind::PROPERTY
                } else {
                    CompletionItemKind::ENUM_MEMBER
                }),
                documentation: (!found.documentation.is_empty()).then(|| {
                    Documentation::MarkupContent(markup(found.documentation, capabilities.markdown))
                }),
                insert_text_format: Some(format),
                text_edit: Some(CompletionTextEdit::Edit(TextEdit {
                    range: self.range(found.replace),
                    new_text,
                })),
                ..CompletionItem::default()
            }
        });
        items.collect()
    }

    /// The documentation of the key or value at a position.
    pub(crate) fn hover(&self, at: Position, capabilities: &ClientCapabilities) -> Option<Hover> {
        let (word, text) = documentation(&self.text, self.home, self.offset(at)?, &model_choices())?;
        let contents = HoverContents::Markup(markup(text, capabilities.markdown));
        Some(Hover { contents, range: Some(self.range(word)) })
    }

    fn offset(&self, at: Position) -> Option<usize> {
        let offset = usize::from(offset(self.document, at, self.encoding)?).checked_sub(self.start)?;
        Some(offset.min(self.text.len()))
    }

    fn range(&self, part: Range<usize>) -> LspRange {
        let size = |offset: usize| TextSize::new((self.start + offset) as u32);
        range(self.document, TextRange::new(size(part.start), size(part.end)), self.encoding)
    }
}
