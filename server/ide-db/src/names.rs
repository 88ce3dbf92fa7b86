//! Names across items: the meaning of the name at a position, and its occurrences.
//!
//! A name is either *local* to an item (a register, a label of PTX, a parameter) or belongs to the *module* and is
//! found by its text. Local names are looked up in the one item; names of the module through [`module_uses`], which
//! is small and stays valid while other items change.

mod ptx;
mod wave;

use smol_str::SmolStr;
use text_size::TextRange;

use crate::answer::{Access, Occurrence, Target};
use crate::db::{Database, Db, File, Item, items};
use crate::languages::Known;
use crate::position::FilePosition;

/// The meaning of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A local name of an item, by its number in the lowered function.
    Local(u32),
    /// A name that items share.
    Module(Namespace, SmolStr),
    /// A predefined name.
    Special(SmolStr),
}

/// Equal names in different namespaces are different.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// Everything that a PTX module declares.
    Module,
    /// The kernels of a WAVE file.
    Kernels,
    /// The labels of a WAVE file.
    Labels,
}

/// The name at a position, with its range in the item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub range: TextRange,
    pub subject: Subject,
}

/// The occurrences of one name of the module in one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleUse {
    pub namespace: Namespace,
    pub name: SmolStr,
    /// In text order, relative to the item.
    pub uses: Box<[NameUse]>,
}

/// One occurrence of a name of the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameUse {
    pub range: TextRange,
    pub access: Access,
    pub requirement: Requirement,
}

/// Whether the name of an occurrence must be declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// Required.
    Declared,
    /// Required unless braces are unbalanced: then the label may be just outside of the body.
    DeclaredIfBalanced,
    /// Not required, in debug information.
    Nothing,
}

/// The names of the module that an item uses, with their occurrences.
#[salsa::tracked(returns(deref))]
pub fn module_uses<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[ModuleUse]> {
    match Known::of(item.language(db)) {
        Known::Ptx => ptx::module_uses(db, item),
        Known::Wave => wave::module_uses(db, item),
    }
}

/// The name at a position; `None` if there is none.
pub fn named(db: &Database, position: &FilePosition<'_>) -> Option<Named> {
    match Known::of(position.language(db)) {
        Known::Ptx => ptx::named(db, position),
        Known::Wave => wave::named(db, position),
    }
}

/// All occurrences of a subject, in text order. Those of a local one are in the item of `position`.
pub fn occurrences(db: &Database, position: &FilePosition<'_>, subject: &Subject) -> Vec<Occurrence> {
    match subject {
        Subject::Module(namespace, name) => module_occurrences(db, position.file, *namespace, name),
        local => local_occurrences(db, position, local),
    }
}

fn module_occurrences(db: &Database, file: File, namespace: Namespace, name: &str) -> Vec<Occurrence> {
    let document = file.document(db).items();
    let mut found = Vec::new();
    for (index, item) in items(db, file).iter().enumerate() {
        let uses =
            module_uses(db, *item).iter().find(|have| have.namespace == namespace && have.name == name);
        let start = document.start_of(index);
        let uses = uses.into_iter().flat_map(|have| &have.uses);
        found.extend(uses.map(|found| Occurrence { range: found.range + start, access: found.access }));
    }
    found
}

fn local_occurrences(db: &Database, position: &FilePosition<'_>, subject: &Subject) -> Vec<Occurrence> {
    let relative = match Known::of(position.language(db)) {
        Known::Ptx => ptx::occurrences(db, position, subject),
        Known::Wave => wave::occurrences(db, position, subject),
    };
    let absolute = |found: Occurrence| Occurrence { range: position.in_file(found.range), ..found };
    relative.into_iter().map(absolute).collect()
}

/// The declarations of a name: several if it is declared twice, none if it is predefined.
pub fn declarations(db: &Database, position: &FilePosition<'_>, subject: &Subject) -> Vec<Target> {
    let local = || match Known::of(position.language(db)) {
        Known::Ptx => ptx::local_declaration(db, position),
        Known::Wave => wave::local_declaration(db, position),
    };
    match subject {
        Subject::Module(Namespace::Module, name) => ptx::module_declarations(db, position.file, name),
        Subject::Module(namespace, name) => wave::file_declarations(db, position.file, *namespace, name),
        Subject::Special(_) => Vec::new(),
        Subject::Local(_) => {
            let file = position.file.id(db);
            let target =
                |(focus, full)| Target { file, full: position.in_file(full), focus: position.in_file(focus) };
            local().map(target).into_iter().collect()
        }
    }
}
