//! The database: open files as inputs, their items as tracked structs without positions.
//!
//! This design makes a keystroke cheap. A file is one input that points to its list of items. The list
//! consists of groups, each a tracked struct with a number, and [`items`] turns each group into tracked
//! structs identified by kind, name and ordinal. Groups and texts are compared by pointer first, and an edit
//! keeps the pointers of everything that it does not touch. So a query about an item or a group runs again
//! only when its text changed, even though everything after the edit moved. Checks are queries about groups,
//! so a file of many small items has only a few groups to validate after a keystroke. The database does not
//! store where an item starts: [`Document::items`] has the prefix sums, which are added to a result at the
//! end.
//!
//! Trees and lowered functions are large and depend on a text only, so they are not queries: [`Cache`] keeps
//! the ones in use. Queries store small data, such as names and problems.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use text_size::{TextRange, TextSize};
use warplens_hir::wave::Accepts;
use warplens_syntax::{EditSummary, ItemKind, Language, Parse, SyntaxNode, SyntaxToken};

use crate::answer::{Diagnostic, FileId, Fold, Occurrence, Symbol, Target};
use crate::construct::Construct;
pub use crate::document::Document;
use crate::edit_history::EditHistory;
use crate::lru_cache::LruCache;
use crate::name::{ModuleUse, Named, Namespace, Subject};
use crate::problem::{Problem, TargetRanges};
use crate::profile::Profile;
use crate::shared::Shared;
use crate::tokens::{token_covering, weight};

/// The interface of the database for queries, in addition to salsa's.
#[salsa::db]
pub trait Db: salsa::Database {
    /// Trees and lowered functions of the items in use.
    fn cache(&self) -> &Cache;

    /// The queries of a language. An unknown language has queries with empty results.
    fn language(&self, language: Language) -> &LanguageQueries;
}

/// A clone shares everything and is a snapshot.
#[salsa::db]
#[derive(Clone)]
pub struct Database {
    languages: Arc<[(Language, LanguageQueries)]>,
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

    fn language(&self, language: Language) -> &LanguageQueries {
        let known = self.languages.iter().find(|(known, _)| *known == language);
        known.map_or(&LanguageQueries::EMPTY, |(_, queries)| queries)
    }
}

impl Database {
    /// A database of documents in these languages. The observer sees every query that runs.
    pub fn new(languages: Arc<[(Language, LanguageQueries)]>, observer: Option<Observer>) -> Database {
        Database { languages, cache: Arc::default(), storage: salsa::Storage::new(observer) }
    }
}

pub type Observer = Box<dyn Fn(salsa::Event) + Send + Sync>;

#[salsa::input]
pub struct File {
    #[returns(copy)]
    pub id: FileId,
    #[returns(copy)]
    pub language: Language,
    #[returns(ref)]
    pub document: Document,
    /// The version and target to check against, instead of the ones that the file declares.
    #[returns(ref)]
    pub profile: Profile,
    /// The dialect that a WAVE file is checked against.
    #[returns(copy)]
    pub accepts: Accepts,
    /// Whether the whole document has been checked since it was opened. Queries do not read it.
    #[returns(ref)]
    pub was_checked: Arc<AtomicBool>,
}

/// The text of an item. Most comparisons stop at equal pointers.
#[derive(Clone, Debug)]
pub struct ItemText(pub Arc<str>);

impl PartialEq for ItemText {
    fn eq(&self, other: &ItemText) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for ItemText {}

#[derive(Clone, Debug)]
pub struct GroupItems(pub Arc<[warplens_syntax::Item]>);

impl PartialEq for GroupItems {
    fn eq(&self, other: &GroupItems) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0 == other.0
    }
}

impl Eq for GroupItems {}

/// Consecutive items of a file. Queries about all items of a file depend on its few groups instead of on each
/// item.
#[salsa::tracked]
pub struct ItemGroup<'db> {
    #[returns(copy)]
    pub file: File,
    /// The number of the group in [`Document::items`].
    #[returns(copy)]
    pub number: u32,
    #[tracked]
    #[returns(ref)]
    pub items: GroupItems,
}

#[salsa::tracked(returns(deref))]
pub fn item_groups<'db>(db: &'db dyn Db, file: File) -> Vec<ItemGroup<'db>> {
    let groups = file.document(db).items().groups().iter();
    groups.map(|group| ItemGroup::new(db, file, group.id, GroupItems(Arc::clone(&group.items)))).collect()
}

