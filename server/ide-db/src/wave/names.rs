//! WAVE names: kernels and labels belong to the file, registers to the machine.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::wave::{Name, NameRef, Role};

use crate::answer::{Access, Occurrence};
use crate::db::{Db, FilePosition, Item};
use crate::names::{ModuleUse, NameUse, Named, Namespace, Requirement, Subject};
use crate::wave::lowered::wave_code;

pub const KERNELS: Namespace = Namespace(0);

pub const LABELS: Namespace = Namespace(1);

/// Predicate registers are numbered after the general registers.
const FIRST_PREDICATE: u32 = 256;

fn access(role: Role) -> Access {
    match role {
        Role::Declaration => Access::Declaration,
        Role::Write | Role::ReadWrite => Access::Write,
        Role::Read | Role::Call | Role::Unknown => Access::Read,
    }
}

fn subject(name: &Name) -> Subject {
    match name {
        Name::Kernel(name) => Subject::Module(KERNELS, name.clone()),
        Name::Label(name) => Subject::Module(LABELS, name.clone()),
        Name::Register(index) => Subject::Local(u32::from(*index)),
        Name::Predicate(index) => Subject::Local(FIRST_PREDICATE + u32::from(*index)),
        Name::Special(name) => Subject::Special(name.name.into()),
    }
}

pub fn module_uses<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[ModuleUse]> {
    let mut groups: IndexMap<(Namespace, &SmolStr), Vec<NameUse>, FxBuildHasher> = IndexMap::default();
    let code = wave_code(db, item);
    let names = code.shared_names();
    for found in &names {
        let key = match &found.name {
            Name::Kernel(name) => (KERNELS, name),
            Name::Label(name) => (LABELS, name),
            Name::Register(_) | Name::Predicate(_) | Name::Special(_) => continue,
        };
        groups.entry(key).or_default().push(name_use(found));
    }
    let uses = groups.into_iter().map(|((namespace, name), uses)| (namespace, name.clone(), uses.into()));
    uses.map(|(namespace, name, uses)| ModuleUse { namespace, name, uses }).collect()
}

fn name_use(found: &NameRef) -> NameUse {
    let requirement = if found.role == Role::Call { Requirement::Declared } else { Requirement::Nothing };
    NameUse { range: found.range, access: access(found.role), requirement }
}

pub fn named(position: &FilePosition<'_>) -> Option<Named> {
    let code = wave_code(position.db, position.item);
    let found = code.name_at(position.offset)?;
    Some(Named { range: found.range, subject: subject(&found.name) })
}

pub fn occurrences(position: &FilePosition<'_>, wanted: &Subject) -> Vec<Occurrence> {
    let code = wave_code(position.db, position.item);
    let same = code.names().iter().filter(|found| subject(&found.name) == *wanted);
    same.map(|found| Occurrence { range: found.range, access: access(found.role) }).collect()
}

/// Registers have no declaration, so the first write in the kernel counts as one.
pub fn local_declaration(position: &FilePosition<'_>) -> Option<(TextRange, TextRange)> {
    let code = wave_code(position.db, position.item);
    let wanted = subject(&code.name_at(position.offset)?.name);
    let is_write = |found: &&NameRef| subject(&found.name) == wanted && access(found.role) == Access::Write;
    let first = code.names().iter().find(is_write)?;
    let instruction = &code.instructions[code.instruction_at(first.range.start())?];
    Some((first.range, instruction.range))
}
