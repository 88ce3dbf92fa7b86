//! On-type formatting of WAVE: the indentation of the cursor's line. Only the leading spaces change, and only to what
//! formatting the file would produce, so constructs are indented while they are typed.

use text_size::{TextRange, TextSize};
use warplens_hir::wave::Code;
use warplens_ide_db::wave::wave_code;
use warplens_ide_db::{Database, File, TextEdit, items};

use crate::format::layout::Indent;
use crate::format::size;

/// The keywords that are dedented, because they close a construct.
const CLOSERS: [&str; 4] = ["else", "endif", "endloop", ".end"];

/// The edit after the last letter of a closing keyword was typed, alone on its line.
pub(crate) fn closed(db: &Database, file: File, text: &str, offset: TextSize) -> Option<TextEdit> {
    let line = line_of(text, offset);
    let is_at_end = text[TextRange::new(offset, line.end())].trim().is_empty();
    if is_at_end { closing(db, file, text, (offset, text[line].trim())) } else { None }
}

/// The edit that dedents the line of a word, if the word closes a construct.
pub(crate) fn closing(
    db: &Database,
    file: File,
    text: &str,
    (offset, word): (TextSize, &str),
) -> Option<TextEdit> {
    let line = line_of(text, offset);
    if CLOSERS.contains(&word) { indented(text, line, depth(db, file, line.start(), word)) } else { None }
}

/// The edit after a newline was typed before the line at `offset`. The last line with text ends at `ended`.
pub(crate) fn begun(
    db: &Database,
    file: File,
    text: &str,
    (ended, offset): (TextSize, TextSize),
) -> Option<TextEdit> {
    let line = line_of(text, offset);
    // Without a newline between them, it is the completed line itself.
    let is_new = line.start() > ended;
    let word = text[line].split_whitespace().next().unwrap_or_default();
    if is_new { indented(text, line, depth(db, file, ended, word)) } else { None }
}

/// The line at an offset. Only a line feed ends a line; a lone carriage return is white space, or part of a comment.
fn line_of(text: &str, offset: TextSize) -> TextRange {
    let at = usize::from(offset);
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    TextRange::new(size(start), size(end))
}

/// The indentation of a line that starts with `word`, after the text before `offset`.
fn depth(db: &Database, file: File, offset: TextSize, word: &str) -> u8 {
    let list = file.document(db).items();
    let before = offset.checked_sub(1.into()).and_then(|before| list.item_at(before));
    let Some(index) = before else { return 0 };
    let code = wave_code(db, items(db, file)[index]);
    let at = offset - list.start_of(index);
    let is_inside = code.kernel.as_ref().is_some_and(|kernel| kernel.encloses(at));
    let inside = open(&code, at).saturating_add(u8::from(is_inside));
    match word {
        ".end" | ".kernel" => 0,
        _ if CLOSERS.contains(&word) => inside.saturating_sub(1).max(u8::from(is_inside)),
        _ => inside,
    }
}

/// The number of open constructs, counted as written.
fn open(code: &Code, at: TextSize) -> u8 {
    let before = code.instructions.iter().take_while(|instruction| instruction.range.start() < at);
    before.fold(0, |open: u8, instruction| match instruction.mnemonic.as_str() {
        "if" | "loop" => open.saturating_add(1),
        "endif" | "endloop" => open.saturating_sub(1),
        _ => open,
    })
}

fn indented(text: &str, line: TextRange, level: u8) -> Option<TextEdit> {
    let wanted = Indent::Level(level).text();
    let shown = &text[line];
    let have = &shown[..shown.len() - shown.trim_start_matches([' ', '\t']).len()];
    let same = have.bytes().zip(wanted.bytes()).take_while(|(have, wanted)| have == wanted).count();
    let range = TextRange::new(line.start() + size(same), line.start() + TextSize::of(have));
    let insert = wanted[same..].to_owned();
    (have != wanted).then_some(TextEdit { range, insert })
}