/// An item of a file: a function, a variable, a directive. It has no position.
///
/// Queries about an item take no other argument, because salsa never drops a combination of several
/// arguments.
#[salsa::tracked]
pub struct Item<'db> {
    #[returns(copy)]
    pub file: File,
    #[returns(copy)]
    pub language: Language,
    #[returns(copy)]
    pub kind: ItemKind,
    #[returns(clone)]
    pub name: Option<SmolStr>,
    #[returns(copy)]
    pub group: ItemGroup<'db>,
    /// The number of preceding items of the same kind and name in its group.
    #[returns(copy)]
    pub ordinal: u32,
    #[tracked]
    #[returns(copy)]
    pub index_in_group: u32,
    #[tracked]
    #[returns(ref)]
    pub text: ItemText,
}

/// In text order, with the same indices as [`Document::items`].
#[salsa::tracked(returns(deref))]
pub fn items<'db>(db: &'db dyn Db, file: File) -> Vec<Item<'db>> {
    item_groups(db, file).iter().flat_map(|group| items_of(db, *group)).copied().collect()
}

/// The items with their starts in the file.
pub fn placed_items(db: &Database, file: File) -> impl Iterator<Item = (Item<'_>, TextSize)> {
    let list = file.document(db).items();
    items(db, file).iter().enumerate().map(|(index, item)| (*item, list.start_of(index)))
}

/// In text order.
#[salsa::tracked(returns(deref))]
pub fn items_of<'db>(db: &'db dyn Db, group: ItemGroup<'db>) -> Vec<Item<'db>> {
    let file = group.file(db);
    let language = file.language(db);
    let mut ordinals: FxHashMap<(ItemKind, Option<SmolStr>), u32> = FxHashMap::default();
    let item = |(index, item): (u32, &warplens_syntax::Item)| {
        let next = ordinals.entry((item.kind, item.name.clone())).or_default();
        let ordinal = std::mem::replace(next, *next + 1);
        let text = ItemText(Arc::clone(&item.text));
        Item::new(db, file, language, item.kind, item.name.clone(), group, ordinal, index, text)
    };
    (0..).zip(&*group.items(db).0).map(item).collect()
}

/// For each item of a group, the module's names that it uses, with their occurrences.
#[salsa::tracked(returns(deref))]
pub fn group_uses<'db>(db: &'db dyn Db, group: ItemGroup<'db>) -> Box<[Box<[ModuleUse]>]> {
    let uses = |item: &Item<'db>| (db.language(item.language(db)).module_uses)(db, *item);
    items_of(db, group).iter().map(uses).collect()
}

/// The module's names that an item uses, with their occurrences.
pub fn module_uses<'db>(db: &'db dyn Db, item: Item<'db>) -> &'db [ModuleUse] {
    &group_uses(db, item.group(db))[item.index_in_group(db) as usize]
}

/// Trees and lowered functions of the items in use; see `LruCache` for why they are not queries.
#[derive(Default)]
pub struct Cache {
    trees: LruCache<Parse>,
    history: EditHistory,
    shared: Shared,
}

impl Cache {
    /// Records an edit, so that the new tree of a long function is built from the old one.
    pub fn note_edit(&self, before: &Document, after: &Document, range: TextRange, summary: EditSummary) {
        if summary.removed == 1 && summary.inserted == 1 {
            let item = |document: &Document| Arc::clone(&document.items()[summary.first].text);
            let start = before.items().start_of(summary.first);
            self.history.note(&item(before), &item(after), range - start);
        }
    }

    /// Drops all values; they are recomputed when needed.
    pub fn clear(&self) {
        self.trees.clear();
        self.shared.clear();
    }

    /// A value that depends on a text only, cached in the `LruCache` of its type.
    pub fn of_texts<V: Clone + Send + 'static>(&self, text: &Arc<str>, compute: impl FnOnce() -> V) -> V {
        self.shared.get::<LruCache<V>>().get(text, compute)
    }

    /// The single value of a type that a language keeps outside of its queries.
    pub fn shared<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        self.shared.get()
    }

    pub fn tree(&self, language: Language, text: &Arc<str>) -> Parse {
        self.trees.get(text, || {
            let ancestors = self.history.take_ancestors(text).into_iter();
            let mut known = ancestors.filter_map(|before| Some((self.trees.take(&before.text)?, before)));
            match known.next() {
                Some((old, before)) => warplens_syntax::reparse_item(language, old, text, before.edited),
                None => warplens_syntax::parse_shared_item(language, text),
            }
        })
    }
}

impl<'db> Item<'db> {
    /// The tree of the item, with offsets relative to the item.
    pub fn parse(self, db: &'db dyn Db) -> Parse {
        db.cache().tree(self.language(db), &self.text(db).0)
    }
}

pub fn syntax_tree(db: &Database, file: File) -> String {
    let parse = warplens_syntax::parse_file(file.language(db), &file.document(db).items().text());
    format!("{:#?}", parse.syntax())
}

/// A position in a file, relative to its item.
#[derive(Clone, Copy)]
pub struct FilePosition<'db> {
    pub db: &'db Database,
    pub file: File,
    pub index: usize,
    pub item: Item<'db>,
    pub start: TextSize,
    /// Relative to the item.
    pub offset: TextSize,
    /// The number of spaces between the item and the position, if the position follows the item on the same
    /// line.
    pub spaces: TextSize,
}

