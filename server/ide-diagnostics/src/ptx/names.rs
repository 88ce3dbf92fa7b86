//! Names between items: undeclared, declared after their use, or declared twice.

mod declare;
mod local;
mod missing;
#[cfg(test)]
mod tests;
mod unresolved_name;
mod wanted;

use warplens_hir::ptx::{Clash, ClashKind, ModuleKind, ModuleNames};
use warplens_ide_db::ptx::module_names;
use warplens_ide_db::{
    Database, Db, Diagnostic, File, ItemGroup, ModuleUse, NameUse, Related, Requirement, Severity,
    group_uses, item_groups, items_of,
};

use crate::codes;
use crate::ptx::linkage_clash;
use crate::ptx::symbols::name_range;

pub(super) fn check(db: &Database, file: File) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let names = module_names(db, file);
    let mut first = 0;
    for group in item_groups(db, file) {
        let users = items_that_use_names(db, *group).iter();
        users.for_each(|item| unresolved_name::check(db, file, names, first + item, &mut found));
        first += items_of(db, *group).len();
    }
    found.extend(names.clashes().iter().map(|clash| clashing(db, file, names, *clash)));
    found
}

/// The items of a group that use names which the module must declare, by their index in the group.
#[salsa::tracked(returns(deref))]
fn items_that_use_names<'db>(db: &'db dyn Db, group: ItemGroup<'db>) -> Box<[usize]> {
    let is_required = |place: &NameUse| place.requirement != Requirement::Nothing;
    let uses_names = |uses: &[ModuleUse]| uses.iter().flat_map(|name| &name.uses).any(is_required);
    let uses = group_uses(db, group).iter().enumerate();
    uses.filter(|(_, uses)| uses_names(uses)).map(|(index, _)| index).collect()
}

fn clashing(db: &Database, file: File, names: &ModuleNames, clash: Clash) -> Diagnostic {
    let (first, second) = (&names.symbols()[clash.first as usize], &names.symbols()[clash.symbol as usize]);
    let name = &second.name;
    if first.kind == ModuleKind::Alias && matches!(second.kind, ModuleKind::Function { .. }) {
        let message = format!("`{name}` is declared after its alias; move the declaration before it");
        let range = name_range(db, file, second);
        let related = Related { file: file.id(db), range, message: "declared here".into() };
        let at = name_range(db, file, first);
        return Diagnostic::new(at, Severity::Error, codes::INVALID_ALIAS, message).with_related(related);
    }
    let (code, message) = match clash.kind {
        ClashKind::Duplicate => {
            let message = format!("`{name}` is already declared in this module; rename one of them");
            (codes::DUPLICATE_NAME, message)
        }
        ClashKind::Linkage => (codes::LINKAGE_CLASH, linkage_clash::message(name, first.kind)),
    };
    let range = name_range(db, file, first);
    let related = Related { file: file.id(db), range, message: "first declared here".into() };
    Diagnostic::new(name_range(db, file, second), Severity::Error, code, message).with_related(related)
}
