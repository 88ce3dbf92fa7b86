//! PTX names.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::ptx::{Function, ModuleSymbol, NameId, NameRef, ReferentId, Resolution, Role};

use crate::answer::{Access, Occurrence, Target};
use crate::db::{Database, Db, File, FilePosition, Item, items};
use crate::names::{ModuleUse, NameUse, Named, Namespace, Requirement, Subject};
use crate::ptx::declared::declaration_range;
use crate::ptx::lowered::{ptx_function, ptx_header};
use crate::ptx::module::module_names;

/// The only namespace: everything that a module declares.
const MODULE: Namespace = Namespace(0);

pub fn access(role: Role) -> Access {
    match role {
        Role::Declaration => Access::Declaration,
        Role::Write | Role::ReadWrite => Access::Write,
        Role::Read | Role::Target | Role::Implied | Role::Call | Role::Debug => Access::Read,
    }
}

pub fn module_uses<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[ModuleUse]> {
    match ptx_function(db, item) {
        Some(function) => function_uses(&function),
        None => header_uses(db, item),
    }
}

/// Collects the uses in one pass over the names of a function, grouped by what they name.
fn function_uses(function: &Function) -> Box<[ModuleUse]> {
    let mut groups: Vec<(SmolStr, Vec<NameUse>)> = Vec::new();
    // The group of each referent.
    let mut group_of = vec![None; function.referent_count()];
    for (referent, name) in function.externals() {
        group_of[referent.index()] = Some(groups.len());
        groups.push((name.into(), Vec::new()));
    }
    if groups.is_empty() {
        return Box::default();
    }
    for (index, (referent, _)) in function.accesses().enumerate() {
        if let Some(group) = group_of[referent.index()] {
            groups[group].1.push(name_use(function.name(NameId::new(index))));
        }
    }
    groups.into_iter().map(|(name, uses)| module_use(name, uses)).collect()
}

fn name_use(name: NameRef<'_>) -> NameUse {
    NameUse { range: name.range, access: access(name.role), requirement: requirement(name.role) }
}

fn requirement(role: Role) -> Requirement {
    match role {
        Role::Target => Requirement::DeclaredIfBalanced,
        Role::Debug => Requirement::Nothing,
        _ => Requirement::Declared,
    }
}

fn header_uses<'db>(db: &'db dyn Db, item: Item<'db>) -> Box<[ModuleUse]> {
    let header = ptx_header(db, item);
    let declared = header.declarations.iter().map(|declaration| {
        let range = declaration.name_range;
        (&declaration.name, NameUse { range, access: Access::Declaration, requirement: Requirement::Nothing })
    });
    let used = header.uses.iter().map(|name| {
        (&name.name, NameUse { range: name.range, access: Access::Read, requirement: Requirement::Declared })
    });
    let mut groups: IndexMap<&SmolStr, Vec<NameUse>, FxBuildHasher> = IndexMap::default();
    for (name, found) in declared.chain(used) {
        groups.entry(name).or_default().push(found);
    }
    groups.into_iter().map(|(name, uses)| module_use(name.clone(), uses)).collect()
}

fn module_use(name: SmolStr, uses: Vec<NameUse>) -> ModuleUse {
    ModuleUse { namespace: MODULE, name, uses: uses.into() }
}

pub fn named(position: &FilePosition<'_>) -> Option<Named> {
    let Some(function) = ptx_function(position.db, position.item) else { return module_named(position) };
    let name = function.name_at(position.offset)?;
    let subject = match name.resolution {
        Resolution::External(text) => Subject::Module(MODULE, text.into()),
        Resolution::Special(text) => Subject::Special(text.into()),
        Resolution::Symbol(_) | Resolution::Indexed { .. } => Subject::Local(name.referent.index() as u32),
    };
    Some(Named { range: name.range, subject })
}

fn module_named(position: &FilePosition<'_>) -> Option<Named> {
    module_uses(position.db, position.item).iter().find_map(|have| {
        let found = have.uses.iter().find(|found| found.range.contains_inclusive(position.offset))?;
        Some(Named { range: found.range, subject: Subject::Module(have.namespace, have.name.clone()) })
    })
}

/// Occurrences of a register range include all its registers, and those of one register include the range's
/// declaration.
pub fn occurrences(position: &FilePosition<'_>, subject: &Subject) -> Vec<Occurrence> {
    let Some(function) = ptx_function(position.db, position.item) else { return Vec::new() };
    let wanted = match subject {
        Subject::Local(referent) => Some(function.resolution(ReferentId::new(*referent as usize))),
        Subject::Special(text) => Some(Resolution::Special(text)),
        Subject::Module(..) => None,
    };
    let same = |name: &NameRef<'_>| match (wanted, name.resolution) {
        (Some(Resolution::Symbol(wanted)), found) => found.symbol() == Some(wanted),
        (Some(Resolution::Indexed { symbol, .. }), Resolution::Symbol(found)) => symbol == found,
        (wanted, found) => wanted == Some(found),
    };
    let found = function.names().filter(same);
    found.map(|name| Occurrence { range: name.range, access: access(name.role) }).collect()
}

/// The declaration in the same item: the range of the name, and of the whole declaration.
pub fn local_declaration(position: &FilePosition<'_>) -> Option<(TextRange, TextRange)> {
    let function = ptx_function(position.db, position.item)?;
    let symbol = function.symbol(function.name_at(position.offset)?.resolution.symbol()?);
    Some((symbol.range, declaration_range(&position.tree(), symbol.range)))
}

/// The definitions of a module name, or its declarations if there is no definition.
pub fn module_declarations(db: &Database, file: File, _: Namespace, name: &str) -> Vec<Target> {
    let names = module_names(db, file);
    let is_definition = |symbol: &&ModuleSymbol| symbol.kind.is_definition();
    let definitions: Vec<&ModuleSymbol> = names.declarations(name).filter(is_definition).collect();
    let chosen = if definitions.is_empty() { names.declarations(name).collect() } else { definitions };
    chosen.into_iter().map(|symbol| target(db, file, symbol)).collect()
}

fn target(db: &Database, file: File, symbol: &ModuleSymbol) -> Target {
    let item = items(db, file)[symbol.item as usize];
    let focus = ptx_header(db, item).declarations[symbol.declaration as usize].name_range;
    let full = declaration_range(&item.parse(db).syntax(), focus);
    let start = file.document(db).items().start_of(symbol.item as usize);
    Target { file: file.id(db), full: full + start, focus: focus + start }
}
