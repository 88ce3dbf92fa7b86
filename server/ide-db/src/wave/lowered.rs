//! Lowered WAVE items, bounded by size.

use std::sync::Arc;

use warplens_hir::wave;

use crate::db::{Db, Item};

pub fn wave_code(db: &dyn Db, item: Item<'_>) -> Arc<wave::Code> {
    db.cache().of_texts(&item.text(db).0, || Arc::new(wave::lower(item.parse(db).root())))
}
