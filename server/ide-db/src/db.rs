//! The database: open files as inputs, their items as tracked structs without positions.
//!
//! What makes a keystroke cheap is decided here. A file is one input that holds its list of items behind a pointer.
//! [`items`] turns the list into tracked structs identified by kind, name and ordinal; their text is compared by
//! pointer first, and an edit keeps the pointer of every item that it does not touch. So a query about an item runs
//! again only when that item's text changed, although all items after it moved. Where an item starts is not in the
//! database at all: [`Document::items`] has the prefix sums, and an answer adds them at its end.
//!
//! Trees and lowered functions are functions of a text alone and large, so they are no queries: [`Cache`] keeps those
//! in use. What queries keep is small: names and problems.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::wave::Accepts;
use warplens_hir::{ptx, wave};
use warplens_syntax::{EditSummary, ItemKind, ItemList, Language, Parse};

use crate::answer::FileId;
use crate::edit_history::EditHistory;
use crate::form_cache::FormCache;
use crate::lru_cache::LruCache;
use crate::profile::Profile;

/// What a query needs of the database beside salsa's own.
#[salsa::db]
pub trait Db: salsa::Database {
    /// Trees and lowered functions of the items in use.
    fn cache(&self) -> &Cache;
}

/// The database. A clone shares everything and is a snapshot.
#[salsa::db]
#[derive(Clone, Default)]
pub struct Database {
    cache: Arc<Cache>,
    // Last, so that it is dropped last.
    storage: salsa::Storage<Database>,
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {
    fn cache(&self) -> &Cache {
        &self.cache
    }
}

impl Database {
    /// A database that reports each query it runs.
    pub fn observed(observer: impl Fn(salsa::Event) + Send + Sync + 'static) -> Database {
        Database { cache: Arc::default(), storage: salsa::Storage::new(Some(Box::new(observer))) }
    }
}

/// A document as a list of items, shared and compared by pointer.
#[derive(Clone)]
pub struct Document(Arc<ItemList>);

impl Document {
    pub fn new(items: ItemList) -> Document {
        Document(Arc::new(items))
    }

    pub fn items(&self) -> &ItemList {
        &self.0
    }

    /// The document after an edit, sharing every item that the edit does not touch, and what it did; `None` when the
    /// range does not lie in the document or cuts a character.
    pub fn edited(&self, range: TextRange, insert: &str) -> Option<(Document, EditSummary)> {
        if !self.is_boundary(range.start()) || !self.is_boundary(range.end()) {
            return None;
        }
        let mut items = ItemList::clone(&self.0);
        let summary = items.edit(range, insert);
        Some((Document::new(items), summary))
    }

    fn is_boundary(&self, offset: TextSize) -> bool {
        if offset > self.0.text_len() {
            return false;
        }
        let Some(index) = self.0.item_at(offset) else { return true };
        self.0.items()[index].text.is_char_boundary(usize::from(offset - self.0.start_of(index)))
    }
}

/// An open document.
#[salsa::input]
pub struct File {
    #[returns(copy)]
    pub id: FileId,
    #[returns(copy)]
    pub language: Language,
    #[returns(ref)]
    pub document: Document,
    /// What to check against in place of what the file says.
    #[returns(ref)]
    pub profile: Profile,
    /// Whose language it is held against, if it is WAVE.
    #[returns(copy)]
    pub accepts: Accepts,
}

/// The text of an item. Equal pointers are equal texts, which is what most comparisons find.
#[derive(Clone, Debug)]
pub struct ItemText(pub Arc<str>);

impl PartialEq for ItemText {
    fn eq(&self, other: &ItemText) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for ItemText {}

/// An item of a file: a function, a variable, a directive. It does not know where it stands.
#[salsa::tracked]
pub struct Item<'db> {
    #[returns(copy)]
    pub language: Language,
    #[returns(copy)]
    pub kind: ItemKind,
    #[returns(clone)]
    pub name: Option<SmolStr>,
    /// Counts the items before it of the same kind and name.
    #[returns(copy)]
    pub ordinal: u32,
    #[tracked]
    #[returns(ref)]
    pub text: ItemText,
}

/// The items of a file in the order of the text: the same indices as [`Document::items`].
#[salsa::tracked(returns(deref))]
pub fn items<'db>(db: &'db dyn Db, file: File) -> Vec<Item<'db>> {
    let language = file.language(db);
    let mut ordinals: FxHashMap<(ItemKind, Option<SmolStr>), u32> = FxHashMap::default();
    let list = file.document(db).items().items();
    let item = |item: &warplens_syntax::Item| {
        let next = ordinals.entry((item.kind, item.name.clone())).or_default();
        let ordinal = std::mem::replace(next, *next + 1);
        Item::new(db, language, item.kind, item.name.clone(), ordinal, ItemText(Arc::clone(&item.text)))
    };
    list.iter().map(item).collect()
}

