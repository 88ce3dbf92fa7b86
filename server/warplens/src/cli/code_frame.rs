//! A problem with the code that it is about.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use ropey::Rope;
use warplens_ide::TextRange;
use warplens_protocol::position::{self, Encoding};

use super::plain::{is_hidden, plain};

/// The limit in lines of a snippet that shows all locations of a problem.
const NEAR: usize = 40;

/// The limit of a snippet in bytes. Above it, only the location is printed.
const MAX_SHOWN: usize = 1 << 14;

pub(crate) struct Problem<'p> {
    pub(crate) level: Level<'static>,
    /// The name of the diagnostic or finding.
    pub(crate) code: &'p str,
    pub(crate) title: Cow<'p, str>,
    /// Empty if the problem is about the whole file.
    pub(crate) locations: Vec<Location<'p>>,
    /// What else there is to say, below the code.
    pub(crate) notes: Vec<Cow<'p, str>>,
}

pub(crate) struct Location<'p> {
    range: TextRange,
    kind: AnnotationKind,
    label: Option<Cow<'p, str>>,
}

impl<'p> Location<'p> {
    pub(crate) fn primary(range: TextRange) -> Location<'p> {
        Location { range, kind: AnnotationKind::Primary, label: None }
    }

    pub(crate) fn related(range: TextRange, message: &'p str) -> Location<'p> {
        Location { range, kind: AnnotationKind::Context, label: Some(plain(message)) }
    }
}

impl Problem<'_> {
    /// The problem in a file with this path and text.
    pub(crate) fn render(self, path: &str, text: &Rope) -> String {
        let code = match merged(self.locations).as_slice() {
            [] => vec![Origin::path(path).into()],
            locations => snippets(path, text, locations),
        };
        let title = self.level.primary_title(self.title).id(self.code);
        let notes = self.notes.into_iter().map(|note| Level::NOTE.message(note));
        let group: Group<'_> = title.elements(code).elements(notes);
        Renderer::styled().render(&[group])
    }
}

/// The locations, with what is said about the range of the problem itself as its label.
fn merged(mut locations: Vec<Location<'_>>) -> Vec<Location<'_>> {
    let same = locations.iter().skip(1).position(|location| location.range == locations[0].range);
    if let Some(same) = same.filter(|_| locations[0].label.is_none()) {
        locations[0].label = locations.remove(1 + same).label;
    }
    locations
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
