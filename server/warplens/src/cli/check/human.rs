//! `check --format human`: each problem with its source.

use std::io::{self, Write};
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Level, Origin, Renderer, Snippet};
use ropey::Rope;
use warplens_ide::{Diagnostic, Severity, TextRange};

use super::{Checked, Report};
use crate::position::{self, Encoding};

/// Places of a problem at most so many lines apart are shown in one piece of source.
const NEAR: usize = 40;

/// A longer piece of source is named, not shown.
const MAX_SHOWN: usize = 1 << 14;

/// Prints each problem as it comes, and how many there were at the end.
pub(super) struct Human {
    /// The least that is shown.
    least: Severity,
    errors: usize,
    warnings: usize,
}

impl Human {
    /// Shows hints too, or only what may be wrong.
    pub(super) fn new(hints: bool) -> Human {
        let least = if hints { Severity::Hint } else { Severity::Information };
        Human { least, errors: 0, warnings: 0 }
    }
}

impl Report for Human {
    fn file(&mut self, out: &mut dyn Write, checked: &Checked) -> io::Result<()> {
        let Ok((text, found)) = &checked.result else { return Ok(()) };
        let path = checked.path.to_string_lossy();
        for diagnostic in found.iter().filter(|diagnostic| diagnostic.severity <= self.least) {
            self.errors += usize::from(diagnostic.severity == Severity::Error);
            self.warnings += usize::from(diagnostic.severity == Severity::Warning);
            writeln!(out, "{}\n", render(&path, text, diagnostic))?;
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match (self.errors, self.warnings) {
            (0, 0) => Ok(()),
            (errors, 0) => writeln!(out, "{}", count(errors, "error")),
            (0, warnings) => writeln!(out, "{}", count(warnings, "warning")),
            (errors, warnings) => {
                writeln!(out, "{}, {}", count(errors, "error"), count(warnings, "warning"))
            }
        }
    }
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn render(path: &str, text: &Rope, diagnostic: &Diagnostic) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Information => Level::INFO,
        Severity::Hint => Level::HELP,
    };
    let mut places = vec![Place { range: diagnostic.range, kind: AnnotationKind::Primary, label: None }];
    places.extend(diagnostic.related.iter().map(|related| Place {
        range: related.range,
        kind: AnnotationKind::Context,
        label: Some(&related.message),
    }));
    let title = level.primary_title(&diagnostic.message).id(diagnostic.code);
    let group = title.elements(pieces(path, text, &places));
    Renderer::styled().render(&[group])
}

/// A place that a problem speaks of.
struct Place<'d> {
    range: TextRange,
    kind: AnnotationKind,
    label: Option<&'d str>,
}

/// The source around all places together when they are near each other, else around each of them.
fn pieces<'d>(path: &'d str, text: &Rope, places: &[Place<'d>]) -> Vec<Element<'d>> {
    let lines = lines_of(text, places);
    if lines.len() <= NEAR && size(text, &lines) <= MAX_SHOWN {
        return vec![snippet(path, text, lines, places)];
    }
    places
        .iter()
        .map(|place| {
            let place = std::slice::from_ref(place);
            let lines = lines_of(text, place);
            if size(text, &lines) <= MAX_SHOWN {
                snippet(path, text, lines, place)
            } else {
                origin(path, text, place)
            }
        })
        .collect()
}

fn snippet<'d>(path: &'d str, text: &Rope, lines: Range<usize>, places: &[Place<'d>]) -> Element<'d> {
    let bytes = text.line_to_byte(lines.start)..text.line_to_byte(lines.end);
    let annotation = |place: &Place<'d>| -> Annotation<'d> {
        let at = |offset: usize| offset.clamp(bytes.start, bytes.end) - bytes.start;
        let span = at(place.range.start().into())..at(place.range.end().into());
        place.kind.span(span).label(place.label)
    };
    Snippet::source(text.byte_slice(bytes.clone()).to_string())
        .line_start(lines.start + 1)
        .path(path)
        .annotations(places.iter().map(annotation))
        .into()
}

fn origin<'d>(path: &'d str, text: &Rope, place: &[Place<'d>]) -> Element<'d> {
    let at = position::position(text, place[0].range.start(), Encoding::Utf16);
    Origin::path(path).line(at.line as usize + 1).char_column(at.character as usize + 1).into()
}

/// The lines that hold all places.
fn lines_of(text: &Rope, places: &[Place]) -> Range<usize> {
    let line = |offset: usize| text.byte_to_line(offset.min(text.len_bytes()));
    let first = places.iter().map(|place| line(place.range.start().into())).min().unwrap_or(0);
    let last = places.iter().map(|place| line(place.range.end().into())).max().unwrap_or(0);
    first..(last + 1).min(text.len_lines())
}

fn size(text: &Rope, lines: &Range<usize>) -> usize {
    text.line_to_byte(lines.end) - text.line_to_byte(lines.start)
}
