//! Names across items: what the name at a position refers to, and where it occurs.
//!
//! A name is either *local* to an item (a register, a PTX label, a parameter) or belongs to the *module* and
//! is found by its text. Local names are looked up in their item, module names through [`module_uses`], which
//! is small and stays valid while other items change.

use crate::answer::{Access, Occurrence, Target};
use crate::db::{Database, File, FilePosition, module_uses, placed_items};
pub use crate::name::{ModuleUse, NameUse, Named, Namespace, Requirement, Subject};

pub fn named(position: &FilePosition<'_>) -> Option<Named> {
    (position.queries().named)(position)
}

/// All occurrences, in text order. A local subject is looked up in the item of `position`.
pub fn occurrences(position: &FilePosition<'_>, subject: &Subject) -> Vec<Occurrence> {
    match subject {
        Subject::Module(namespace, name) => module_occurrences(position.db, position.file, *namespace, name),
        local => local_occurrences(position, local),
    }
}

fn module_occurrences(db: &Database, file: File, namespace: Namespace, name: &str) -> Vec<Occurrence> {
    let mut found = Vec::new();
    for (item, start) in placed_items(db, file) {
        let uses = module_uses(db, item).iter().find(|have| have.namespace == namespace && have.name == name);
        let uses = uses.into_iter().flat_map(|have| &have.uses);
        found.extend(uses.map(|found| Occurrence { range: found.range + start, access: found.access }));
    }
    found
}

fn local_occurrences(position: &FilePosition<'_>, subject: &Subject) -> Vec<Occurrence> {
    let relative = (position.queries().local_occurrences)(position, subject);
    let absolute = |found: Occurrence| Occurrence { range: position.in_file(found.range), ..found };
    relative.into_iter().map(absolute).collect()
}

/// The declarations of a name: several if it is declared twice, none if it is predefined.
pub fn declarations(position: &FilePosition<'_>, subject: &Subject) -> Vec<Target> {
    match subject {
        Subject::Module(namespace, name) => {
            (position.queries().module_declarations)(position.db, position.file, *namespace, name)
        }
        Subject::Special(_) => Vec::new(),
        Subject::Local(_) => {
            let file = position.file.id(position.db);
            let target =
                |(focus, full)| Target { file, full: position.in_file(full), focus: position.in_file(focus) };
            (position.queries().local_declarations)(position).into_iter().map(target).collect()
        }
    }
}

/// The declarations of a module's name, where the name itself is the whole target, as in WAVE and SASS.
pub fn declaring_words(db: &Database, file: File, namespace: Namespace, name: &str) -> Vec<Target> {
    let found = module_occurrences(db, file, namespace, name).into_iter();
    let declarations = found.filter(|found| found.access == Access::Declaration);
    declarations.map(|found| Target { file: file.id(db), full: found.range, focus: found.range }).collect()
}
