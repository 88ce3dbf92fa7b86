//! `check --format human`: each problem with its source code.

use std::borrow::Cow;
use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use ropey::Rope;
use warplens_ide::lanes::count;
use warplens_ide::{Diagnostic, Severity, TextRange};

use super::report::{Checked, CheckedFile, Report};
use crate::cli::plain::{is_hidden, plain};
use warplens_protocol::position::{self, Encoding};

/// The limit in lines of a snippet that shows all locations of a problem.
const NEAR: usize = 40;

/// The limit of a snippet in bytes. Above it, only the location is printed.
const MAX_SHOWN: usize = 1 << 14;

/// Prints each problem, and counts them at the end.
pub(super) struct Human {
    lowest: Severity,
    /// Whether to print a summary.
    summary: bool,
    files: usize,
    fixed: usize,
    errors: usize,
    warnings: usize,
}

impl Human {
    /// Prints the problems from severity `lowest` on.
    pub(super) fn new(lowest: Severity, summary: bool) -> Human {
        Human { lowest, summary, files: 0, fixed: 0, errors: 0, warnings: 0 }
    }
}

impl Report for Human {
    fn file(&mut self, out: &mut dyn Write, checked: &Checked) -> io::Result<()> {
        let Ok(CheckedFile { text, found, fixed }) = &checked.result else { return Ok(()) };
        self.files += 1;
        self.fixed += fixed;
        let path = checked.path.to_string_lossy();
        let path = plain(&path);
        for diagnostic in found.iter().filter(|diagnostic| diagnostic.severity <= self.lowest) {
            self.errors += usize::from(diagnostic.severity == Severity::Error);
            self.warnings += usize::from(diagnostic.severity == Severity::Warning);
            writeln!(out, "{}\n", render(&path, text, diagnostic))?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if !self.summary || self.files == 0 {
            return Ok(());
        }
        if self.fixed > 0 {
            writeln!(out, "{} fixed", count(self.fixed, "problem"))?;
        }
        match (self.errors, self.warnings) {
            (0, 0) => writeln!(out, "{} checked: no errors, no warnings", count(self.files, "file")),
            (errors, 0) => writeln!(out, "{}", count(errors, "error")),
            (0, warnings) => writeln!(out, "{}", count(warnings, "warning")),
            (errors, warnings) => {
                writeln!(out, "{}, {}", count(errors, "error"), count(warnings, "warning"))
            }
        }
    }
}

fn render(path: &str, text: &Rope, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP,
    };
    let mut locations =
        vec![Location { range: diagnostic.range, kind: AnnotationKind::Primary, label: None }];
    locations.extend(diagnostic.related.iter().map(|related| Location {
        range: related.range,
        kind: AnnotationKind::Context,
        label: Some(plain(&related.message)),
    }));
    let message = plain(&diagnostic.message);
    let title = level.primary_title(message).id(diagnostic.code);
    let group = title.elements(snippets(path, text, &locations));
    Renderer::styled().render(&[group])
}

struct Location<'d> {
    range: TextRange,
    kind: AnnotationKind,
    label: Option<Cow<'d, str>>,
}

/// One snippet with all locations, or if they are far apart, one for each.
fn snippets<'d>(path: &'d str, text: &Rope, locations: &[Location<'d>]) -> Vec<Element<'d>> {
    let lines = lines_of(text, locations);
    if lines.len() <= NEAR && size(text, &lines) <= MAX_SHOWN {
        return vec![snippet(path, text, lines, locations)];
    }
    locations
        .iter()
        .map(|location| {
            let location = std::slice::from_ref(location);
            let lines = lines_of(text, location);
            if size(text, &lines) <= MAX_SHOWN {
                snippet(path, text, lines, location)
            } else {
                origin(path, text, location)
            }
        })
        .collect()
}

fn snippet<'d>(path: &'d str, text: &Rope, lines: Range<usize>, locations: &[Location<'d>]) -> Element<'d> {
    let bytes = text.line_to_byte(lines.start)..text.line_to_byte(lines.end);
    let annotation = |location: &Location<'d>| -> Annotation<'d> {
        let at = |offset: usize| offset.clamp(bytes.start, bytes.end) - bytes.start;
        let span = at(location.range.start().into())..at(location.range.end().into());
        location.kind.span(span).label(location.label.clone())
    };
    Snippet::source(same_length(text.byte_slice(bytes.clone()).to_string()))
        .line_start(lines.start + 1)
        .path(path)
        .annotations(locations.iter().map(annotation))
        .into()
}

/// Replaces characters that a terminal acts on, but that the renderer prints unchanged, by others of the same length.
fn same_length(text: String) -> String {
    let is_printed = |char: char| is_hidden(char) && !char.is_ascii();
    if !text.contains(is_printed) {
        return text;
    }
    let replaced = |char: char| match char.len_utf8() {
        _ if !is_printed(char) => char,
        2 => '¤',
        _ => char::REPLACEMENT_CHARACTER,
    };
    text.chars().map(replaced).collect()
}

fn origin<'d>(path: &'d str, text: &Rope, location: &[Location<'d>]) -> Element<'d> {
    let at = position::position(text, location[0].range.start(), Encoding::Utf16);
    Origin::path(path).line(at.line as usize + 1).char_column(at.character as usize + 1).into()
}

fn lines_of(text: &Rope, locations: &[Location]) -> Range<usize> {
    let line = |offset: usize| text.byte_to_line(offset.min(text.len_bytes()));
    let first = locations.iter().map(|location| line(location.range.start().into())).min().unwrap_or(0);
    let last = locations.iter().map(|location| line(location.range.end().into())).max().unwrap_or(0);
    first..(last + 1).min(text.len_lines())
}

fn size(text: &Rope, lines: &Range<usize>) -> usize {
    text.line_to_byte(lines.end) - text.line_to_byte(lines.start)
}