impl<'db> FilePosition<'db> {
    /// `None` in an empty file and beyond its end.
    pub fn new(db: &'db Database, file: File, offset: TextSize) -> Option<FilePosition<'db>> {
        let list = file.document(db).items();
        if offset > list.text_len() {
            return None;
        }
        let index = list.item_at(offset)?;
        let start = list.start_of(index);
        let text = &list[index].text;
        let is_between = |before: &str| before.bytes().all(|byte| matches!(byte, b' ' | b'\t'));
        let starts_with_space = || text.starts_with(|c: char| c.is_ascii_whitespace());
        let before = text.get(..usize::from(offset - start)).unwrap_or_default();
        // On the last line of an item, the user refers to that item rather than to the spaces before the next
        // one.
        let is_before = index > 0 && starts_with_space() && is_between(before);
        let (index, start, offset, spaces) = if is_before {
            let before = list.start_of(index - 1);
            (index - 1, before, start - before, offset - start)
        } else {
            let boundary = text.floor_char_boundary(usize::from(offset - start));
            (index, start, TextSize::try_from(boundary).ok()?, 0.into())
        };
        Some(FilePosition { db, file, index, item: items(db, file)[index], start, offset, spaces })
    }

    pub fn queries(&self) -> &'db LanguageQueries {
        self.db.language(self.item.language(self.db))
    }

    pub fn tree(&self) -> SyntaxNode {
        self.item.parse(self.db).syntax()
    }

    pub fn text(&self) -> &'db str {
        &self.item.text(self.db).0
    }

    pub fn in_file(&self, range: TextRange) -> TextRange {
        range + self.start
    }

    /// The token at the position. Between two adjacent tokens, the one that the user more likely means.
    pub fn token(&self) -> Option<SyntaxToken> {
        if self.spaces > 0.into() {
            return None;
        }
        let tree = self.tree();
        let after = token_covering(&tree, self.offset);
        let before = self.offset.checked_sub(1.into()).and_then(|offset| token_covering(&tree, offset));
        match (before, after) {
            (Some(before), Some(after)) if weight(before.kind()) > weight(after.kind()) => Some(before),
            (before, after) => after.or(before),
        }
    }
}

#[derive(Clone, Copy)]
pub struct LanguageQueries {
    /// The outline of an item, relative to the item.
    pub symbols: for<'db> fn(&'db dyn Db, Item<'db>) -> Vec<Symbol>,
    /// Adds the folds of an item, relative to the item, except for comments and blocks.
    pub folds: for<'db> fn(&'db dyn Db, Item<'db>, &mut Vec<Fold>),
    pub module_uses: for<'db> fn(&'db dyn Db, Item<'db>) -> Box<[ModuleUse]>,
    pub named: fn(&FilePosition<'_>) -> Option<Named>,
    /// The occurrences of a local name in its item, relative to it.
    pub local_occurrences: fn(&FilePosition<'_>, &Subject) -> Vec<Occurrence>,
    /// The ranges of the name and of the whole declaration, relative to the item, for each declaration of the
    /// local name at a position.
    pub local_declarations: fn(&FilePosition<'_>) -> Vec<(TextRange, TextRange)>,
    pub module_declarations: fn(&Database, File, Namespace, &str) -> Vec<Target>,
    pub construct_at: fn(&FilePosition<'_>) -> Option<Construct>,
    /// Adds the problems of one item, except syntax errors. It may read anything through queries, but a
    /// change to a value that it read checks every item again. So it should read only values that rarely
    /// change, such as the target of a module.
    pub check_item: for<'db> fn(&'db dyn Db, File, Item<'db>, &mut Vec<Problem>),
    /// The problems that items of a file have with each other.
    pub check_module: fn(&Database, File) -> Vec<Diagnostic>,
    /// Adds the lints of an item without syntax errors.
    pub lints: for<'db> fn(&'db dyn Db, File, Item<'db>, &mut Vec<Problem>),
    pub target_ranges: fn(&Database, File) -> TargetRanges,
}

impl LanguageQueries {
    pub const EMPTY: LanguageQueries = LanguageQueries {
        symbols: |_, _| Vec::new(),
        folds: |_, _, _| {},
        module_uses: |_, _| Box::default(),
        named: |_| None,
        local_occurrences: |_, _| Vec::new(),
        local_declarations: |_| Vec::new(),
        module_declarations: |_, _, _, _| Vec::new(),
        construct_at: |_| None,
        check_item: |_, _, _, _| {},
        check_module: |_, _| Vec::new(),
        lints: |_, _, _, _| {},
        target_ranges: |_, _| TargetRanges::default(),
    };
}
