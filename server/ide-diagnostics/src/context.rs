//! The file around the items whose problems are listed.

use std::cell::LazyCell;

use warplens_ide_db::{Database, Db, File, FixContext, Fixes};

pub(crate) fn fix_context(db: &Database, file: File, fixes: Fixes) -> FixContext<'_> {
    let target_ranges = move || (db.language(file.language(db)).target_ranges)(db, file);
    FixContext { file: file.id(db), fixes, target_ranges: LazyCell::new(Box::new(target_ranges)) }
}
