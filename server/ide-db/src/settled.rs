//! Items of a document that are known to have nothing to report. After a keystroke nothing is asked about them again: for each, the
//! place and the text are compared by pointer, which is much less than to validate the queries about it.
//!
//! What a check reads beside the item is its *environment*. Of the declarations in it, only those matter whose names an item uses: when
//! others change, what is settled remains so. When anything else changes, all is checked again. This is kept beside the queries,
//! with the document: it only says which of them need not be asked.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use salsa::Id;
use salsa::plumbing::AsId;
use smol_str::SmolStr;

use crate::answer::Access;
use crate::db::{Database, Db, File, Item, items, module_uses};
use crate::declarations::{Changes, Declarations};
use crate::name::{ModuleUse, NameUse};

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
    /// By the index of the item, if it was checked.
    items: Vec<Option<Known>>,
}

/// An item that was checked.
#[derive(Debug)]
struct Known {
    item: Id,
    /// Keeps the text alive, so that no other has its address.
    text: Arc<str>,
    is_settled: bool,
    /// The names of other items that it uses. Those of an item that is not settled matter too: its declaration may lead a check of
    /// another item to them.
    uses: Box<[SmolStr]>,
}

/// What checks of items read of a file, the items themselves excepted.
#[derive(Debug, Clone)]
pub struct Environment {
    settings: Token,
    declarations: Arc<dyn Declarations>,
}

impl PartialEq for Environment {
    fn eq(&self, other: &Environment) -> bool {
        self.settings == other.settings && Arc::ptr_eq(&self.declarations, &other.declarations)
    }
}

impl Eq for Environment {}

/// Stands for what a query read: another one as soon as something of it changes.
#[derive(Debug, Clone, Default)]
struct Token(Arc<()>);

impl PartialEq for Token {
    fn eq(&self, other: &Token) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Token {}

/// The queries of a language for its environment.
#[derive(Clone, Copy)]
pub struct EnvironmentQueries {
    /// Reads all but declarations.
    pub settings: fn(&dyn Db, File),
    /// The declarations of the items.
    pub declarations: fn(&dyn Db, File) -> Arc<dyn Declarations>,
}

/// The environment of the checks of a file; `None` if these may read anything.
#[salsa::tracked]
pub fn environment(db: &dyn Db, file: File) -> Option<Environment> {
    let queries = db.language(file.language(db)).environment?;
    let settings = settings(db, file).clone()?;
    Some(Environment { settings, declarations: (queries.declarations)(db, file) })
}

#[salsa::tracked]
fn settings(db: &dyn Db, file: File) -> Option<Token> {
    let queries = db.language(file.language(db)).environment?;
    (queries.settings)(db, file);
    Some(Token::default())
}

impl SettledItems {
    /// Runs a check on each item that is not settled, in the order of the text; on all, if what it reads is not known. It returns
    /// whether the item is settled: it had nothing to report, and will not have while its text, its place among the declarations that it
    /// uses, and its environment are the same. What a check settles that is not thorough does not count for one that is, nor the
    /// reverse.
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
            let is_same = |known: &&Known| Arc::ptr_eq(&known.text, &text.text) && known.item == item.as_id();
            let before = known[index].as_ref().filter(is_same);
            if before.is_some_and(|known| known.is_settled) {
                continue;
            }
            let is_settled = check(index, *item);
            if before.is_none() {
                let (item, text, uses) = (item.as_id(), Arc::clone(&text.text), used_names(db, *item));
                known[index] = Some(Known { item, text, is_settled, uses });
            } else if let Some(known) = &mut known[index] {
                known.is_settled = is_settled;
            }
        }
    }
}

/// The names of other items that an item uses.
fn used_names<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[SmolStr]> {
    let is_use = |place: &NameUse| place.access != Access::Declaration;
    let uses = module_uses(db, item).iter().filter(|name: &&ModuleUse| name.uses.iter().any(is_use));
    uses.map(|name| name.name.clone()).collect()
}

impl State {
    /// Makes what is settled valid in another environment; `false` if it may not be.
    fn follow(&mut self, environment: &Environment) -> bool {
        let Some(before) = &self.environment else { return false };
        if before == environment {
            return true;
        }
        if before.settings != environment.settings {
            return false;
        }
        let Some(changes) = environment.declarations.changes(&*before.declarations) else { return false };
        let Changes { removed, inserted, names } = changes;
        if removed.end > self.items.len() {
            return false;
        }
        self.items.splice(removed, std::iter::repeat_with(|| None).take(inserted));
        let uses_changed = |known: &Known| known.uses.iter().any(|name| names.contains(name));
        if !names.is_empty() && self.items.iter().flatten().any(uses_changed) {
            return false;
        }
        self.environment = Some(environment.clone());
        true
    }
}

/// The state while items are checked. It goes back when they are, or when that is cancelled.
struct Taken<'s> {
    from: &'s SettledItems,
    state: State,
}

impl<'s> Taken<'s> {
    fn new(from: &'s SettledItems, environment: &Environment, is_thorough: bool) -> Taken<'s> {
        let mut state = std::mem::take(&mut *from.0.lock().unwrap_or_else(PoisonError::into_inner));
        let is_valid = state.is_thorough == is_thorough && state.follow(environment);
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
