//! Checks of a large file, shared between threads. Editors do not need it: a keystroke affects one item.

use std::sync::atomic::{AtomicUsize, Ordering};

use warplens_ide_db::{Database, File, items};

use crate::file::check_item;
use crate::rules::Rules;

/// Finds the problems of the items with the numbers that `next` gives, until none is left. Threads with the same counter
/// share the items of a file; [`diagnostics`](crate::file::diagnostics) then reads the memoized results.
pub fn take_share(db: &Database, file: File, rules: &Rules, next: &AtomicUsize) {
    let items = items(db, file);
    while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
        check_item(db, *item, rules);
    }
}
