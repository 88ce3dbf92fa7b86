//! The database: open files as inputs, their items as tracked structs without positions.
//!
//! This design makes a keystroke cheap. A file is one input with a pointer to its list of items.
//! [`items`] turns the list into tracked structs identified by kind, name and ordinal; their text is compared by
//! pointer first, and an edit keeps the pointer of every item that it does not touch. So a query about an item runs
//! again only when that item's text changed, although all items after it moved. The start of an item is not in the
//! database: [`Document::items`] has the prefix sums, which are added to a result at the end.
//!
//! Trees and lowered functions are large and depend on a text only, so they are not queries: [`Cache`] stores those
//! in use. Queries store small data: names and problems.

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

/// The interface of the database for queries, in addition to salsa's.
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

    /// The document after an edit, which shares every unchanged item, and the effect of the edit; `None` if the range is
    /// outside of the document or splits a character.
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
    /// The version and target to check against instead of the file's.
    #[returns(ref)]
    pub profile: Profile,
    /// The dialect that it is checked against, if it is WAVE.
    #[returns(copy)]
    pub accepts: Accepts,
}

/// The text of an item. Most comparisons succeed on equal pointers.
#[derive(Clone, Debug)]
pub struct ItemText(pub Arc<str>);

impl PartialEq for ItemText {
    fn eq(&self, other: &ItemText) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for ItemText {}

/// An item of a file: a function, a variable, a directive. It has no position.
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

/// The items of a file in text order, with the same indices as [`Document::items`].
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
    /// Records an edit, so that the tree of a long function is built from the previous one.
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
    /// The tree of the item, with offsets from its start.
    pub fn parse(self, db: &'db dyn Db) -> Parse {
        db.cache().tree(self.language(db), &self.text(db).0)
    }
}

/// The lowered PTX function; `None` for an item that is not a function.
pub fn ptx_function(db: &dyn Db, item: Item<'_>) -> Option<Arc<ptx::Function>> {
    let is_function = matches!(item.kind(db), ItemKind::Function | ItemKind::Kernel);
    if !is_function || item.language(db) != warplens_syntax::ptx::LANGUAGE {
        return None;
    }
    let text = &item.text(db).0;
    let lower = || {
        let tree = item.parse(db);
        // For a very large function each step takes long, and an edit waits for it.
        db.unwind_if_revision_cancelled();
        ptx::Function::lower(tree.root()).map(Arc::new)
    };
    db.cache().ptx.get(text, lower)
}

/// The lowered WAVE item.
pub fn wave_code(db: &dyn Db, item: Item<'_>) -> Arc<wave::Code> {
    db.cache().wave.get(&item.text(db).0, || Arc::new(wave::lower(item.parse(db).root())))
}

/// The header of a PTX item: the part that the other items of a module depend on.
#[salsa::tracked]
pub fn ptx_header<'db>(db: &'db dyn Db, item: Item<'db>) -> ptx::Header {
    if !matches!(item.kind(db), ItemKind::Function | ItemKind::Kernel) {
        return ptx::Header::lower(item.parse(db).root());
    }
    // Headers are needed long before most bodies: parsing the header alone avoids parsing each body twice.
    let outside = warplens_syntax::ptx::outside(&item.text(db).0);
    ptx::Header::lower(warplens_syntax::parse_item(warplens_syntax::ptx::LANGUAGE, outside).root())
}

/// The whole tree as text.
pub fn syntax_tree(db: &Database, file: File) -> String {
    let parse = warplens_syntax::parse_file(file.language(db), &file.document(db).items().text());
    format!("{:#?}", parse.syntax())
}
