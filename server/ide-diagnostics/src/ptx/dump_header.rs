//! `syntax-error`, of what `cuobjdump -ptx` prints before a module.

use text_size::TextSize;
use warplens_ide_db::{Db, Diagnostic, File, Fixes, Item, ItemFix, Problem, items, placed_items};

use crate::codes;
use crate::context::fix_context;
use crate::ptx::symbols::first_token;

/// Whether an item is a header: `Fatbin ptx code:`, and the lines below it.
pub(super) fn is_header(db: &dyn Db, item: Item<'_>) -> bool {
    item.text(db).0.trim_start().starts_with("Fatbin ")
}

/// Reports the headers of a file, each with the line on which its module starts.
pub(super) fn check(db: &warplens_ide_db::Database, file: File) -> Vec<Diagnostic> {
    // Counting lines reads the whole file, so files without a header skip it.
    if !items(db, file).iter().any(|item| is_header(db, *item)) {
        return Vec::new();
    }
    let context = fix_context(db, file, Fixes::Included);
    let mut found = Vec::new();
    let mut line = 1;
    let mut header: Option<(TextSize, Item<'_>)> = None;
    for (item, start) in placed_items(db, file) {
        let text = &item.text(db).0;
        if let Some((at, header)) = header.take_if(|_| !is_header(db, item)) {
            let before = &text[..usize::from(first_token(db, item).start())];
            let module = line + before.matches('\n').count();
            let problem = problem(db, header, module);
            found.push(problem.in_file(&context, at));
        }
        if is_header(db, item) {
            header.get_or_insert((start, item));
        }
        line += text.matches('\n').count();
    }
    found
}

fn problem(db: &dyn Db, header: Item<'_>, module: usize) -> Problem {
    let range = first_token(db, header);
    let message = format!(
        "a dump of `cuobjdump -ptx`; the module starts at line {module}: delete the lines before it, or extract it with `-xptx`"
    );
    let whole = text_size::TextRange::up_to(TextSize::of(&*header.text(db).0));
    let fix = ItemFix::new("Delete the header").delete(whole);
    Problem::error(range, codes::SYNTAX, message).with_fix(fix)
}
