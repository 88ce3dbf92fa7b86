//! Formatting: the edits that give a file the layout of compiler output.
//!
//! Formatting only changes white space, never a token or a comment, and is idempotent. An item with a syntax error is not
//! formatted. `layout` guarantees this; each language defines its `style`.

pub(crate) mod layout;
pub(crate) mod style;

use salsa::Database as _;
use text_size::{TextRange, TextSize};
use warplens_ide_db::{Database, File, Item, TextEdit, items};

use crate::format::layout::Layout;
use crate::format::style::lay_out;
use crate::language::Editing;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Formatted {
    /// The edits, in text order. They only change white space.
    pub edits: Vec<TextEdit>,
    /// For each item that could not be formatted, its first syntax error.
    pub broken: Vec<TextRange>,
}

pub(crate) fn format(db: &Database, file: File, editing: &Editing) -> Formatted {
    let whole = TextRange::up_to(file.document(db).items().text_len());
    formatted(db, file, editing, whole, |db, item| first_error(db, editing, item))
}

pub(crate) fn format_range(db: &Database, file: File, editing: &Editing, range: TextRange) -> Formatted {
    let lines = lines_of(&file.document(db).items().text(), range);
    let mut found = formatted(db, file, editing, lines, |db, item| first_error(db, editing, item));
    found.edits.retain(|edit| lines.contains_range(edit.range));
    found
}

/// The edits after something was typed before `offset`.
pub(crate) fn format_typed(db: &Database, file: File, editing: &Editing, offset: TextSize) -> Vec<TextEdit> {
    let text = file.document(db).items().text();
    let before = text.get(..usize::from(offset)).unwrap_or_default();
    let ended = TextSize::of(before.trim_end_matches(['\n', '\r', ' ', '\t']));
    let ends = before.ends_with(';') || ended < TextSize::of(before);
    if !ends {
        return (editing.word_typed)(db, file, &text, offset).into_iter().collect();
    }
    let mut edits = format_ended(db, file, editing, &text, ended);
    edits.extend((editing.line_begun)(db, file, &text, (ended, offset)));
    edits
}

/// The edits that format the line that ends at `ended`. Errors elsewhere do not prevent this, because they are common
/// while typing.
fn format_ended(db: &Database, file: File, editing: &Editing, text: &str, ended: TextSize) -> Vec<TextEdit> {
    let line = lines_of(text, TextRange::empty(ended));
    let mut found = formatted(db, file, editing, line, |_, _| None);
    // The cursor is in the white space before the next line.
    found.edits.retain(|edit| line.contains_range(edit.range) && edit.range.start() <= ended);
    // If the line has a syntax error, a line break could start an item in the middle of another.
    let breaks = found.edits.iter().any(|edit| edit.insert.contains('\n'));
    let is_broken = || {
        let index = file.document(db).items().item_at(ended);
        index.is_some_and(|index| first_error(db, editing, items(db, file)[index]).is_some())
    };
    if has_error(db, file, line) || breaks && is_broken() { Vec::new() } else { found.edits }
}

/// The first syntax error of an item, or the first directive that is not allowed on a function, because on a line of its
/// own it could start another item.
fn first_error(db: &Database, editing: &Editing, item: Item<'_>) -> Option<TextRange> {
    let syntax = item.parse(db).errors().first().map(|error| error.range);
    syntax.or_else(|| (editing.misplaced)(db, item))
}

/// The edits around `lines`, except in items for which `error` finds an error.
fn formatted(
    db: &Database,
    file: File,
    editing: &Editing,
    lines: TextRange,
    error: impl Fn(&Database, Item<'_>) -> Option<TextRange>,
) -> Formatted {
    let list = file.document(db).items();
    let line_end = list.iter().find_map(|item| newline(&item.text)).unwrap_or("\n");
    let mut layout = Layout::new(editing.comments, line_end);
    let mut broken = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        let range = list.range_of(index);
        layout.item(&list[index].text, range.start());
        let Some(touched) = range.intersect(lines) else {
            layout.pass_item();
            continue;
        };
        if let Some(error) = error(db, *item) {
            layout.pass_item();
            broken.push(error + range.start());
        } else {
            let text = &list[index].text;
            let tree = item.parse(db).syntax();
            // A document edit waits for this, so check for cancellation.
            let pause = || db.unwind_if_revision_cancelled();
            let window = touched - range.start();
            lay_out(&mut *(editing.style)(text), &tree, window, &mut layout, pause);
        }
        db.unwind_if_revision_cancelled();
    }
    Formatted { edits: layout.finish(), broken }
}

fn has_error(db: &Database, file: File, range: TextRange) -> bool {
    let list = file.document(db).items();
    list.parts_of(range).any(|(index, _)| {
        let start = list.start_of(index);
        let parse = items(db, file)[index].parse(db);
        parse.errors().iter().any(|error| (error.range + start).intersect(range).is_some())
    })
}

/// The range from the start of its first line to the end of its last line, without the newline. If the range
/// includes only the start of the last line, that line is excluded.
pub(crate) fn lines_of(text: &str, range: TextRange) -> TextRange {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let bytes = text.as_bytes();
    let (from, to) = (usize::from(range.start()).min(bytes.len()), usize::from(range.end()).min(bytes.len()));
    let start = bytes[..from].iter().rposition(is_end).map_or(0, |at| at + 1);
    let ends_before = to > from && bytes[..to].last().is_some_and(is_end);
    let end = match ends_before {
        true => to - 1,
        false => bytes[to..].iter().position(is_end).map_or(bytes.len(), |length| to + length),
    };
    TextRange::new(size(start), size(end.max(start)))
}

pub(crate) fn size(bytes: usize) -> TextSize {
    TextSize::new(bytes as u32)
}

fn newline(text: &str) -> Option<&'static str> {
    let at = text.find(['\n', '\r'])?;
    let mut known = ["\r\n", "\n", "\r"].into_iter();
    known.find(|end| text[at..].starts_with(end))
}

#[cfg(test)]
pub(crate) mod tests;
