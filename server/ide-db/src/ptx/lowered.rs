//! Lowered PTX items: headers, and functions, which a size-limited cache keeps.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smol_str::SmolStr;
use warplens_hir::ptx;
use warplens_syntax::ItemKind;
use warplens_syntax::ptx::{LANGUAGE, outside};

use crate::db::{Db, File, Item, ItemGroup, item_groups};

/// `None` for an item that is not a function.
pub fn ptx_function(db: &dyn Db, item: Item<'_>) -> Option<Arc<ptx::Function>> {
    let is_function = matches!(item.kind(db), ItemKind::Function | ItemKind::Kernel);
    if !is_function || item.language(db) != LANGUAGE {
        return None;
    }
    let text = &item.text(db).0;
    let lower = || {
        let tree = item.parse(db);
        // Each step takes long for a very large function, and the next edit would wait for it.
        db.unwind_if_revision_cancelled();
        ptx::Function::lower(tree.root()).map(Arc::new)
    };
    db.cache().of_texts(text, lower)
}

/// The part of an item that the other items of the module depend on.
#[salsa::tracked(returns(ref))]
pub fn ptx_header<'db>(db: &'db dyn Db, item: Item<'db>) -> Arc<ptx::Header> {
    Arc::clone(&group_headers(db, item.group(db))[item.index_in_group(db) as usize])
}

/// In text order.
pub fn ptx_headers(db: &dyn Db, file: File) -> impl Iterator<Item = &ptx::Header> {
    item_groups(db, file).iter().flat_map(|group| group_headers(db, *group)).map(|header| &**header)
}

/// The paths of `.file` directives, by number.
#[salsa::tracked(returns(ref))]
pub fn source_paths(db: &dyn Db, file: File) -> FxHashMap<u64, SmolStr> {
    let path = |header: &ptx::Header| match &header.directive {
        Some(ptx::Directive::File { index: Some(index), path }) => Some((*index, path.clone())),
        _ => None,
    };
    ptx_headers(db, file).filter_map(path).collect()
}

/// The headers of a file with the indices of their items. It skips most headers that only have names to
/// check.
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

#[salsa::tracked(returns(ref))]
pub(super) fn symbol_group<'db>(db: &'db dyn Db, group: ItemGroup<'db>) -> ptx::SymbolGroup {
    ptx::SymbolGroup::new(group_headers(db, group).iter().map(|header| &**header))
}

/// The headers of a group. One query lowers them all, because a query for each item would be validated at
/// every keystroke, which takes longer than lowering the headers of a small group.
#[salsa::tracked(returns(deref))]
fn group_headers<'db>(db: &'db dyn Db, group: ItemGroup<'db>) -> Box<[Arc<ptx::Header>]> {
    group.items(db).0.iter().map(|item| Arc::new(header(db, item))).collect()
}

fn header(db: &dyn Db, item: &warplens_syntax::Item) -> ptx::Header {
    if !matches!(item.kind, ItemKind::Function | ItemKind::Kernel) {
        return ptx::Header::lower(db.cache().tree(LANGUAGE, &item.text).root());
    }
    // Headers are needed long before most bodies: the trees of the bodies would be evicted in between and
    // parsed again.
    ptx::Header::lower(warplens_syntax::parse_item(LANGUAGE, outside(&item.text)).root())
}
