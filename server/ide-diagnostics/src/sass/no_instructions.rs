//! `no-instructions`: a file of which no line is read as an instruction.

use text_size::{TextRange, TextSize};
use warplens_hir::sass::Code;
use warplens_ide_db::{Db, File, Item, Problem, items};
use warplens_syntax::ItemKind;

use crate::codes;

pub(super) fn check<'db>(db: &'db dyn Db, file: File, item: Item<'db>, code: &Code) -> Option<Problem> {
    let has_code = !code.functions.is_empty() || code.section.is_some();
    if has_code || item.kind(db) != ItemKind::Kernel || items(db, file).len() > 1 {
        return None;
    }
    let text = &item.text(db).0;
    let is_text = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with(['/', '#']);
    let lines = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end - line.trim_start().len(), line))
    });
    let (start, line) =
        lines.filter(|(_, line)| is_text(line)).map(|(start, line)| (start, line.trim())).next()?;
    let range = TextRange::at(TextSize::try_from(start).ok()?, TextSize::of(line));
    let message = "no line of this file is read as an instruction; in a listing, instructions look like `/*0010*/ EXIT ;` or \
                   `MOV R1, R2 ;`";
    Some(Problem::warning(range, codes::NO_INSTRUCTIONS, message))
}
