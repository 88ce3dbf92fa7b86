//! WAVE items in lowered form, bounded by size.

use std::sync::Arc;

use warplens_hir::wave;

use crate::db::{Db, Item};

/// The lowered WAVE item.
pub fn wave_code(db: &dyn Db, item: Item<'_>) -> Arc<wave::Code> {
    db.cache().of_texts(&item.text(db).0, || Arc::new(wave::lower(item.parse(db).root())))
}
