//! Items of a document that are known to have nothing to report. After a keystroke nothing is asked about them again: for each, the
//! place and the text are compared by pointer, which is much less than to validate the queries about it.
//!
//! What a check reads beside the item is its *environment*; all is checked again when that changes. This is kept beside the
//! queries, with the document: it only says which of them need not be asked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use salsa::Id;
use salsa::plumbing::AsId;

use crate::db::{Database, Db, File, Item, items};

/// What the checks of a document have settled.
#[derive(Debug, Default)]
pub struct Settled {
    /// The checks of items by themselves.
    pub items: SettledItems,
    /// The checks of the names that items use.
    pub names: SettledItems,
    /// The checks of what bodies use of other items.
    pub bodies: SettledItems,
    was_checked: AtomicBool,
}

impl Settled {
    /// Whether the document was checked as a whole since it was opened: a further check is about few items.
    #[must_use]
    pub fn was_checked(&self) -> bool {
        self.was_checked.load(Ordering::Relaxed)
    }

    /// Notes that the document was checked as a whole.
    pub fn note_check(&self) {
        self.was_checked.store(true, Ordering::Relaxed);
    }
}

/// The items that one check has settled.
#[derive(Debug, Default)]
pub struct SettledItems(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    environment: Option<Environment>,
    is_thorough: bool,
    /// By the index of the item, if it is settled.
    items: Vec<Option<Known>>,
}

#[derive(Debug)]
struct Known {
    item: Id,
    /// Keeps the text alive, so that no other has its address.
    text: Arc<str>,
}

/// Stands for all that checks of items read of a file, the items excepted: another one as soon as something of it changes.
#[derive(Debug, Clone, Default)]
pub struct Environment(Arc<()>);

impl PartialEq for Environment {
    fn eq(&self, other: &Environment) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Environment {}

/// The environment of checks of items, and of the names that they use; `None` if these may read anything.
#[salsa::tracked]
pub fn environment(db: &dyn Db, file: File) -> Option<Environment> {
    let read = db.language(file.language(db)).environment?;
    read(db, file);
    Some(Environment::default())
}

impl SettledItems {
    /// Runs a check on each item that is not settled, in the order of the text; on all, if what it reads is not known. It returns
    /// whether the item is settled: it had nothing to report, and will not have while its text, its place and its environment are
    /// the same. What a check settles that is not thorough does not count for one that is, nor the reverse.
    pub fn check_others<'db>(
        &self,
        db: &'db Database,
        file: File,
        environment: Option<&Environment>,
        is_thorough: bool,
        mut check: impl FnMut(usize, Item<'db>) -> bool,
    ) {
        let texts = file.document(db).items();
        let others = items(db, file).iter().zip(texts.iter()).enumerate();
        let Some(environment) = environment else {
            others.for_each(|(index, (item, _))| _ = check(index, *item));
            return;
        };
        let mut taken = Taken::new(self, environment, is_thorough);
        let known = &mut taken.state.items;
        known.resize_with(texts.len(), || None);
        for (index, (item, text)) in others {
            let is_same = |known: &Known| Arc::ptr_eq(&known.text, &text.text) && known.item == item.as_id();
            if known[index].as_ref().is_some_and(is_same) {
                continue;
            }
            let is_settled = check(index, *item);
            known[index] = is_settled.then(|| Known { item: item.as_id(), text: Arc::clone(&text.text) });
        }
    }
}

/// The state while items are checked. It goes back when they are, or when that is cancelled.
struct Taken<'s> {
    from: &'s SettledItems,
    state: State,
}

impl<'s> Taken<'s> {
    fn new(from: &'s SettledItems, environment: &Environment, is_thorough: bool) -> Taken<'s> {
        let state = std::mem::take(&mut *from.0.lock().unwrap_or_else(PoisonError::into_inner));
        let is_valid = state.environment.as_ref() == Some(environment) && state.is_thorough == is_thorough;
        let new = || State { environment: Some(environment.clone()), is_thorough, items: Vec::new() };
        Taken { from, state: if is_valid { state } else { new() } }
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        let state = std::mem::take(&mut self.state);
        *self.from.0.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}
