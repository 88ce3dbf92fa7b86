//! What the items of a file see of each other: which names it declares.

use warplens_hir::ptx::ModuleNames;
use warplens_syntax::Language;

use crate::db::{Db, File, items, ptx_header};

/// The names that the items of a PTX file declare. Made from headers, so edits inside bodies leave it valid.
#[salsa::tracked]
pub(crate) fn module_names(db: &dyn Db, file: File) -> ModuleNames {
    if file.language(db) != Language::Ptx {
        return ModuleNames::default();
    }
    ModuleNames::new(items(db, file).iter().map(|item| ptx_header(db, *item)))
}
