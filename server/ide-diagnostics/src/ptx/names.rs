//! Names between items: undeclared, declared after their use, or declared twice.

mod declare;
mod local;
mod missing;
#[cfg(test)]
mod tests;
mod unresolved;
mod wanted;

use warplens_hir::ptx::{Clash, ClashKind, ModuleKind, ModuleNames};
use warplens_ide_db::ptx::module_names;
use warplens_ide_db::{Database, Diagnostic, File, Related, Severity, environment};

use crate::codes;
use crate::ptx::symbols::name_range;

pub(super) fn check(db: &Database, file: File) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let names = module_names(db, file);
    file.settled(db).names.check_others(db, file, environment(db, file).as_ref(), true, |index, _| {
        unresolved::check(db, file, names, index, &mut found)
    });
    found.extend(names.clashes().iter().map(|clash| clashing(db, file, names, *clash)));
    found
}

fn linkage_message(name: &str, first: ModuleKind) -> String {
    if first.is_extern() {
        return format!(
            "`{name}` is declared `.extern`, so another module defines it; remove `.extern` to define it here"
        );
    }
    format!("the declarations of `{name}` differ in linkage; repeat the linkage of the first, or omit it")
}

fn clashing(db: &Database, file: File, names: &ModuleNames, clash: Clash) -> Diagnostic {
    let (first, second) = (&names.symbols()[clash.first as usize], &names.symbols()[clash.symbol as usize]);
    let name = &second.name;
    let (code, message) = match clash.kind {
        ClashKind::Duplicate => {
            let message = format!("`{name}` is already declared in this module; rename one of them");
            (codes::DUPLICATE_NAME, message)
        }
        ClashKind::Linkage => (codes::LINKAGE_CLASH, linkage_message(name, first.kind)),
    };
    let range = name_range(db, file, first);
    let related = Related { file: file.id(db), range, message: "first declared here".into() };
    Diagnostic::new(name_range(db, file, second), Severity::Error, code, message).with_related(related)
}
