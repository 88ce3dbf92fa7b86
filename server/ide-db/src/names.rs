//! Names across items: what the name at a place is, and where else it stands.
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

/// What a name stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// Something of one item, by the number that its lowered function gives it.
    Local(u32),
    /// Something that items see of each other.
    Module(Namespace, SmolStr),
    /// Something of the machine.
    Special(SmolStr),
}

/// Names in different ones are different names, even if they are spelt alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Namespace {
    /// Everything that a PTX module declares.
    Module,
    /// The kernels of a WAVE file.
    Kernels,
    /// The labels of a WAVE file.
    Labels,
}

/// The name at a place, with its range in the item.
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
    /// It must.
    Declared,
    /// It must, unless a brace is missing or too many: then the label may stand just outside of the body.
    DeclaredIfBalanced,
    /// Names in debug information need not.
    Nothing,
}

/// The names of the module that stand in an item, each with its places.
#[salsa::tracked(returns(deref))]
pub fn module_uses<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[ModuleUse]> {
    match Known::of(item.language(db)) {
        Known::Ptx => ptx::module_uses(db, item),
        Known::Wave => wave::module_uses(db, item),
    }
}

/// What the name at a place is; `None` where no name stands.
pub fn named(db: &Database, position: &FilePosition<'_>) -> Option<Named> {
    match Known::of(position.language(db)) {
        Known::Ptx => ptx::named(db, position),
        Known::Wave => wave::named(db, position),
    }
}

/// All occurrences of a subject, in the order of the text. Those of a local one lie in the item of `place`.
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

/// Where what a name stands for is declared: one place, several when it is declared twice, none for the machine's own.
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
