//! Lowered PTX items: functions, which a cache of limited size keeps, and headers.

use std::sync::Arc;

use warplens_hir::ptx;
use warplens_syntax::ItemKind;
use warplens_syntax::ptx::{LANGUAGE, outside};

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
    item_groups(db, file).iter().flat_map(|group| group_headers(db, *group)).map(|header| &**header)
}

/// The headers of a file, with the indices of their items, without most headers that have only names to check.
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

/// The headers of a group. They are lowered together, because a query for each item would have to be validated at every keystroke, and
/// lowering the headers of a small group takes less time than that.
#[salsa::tracked(returns(deref))]
fn group_headers<'db>(db: &'db dyn Db, group: ItemGroup<'db>) -> Box<[Arc<ptx::Header>]> {
    group.items(db).0.iter().map(|item| Arc::new(header(db, item))).collect()
}

fn header(db: &dyn Db, item: &warplens_syntax::Item) -> ptx::Header {
    if !matches!(item.kind, ItemKind::Function | ItemKind::Kernel) {
        return ptx::Header::lower(db.cache().tree(LANGUAGE, &item.text).root());
    }
    // Headers are needed long before most bodies, whose trees would be evicted until then and parsed again.
    ptx::Header::lower(warplens_syntax::parse_item(LANGUAGE, outside(&item.text)).root())
}
