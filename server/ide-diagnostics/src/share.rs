//! The first check of a large file, shared between threads: its groups of items are independent of each other. Later checks are not
//! shared, because a keystroke affects one group.

use std::sync::atomic::Ordering;

use warplens_ide_db::{Database, File, item_groups};

use crate::file::check_group;
use crate::rules::Rules;

/// Checking a shorter text takes less time than starting a few threads.
const MIN_SHARED: u32 = 1 << 17;

/// Whether several threads should share the next check of a file. Computes nothing, so that it may be called outside of a query.
pub fn is_worthwhile(db: &Database, file: File) -> bool {
    let is_first = !file.was_checked(db).load(Ordering::Relaxed);
    is_first && u32::from(file.document(db).items().text_len()) >= MIN_SHARED
}

/// Checks the groups of items with the indices that `next` gives, until it or the file has no more. Threads that count together share
/// the groups; [`diagnostics`](crate::file::diagnostics) then reads the memoized results.
pub fn check_groups(db: &Database, file: File, rules: &Rules, next: impl Fn() -> Option<usize>) {
    let groups = item_groups(db, file);
    while let Some(group) = next().and_then(|index| groups.get(index)) {
        check_group(db, *group, rules);
    }
}
