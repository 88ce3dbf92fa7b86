//! PTX items in lowered form: functions, bounded by size, and headers.

use std::sync::Arc;

use warplens_hir::ptx;
use warplens_syntax::ItemKind;
use warplens_syntax::ptx::LANGUAGE;

use crate::db::{Db, Item};

/// The lowered PTX function; `None` for an item that is not a function.
pub fn ptx_function(db: &dyn Db, item: Item<'_>) -> Option<Arc<ptx::Function>> {
    let is_function = matches!(item.kind(db), ItemKind::Function | ItemKind::Kernel);
    if !is_function || item.language(db) != LANGUAGE {
        return None;
    }
    let text = &item.text(db).0;
    let lower = || {
        let tree = item.parse(db);
        // For a very large function each step takes long, and an edit waits for it.
        db.unwind_if_revision_cancelled();
        let before = db.cache().before_edit::<Option<Arc<ptx::Function>>>(text);
        let adapted =
            before.and_then(|(before, step)| ptx::Function::lower_edit(before?, tree.root(), &step.edit));
        adapted.or_else(|| ptx::Function::lower(tree.root())).map(Arc::new)
    };
    db.cache().of_texts(text, lower)
}

/// The header of a PTX item: the part that the other items of a module depend on.
#[salsa::tracked]
pub fn ptx_header<'db>(db: &'db dyn Db, item: Item<'db>) -> ptx::Header {
    if !matches!(item.kind(db), ItemKind::Function | ItemKind::Kernel) {
        return ptx::Header::lower(item.parse(db).root());
    }
    // Headers are needed long before most bodies: parsing the header alone avoids parsing each body twice.
    let outside = warplens_syntax::ptx::outside(&item.text(db).0);
    ptx::Header::lower(warplens_syntax::parse_item(LANGUAGE, outside).root())
}
