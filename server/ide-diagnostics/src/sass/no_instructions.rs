//! `no-instructions`: a file of which no line is read as an instruction.

use text_size::{TextRange, TextSize};
use warplens_hir::sass::Code;
use warplens_ide_db::sass::sass_code;
use warplens_ide_db::{Db, File, Item, Problem, items};
use warplens_syntax::ItemKind;

use crate::codes;

pub(super) fn check<'db>(db: &'db dyn Db, file: File, item: Item<'db>, code: &Code) -> Option<Problem> {
    let has_code = |code: &Code| {
        let functions = &code.functions;
        functions.iter().any(|function| !function.instructions.is_empty()) || code.section.is_some()
    };
    if has_code(code) || item.kind(db) != ItemKind::Kernel {
        return None;
    }
    // It is about the file, so the first function reports it, unless another one is read.
    let mut all = items(db, file).iter().filter(|other| other.kind(db) != ItemKind::Directive);
    let is_first = all.clone().find(|other| other.kind(db) == ItemKind::Kernel) == Some(&item);
    if !is_first || all.any(|other| has_code(&sass_code(db, *other))) {
        return None;
    }
    let text = &item.text(db).0;
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
    let range = TextRange::at(TextSize::try_from(start).ok()?, TextSize::of(line));
    let message = "no line of this file is read as an instruction; in a listing, instructions look like `/*0010*/ EXIT ;` or \
                   `MOV R1, R2 ;`";
    Some(Problem::warning(range, codes::NO_INSTRUCTIONS, message))
}
