//! What a check between the items of a module looks names up in.

use warplens_hir::ptx::{DeclarationKind, ModuleNames};
use warplens_ide_db::ptx::ModuleTarget;
use warplens_ide_db::{Db, File};

use crate::ptx::symbols::declaration;

/// The items of a module, to look up names in.
pub(super) struct ModuleScope<'r> {
    pub(super) db: &'r dyn Db,
    pub(super) file: File,
    pub(super) names: &'r ModuleNames,
    pub(super) module: &'r ModuleTarget,
}

impl<'r> ModuleScope<'r> {
    pub(super) fn found(&self, name: &str) -> Option<&'r DeclarationKind> {
        let mut found = self.names.kinds(name).map(|symbol| &declaration(self.db, self.file, symbol).kind);
        found.find(|kind| !matches!(kind, DeclarationKind::Alias { .. } | DeclarationKind::SectionLabel))
    }
}
