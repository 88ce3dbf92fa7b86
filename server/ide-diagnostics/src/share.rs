//! Checks that take long, shared between threads: the first one of a large file, whose items are independent, and that of a very long
//! item, whose lints need nothing of its other problems. Other checks are not shared: a keystroke affects one item.

use std::sync::{Arc, OnceLock};

use warplens_ide_db::{Database, Db, File, items, module_uses};

use crate::file::check_item;
use crate::item::item_problems;
use crate::lints::item_lints;
use crate::rules::Rules;

/// A check of a shorter text takes less time than to start a few threads.
const MIN_SHARED: u32 = 1 << 17;

/// The problems of a shorter item are found by one thread.
const LONG: usize = 1 << 20;

/// A part of a check, by the index of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Item(usize),
    Problems(usize),
    Lints(usize),
}

/// The parts of the next check of a file.
#[derive(Debug)]
pub struct Shares {
    parts: Vec<Part>,
    /// The item of which there are several parts.
    long: Option<usize>,
    /// Set when the tree and the function of that item are there, which each of its parts would build otherwise.
    is_prepared: OnceLock<()>,
}

impl Shares {
    /// The parts into which the next check of a file is divided; `None` if one thread should do it. Computes nothing, so that it may be
    /// called outside of a query.
    pub fn of(db: &Database, file: File, rules: &Rules) -> Option<Shares> {
        let list = file.document(db).items();
        if u32::from(list.text_len()) < MIN_SHARED {
            return None;
        }
        let is_first = !file.settled(db).was_checked();
        let long = if rules.want_lints() { long_item(db, file, is_first) } else { None };
        let of_long = long.into_iter().flat_map(|index| [Part::Problems(index), Part::Lints(index)]);
        let others = (0..list.len()).filter(|index| is_first && Some(*index) != long).map(Part::Item);
        let parts: Vec<Part> = of_long.chain(others).collect();
        (!parts.is_empty()).then(|| Shares { parts, long, is_prepared: OnceLock::new() })
    }

    /// Finds the problems of the parts with the numbers that `next` gives, until it or the file has no more. Threads that count together
    /// share the parts; [`diagnostics`](crate::file::diagnostics) then reads the memoized results.
    pub fn take(&self, db: &Database, file: File, rules: &Rules, next: impl Fn() -> Option<usize>) {
        let items = items(db, file);
        if let Some(index) = self.long {
            self.is_prepared.get_or_init(|| _ = module_uses(db, items[index]));
        }
        while let Some(part) = next().and_then(|number| self.parts.get(number)) {
            match *part {
                Part::Item(index) => _ = check_item(db, items[index], rules),
                Part::Problems(index) => _ = item_problems(db, items[index]),
                Part::Lints(index) => _ = item_lints(db, items[index]),
            }
        }
    }
}

/// The item that takes most of a check: one that is longer than all others together, or a long one that was edited.
fn long_item(db: &Database, file: File, is_first: bool) -> Option<usize> {
    let list = file.document(db).items();
    if is_first {
        let half = usize::from(list.text_len()) / 2;
        return list.iter().position(|item| item.text.len() >= LONG.max(half + 1));
    }
    let edited = db.cache().edited_text().filter(|text| text.len() >= LONG)?;
    list.iter().position(|item| Arc::ptr_eq(&item.text, &edited))
}
