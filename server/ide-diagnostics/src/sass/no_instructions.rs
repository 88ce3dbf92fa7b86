//! `no-instructions`: a file of which no line is read as an instruction.

use text_size::{TextRange, TextSize};
use warplens_hir::sass::{Code, Function};
use warplens_ide_db::sass::sass_code;
use warplens_ide_db::{Db, File, Item, Problem, items};
use warplens_syntax::ItemKind;

use crate::codes;

pub(super) fn check<'db>(db: &'db dyn Db, file: File, item: Item<'db>, code: &Code) -> Option<Problem> {
    let has_code = |code: &Code| {
        let functions = &code.functions;
        functions.iter().any(is_read) || code.section.is_some()
    };
    if has_code(code) || item.kind(db) != ItemKind::Kernel {
        return None;
    }
    // It is about the file, so the first item with text reports it, unless another one is read.
    let all = items(db, file).iter().filter(|other| other.kind(db) != ItemKind::Directive);
    if all.clone().any(|other| has_code(&sass_code(db, *other))) {
        return None;
    }
    let is_kernel = |other: &&Item<'db>| other.kind(db) == ItemKind::Kernel;
    let mut texts = all.filter(is_kernel).filter_map(|other| Some((other, unread_line(&other.text(db).0)?)));
    let (_, range) = texts.next().filter(|(first, _)| **first == item)?;
    let message = "no line of this file is read as an instruction; in a listing, instructions look like `/*0010*/ EXIT ;` or \
                   `MOV R1, R2 ;`";
    Some(Problem::warning(range, codes::NO_INSTRUCTIONS, message))
}

/// Whether any line of a function is read.
pub(super) fn is_read(function: &Function) -> bool {
    function.instructions.iter().any(|instruction| !function.is_unread(instruction))
}

/// The first line that is neither a header nor a comment.
fn unread_line(text: &str) -> Option<TextRange> {
    let is_header =
        |line: &str| line.starts_with("Function") || line.starts_with("code for") || line.starts_with("..");
    let is_text = |(_, line): &(usize, &str)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with(['/', '#']) && !is_header(line)
    };
    let lines = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end - line.trim_start().len(), line))
    });
    let (start, line) = lines.filter(is_text).map(|(start, line)| (start, line.trim())).next()?;
    Some(TextRange::at(TextSize::try_from(start).ok()?, TextSize::of(line)))
}
