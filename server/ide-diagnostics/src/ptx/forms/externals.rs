//! The variables of the module that a function uses. They are looked up name by name, so that a change to the module
//! repeats the checks of only those functions for which a name changed its meaning. Functions are omitted, since many
//! items may call one that is being renamed.

use smol_str::SmolStr;
use warplens_hir::ptx::{Function, ModuleKind, ReferentId};
use warplens_ide_db::ptx::module_names;
use warplens_ide_db::{Db, File};

/// A name that a function does not declare, and its file: a query with two arguments would keep each pair forever.
#[salsa::interned]
struct ModuleName<'db> {
    #[returns(copy)]
    file: File,
    #[returns(ref)]
    text: SmolStr,
}

#[salsa::tracked(returns(copy))]
fn module_variable<'db>(db: &'db dyn Db, name: ModuleName<'db>) -> Option<ModuleKind> {
    let found = module_names(db, name.file(db)).definition(name.text(db))?.kind;
    matches!(found, ModuleKind::Variable { .. }).then_some(found)
}

/// Whether a text is a part of a variable of the module, `tile.x`. Only registers have parts.
pub(crate) fn is_part_of_variable(db: &dyn Db, file: File, written: &str) -> bool {
    let name = written.split('.').next().unwrap_or_default();
    module_variable(db, ModuleName::new(db, file, SmolStr::from(name))).is_some()
}

/// Of the names that a function does not declare, the variables of the module, in the order of their referents.
pub(super) fn externals(db: &dyn Db, file: File, function: &Function) -> Vec<(ReferentId, ModuleKind)> {
    let others = function.externals().filter(|(_, name)| function.name.as_deref() != Some(*name));
    let known = |(referent, name): (ReferentId, &str)| {
        Some((referent, module_variable(db, ModuleName::new(db, file, SmolStr::from(name)))?))
    };
    let mut found: Vec<_> = others.filter_map(known).collect();
    found.sort_by_key(|(referent, _)| *referent);
    found
}
