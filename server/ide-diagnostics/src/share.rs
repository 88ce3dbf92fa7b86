//! The first check of a large file, shared between threads. Later ones are not: a keystroke affects one item.

use warplens_ide_db::{Database, File, items};

use crate::file::check_item;
use crate::rules::Rules;

/// A check of a shorter text takes less time than to start a few threads.
const MIN_SHARED: u32 = 1 << 17;

/// Whether threads should share the next check of a file.
pub fn is_worthwhile(db: &Database, file: File) -> bool {
    !file.settled(db).was_checked() && u32::from(file.document(db).items().text_len()) >= MIN_SHARED
}

/// Finds the problems of the items with the numbers that `next` gives, until it or the file has no more. Threads that count
/// together share the items of a file; [`diagnostics`](crate::file::diagnostics) then reads the memoized results.
pub fn take_share(db: &Database, file: File, rules: &Rules, next: impl Fn() -> Option<usize>) {
    let items = items(db, file);
    while let Some(item) = next().and_then(|index| items.get(index)) {
        check_item(db, *item, rules);
    }
}