/// Trees and lowered functions of the items in use; see [`LruCache`] for why they are not queries.
#[derive(Default)]
pub struct Cache {
    trees: LruCache<Parse>,
    ptx: LruCache<Option<Arc<ptx::Function>>>,
    wave: LruCache<Arc<wave::Code>>,
    history: EditHistory,
    pub forms: FormCache,
}

impl Cache {
    /// Notes what an edit did, so that the tree of a long function is made from the one before.
    pub fn note_edit(&self, before: &Document, after: &Document, summary: EditSummary) {
        if summary.removed == 1 && summary.inserted == 1 {
            let text = |document: &Document| Arc::clone(&document.items().items()[summary.first].text);
            self.history.note(&text(before), &text(after));
        }
    }

    fn tree(&self, language: Language, text: &Arc<str>) -> Parse {
        self.trees.get(text, || {
            let ancestors = self.history.take_ancestors(text).into_iter();
            let known = ancestors.filter_map(|before| self.trees.peek(&before)).next();
            match known {
                Some(old) => warplens_syntax::reparse_item(language, &old, text),
                None => warplens_syntax::parse_item(language, text),
            }
        })
    }
}

impl<'db> Item<'db> {
    /// The tree of the item, with offsets that count from its start.
    pub fn parse(self, db: &'db dyn Db) -> Parse {
        db.cache().tree(self.language(db), &self.text(db).0)
    }
}

/// What a PTX function means; `None` for an item that is none.
pub fn ptx_function(db: &dyn Db, item: Item<'_>) -> Option<Arc<ptx::Function>> {
    let is_function = matches!(item.kind(db), ItemKind::Function | ItemKind::Kernel);
    if !is_function || item.language(db) != warplens_syntax::ptx::LANGUAGE {
        return None;
    }
    let text = &item.text(db).0;
    let lower = || {
        let tree = item.parse(db);
        // Of a very large function each step takes long, and an edit waits for it.
        db.unwind_if_revision_cancelled();
        ptx::Function::lower(tree.root()).map(Arc::new)
    };
    db.cache().ptx.get(text, lower)
}

/// What a WAVE item means.
pub fn wave_code(db: &dyn Db, item: Item<'_>) -> Arc<wave::Code> {
    db.cache().wave.get(&item.text(db).0, || Arc::new(wave::lower(item.parse(db).root())))
}

/// What the other items of a module see of a PTX item.
#[salsa::tracked]
pub fn ptx_header<'db>(db: &'db dyn Db, item: Item<'db>) -> ptx::Header {
    if !matches!(item.kind(db), ItemKind::Function | ItemKind::Kernel) {
        return ptx::Header::lower(item.parse(db).root());
    }
    // Headers are asked for long before most bodies are: reading the outside alone leaves each body to be parsed once.
    let outside = warplens_syntax::ptx::outside(&item.text(db).0);
    ptx::Header::lower(warplens_syntax::parse_item(warplens_syntax::ptx::LANGUAGE, outside).root())
}

/// The whole tree as text.
pub fn syntax_tree(db: &Database, file: File) -> String {
    let parse = warplens_syntax::parse_file(file.language(db), &file.document(db).items().text());
    format!("{:#?}", parse.syntax())
}
