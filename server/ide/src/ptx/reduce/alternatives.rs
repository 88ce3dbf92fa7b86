//! Kernels that lack one statement and use another register instead of its result.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;
use text_size::{TextRange, TextSize};
use warplens_hir::ptx::{
    Function, Instruction, NameRef, Operand, ReferentId, Role, SymbolKind, Type, TypeKind,
};
use warplens_ide_db::TextEdit;

use crate::reduce::Alternative;

/// Besides the operands of the statement, these many registers of the same size are tried: the first and the last ones that
/// are written before it.
const FIRST: usize = 3;
const LAST: usize = 3;

/// The registers of a function, and how often they are read and written.
pub(super) struct Uses<'f> {
    function: &'f Function,
    reads: FxHashMap<ReferentId, u32>,
    writes: FxHashMap<ReferentId, u32>,
    names: FxHashMap<ReferentId, String>,
}

impl<'f> Uses<'f> {
    pub(super) fn new(function: &'f Function) -> Uses<'f> {
        let mut uses = Uses {
            function,
            reads: FxHashMap::default(),
            writes: FxHashMap::default(),
            names: FxHashMap::default(),
        };
        for name in function.names().filter(|name| register_type(function, name).is_some()) {
            uses.names.insert(name.referent, function.referent_text(name.referent).to_string());
            if name.role.writes() {
                *uses.writes.entry(name.referent).or_default() += 1;
            }
            if matches!(name.role, Role::Read | Role::ReadWrite) {
                *uses.reads.entry(name.referent).or_default() += 1;
            }
        }
        uses
    }

    pub(super) fn reads(&self, register: ReferentId) -> u32 {
        self.reads.get(&register).copied().unwrap_or_default()
    }

    /// The registers that are read but never written, sorted.
    pub(super) fn undefined(&self) -> Vec<String> {
        let unwritten = self.reads.keys().filter(|register| !self.writes.contains_key(*register));
        let mut names: Vec<String> =
            unwritten.filter_map(|register| self.names.get(register).cloned()).collect();
        names.sort_unstable();
        names
    }

    /// The registers that earlier instructions write, in the order of their first write, except the results
    /// of this instruction.
    fn written_before(&self, instruction: Instruction<'_>) -> Vec<NameRef<'f>> {
        let start = instruction.range().start();
        let before = self.function.names().take_while(|name| name.range.start() < start);
        let written = before.filter(|name| name.role.writes() && self.names.contains_key(&name.referent));
        let mut found = IndexMap::new();
        written.for_each(|name| _ = found.entry(name.referent).or_insert(name));
        found.into_values().collect()
    }
}

fn register_type(function: &Function, name: &NameRef<'_>) -> Option<Type> {
    match *function.symbol_kind(name.resolution)? {
        SymbolKind::Register { ty, vector: None } | SymbolKind::RegisterRange { ty, vector: None, .. } => ty,
        _ => None,
    }
}

/// The alternatives to an instruction; those that use its own operands are first.
pub(super) fn of(function: &Function, instruction: Instruction<'_>, uses: &Uses<'_>) -> Vec<Alternative> {
    let mut found = Vec::new();
    if let Some(result) = result(function, instruction) {
        for register in replacements(function, instruction, result, uses) {
            found.push(replaced(function, instruction, result, &register));
        }
    }
    if instruction.guard().is_some() {
        let guard = TextRange::new(instruction.range().start(), instruction.opcode_range().start());
        let edits = vec![TextEdit { range: guard, insert: String::new() }];
        found.push(Alternative { what: "without the guard".to_owned(), removes: false, edits });
    }
    found
}

/// The only register that an instruction writes, unless it also reads that register.
fn result<'f>(function: &'f Function, instruction: Instruction<'_>) -> Option<NameRef<'f>> {
    let Some(Operand::Register { name, component: None }) = instruction.operands().first() else {
        return None;
    };
    let result = function.name(*name);
    let written = function.names_of(instruction).filter(|name| name.role.writes()).count();
    (written == 1 && result.role == Role::Write).then_some(result)
}

fn replacements(
    function: &Function,
    instruction: Instruction<'_>,
    result: NameRef<'_>,
    uses: &Uses<'_>,
) -> Vec<String> {
    let Some(ty) = register_type(function, &result) else { return Vec::new() };
    let fits = |name: &NameRef<'_>| {
        name.referent != result.referent
            && register_type(function, name).is_some_and(|other| {
                other.bits() == ty.bits()
                    && (other.kind() == TypeKind::Predicate) == (ty.kind() == TypeKind::Predicate)
            })
    };
    let read = function.names_of(instruction).filter(|name| name.role == Role::Read);
    let own = read.filter(fits).map(|name| name.referent);
    let before: Vec<ReferentId> =
        uses.written_before(instruction).iter().filter(|name| fits(name)).map(|name| name.referent).collect();
    let first = before.iter().copied().take(FIRST);
    let last = before.iter().rev().copied().take(LAST);
    let chosen: IndexSet<ReferentId> = own.chain(first).chain(last).collect();
    chosen.iter().filter_map(|register| uses.names.get(register).cloned()).collect()
}

/// The edits that remove an instruction and use another register instead of its result, up to the next instruction that writes
/// the result.
fn replaced(
    function: &Function,
    instruction: Instruction<'_>,
    result: NameRef<'_>,
    register: &str,
) -> Alternative {
    let range = instruction.range();
    let mut edits = vec![TextEdit { range, insert: String::new() }];
    let later = function.occurrences(result.referent).filter(|name| name.range.start() >= range.end());
    let mut end = TextSize::from(u32::MAX);
    for name in later {
        if name.role.writes() {
            // The operands of the next writer still read this value.
            let writer = function.instruction_at(name.range.start());
            end = end.min(writer.map_or(name.range.start(), |next| next.range().end()));
        }
        if name.range.start() >= end || name.role == Role::ReadWrite {
            break;
        }
        if name.role == Role::Read {
            edits.push(TextEdit { range: name.range, insert: register.to_owned() });
        }
    }
    Alternative { what: format!("{register} for the result"), removes: true, edits }
}
