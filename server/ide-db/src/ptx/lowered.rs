//! PTX items in lowered form: functions, bounded by size, and headers.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;
use warplens_hir::ptx;
use warplens_syntax::ptx::{LANGUAGE, outside};
use warplens_syntax::{CHUNKED_FROM, ItemKind};

use crate::db::{Db, File, Item, ItemGroup, item_groups};

/// The lowered PTX function; `None` for an item that is not a function.
pub fn ptx_function(db: &dyn Db, item: Item<'_>) -> Option<Arc<ptx::Function>> {
    let is_function = matches!(item.kind(db), ItemKind::Function | ItemKind::Kernel);
    if !is_function || item.language(db) != LANGUAGE {
        return None;
    }
    let text = &item.text(db).0;
    let lower = || {
        let tree = item.parse(db);
        // Each step takes long for a very large function, and the next edit waits for it.
        db.unwind_if_revision_cancelled();
        ptx::Function::lower(tree.root()).map(Arc::new)
    };
    db.cache().of_texts(text, lower)
}

/// The header of a PTX item: the part that the other items of a module depend on.
#[salsa::tracked(returns(ref))]
pub fn ptx_header<'db>(db: &'db dyn Db, item: Item<'db>) -> Arc<ptx::Header> {
    Arc::clone(&group_headers(db, item.group(db))[item.index_in_group(db) as usize])
}

/// The headers of a file in text order.
pub fn ptx_headers(db: &dyn Db, file: File) -> impl Iterator<Item = &ptx::Header> {
    shared_headers(db, file).map(|header| &**header)
}

/// The headers of a file that have more to check than names, with the indices of their items, and a few others.
pub fn checked_headers(db: &dyn Db, file: File) -> impl Iterator<Item = (usize, &ptx::Header)> {
    let mut next = 0;
    let groups = item_groups(db, file).iter().filter_map(move |group| {
        let symbols = symbol_group(db, *group);
        let first = next;
        next += symbols.items as usize;
        (!symbols.is_plain).then(|| (first..).zip(group_headers(db, *group)))
    });
    groups.flatten().map(|(index, header)| (index, &**header))
}

/// What the items of a group declare.
#[salsa::tracked(returns(ref))]
pub(super) fn symbol_group<'db>(db: &'db dyn Db, group: ItemGroup<'db>) -> ptx::SymbolGroup {
    ptx::SymbolGroup::new(group_headers(db, group).iter().map(|header| &**header))
}

/// The headers of a file in text order, to be kept.
pub(super) fn shared_headers(db: &dyn Db, file: File) -> impl Iterator<Item = &Arc<ptx::Header>> {
    item_groups(db, file).iter().flat_map(|group| group_headers(db, *group))
}

/// The headers of a group. All of them, since each by itself would have to be validated at every keystroke: those of a small
/// group take less time to lower.
#[salsa::tracked(returns(deref))]
fn group_headers<'db>(db: &'db dyn Db, group: ItemGroup<'db>) -> Box<[Arc<ptx::Header>]> {
    let last = db.cache().shared::<LastHeaders>();
    let known = last.take();
    let items = &group.items(db).0;
    let headers: Box<[_]> = items.iter().map(|item| known.get(&item.text, || header(db, item))).collect();
    last.set(items.iter().zip(&headers));
    headers
}

/// The headers of the group that was computed last, by the address of the text: after an edit all but one are the same.
#[derive(Default)]
struct LastHeaders(Mutex<KnownHeaders>);

/// Headers with their texts, which are kept alive so that no other has the address.
#[derive(Default)]
struct KnownHeaders(FxHashMap<usize, (Arc<str>, Arc<ptx::Header>)>);

impl LastHeaders {
    fn take(&self) -> KnownHeaders {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn set<'h>(&self, headers: impl Iterator<Item = (&'h warplens_syntax::Item, &'h Arc<ptx::Header>)>) {
        let small = headers.filter(|(item, _)| item.text.len() <= CHUNKED_FROM);
        let entries =
            small.map(|(item, header)| (address(&item.text), (Arc::clone(&item.text), Arc::clone(header))));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = KnownHeaders(entries.collect());
    }
}

impl KnownHeaders {
    fn get(&self, text: &Arc<str>, lower: impl FnOnce() -> ptx::Header) -> Arc<ptx::Header> {
        let known = self.0.get(&address(text)).filter(|(known, _)| Arc::ptr_eq(known, text));
        known.map_or_else(|| Arc::new(lower()), |(_, header)| Arc::clone(header))
    }
}

fn address(text: &Arc<str>) -> usize {
    text.as_ptr() as usize
}

fn header(db: &dyn Db, item: &warplens_syntax::Item) -> ptx::Header {
    if !matches!(item.kind, ItemKind::Function | ItemKind::Kernel) {
        return ptx::Header::lower(db.cache().tree(LANGUAGE, &item.text).root());
    }
    // Headers are needed long before most bodies, whose trees would be evicted until then and parsed again.
    ptx::Header::lower(warplens_syntax::parse_item(LANGUAGE, outside(&item.text)).root())
}
