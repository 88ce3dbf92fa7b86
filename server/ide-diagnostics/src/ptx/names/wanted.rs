//! The kind of name that an operand requires: its word in messages, and the declared names of this kind.

use std::sync::LazyLock;

use text_size::TextRange;
use warplens_hir::ptx::{
    Function, Instruction, ModuleKind, ModuleNames, Operand, Role, Symbol, SymbolKind, TableKind, Type,
};
use warplens_ide_db::nearest;
use warplens_isa::ptx as isa;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Of a branch, or in `.branchtargets`.
    Label,
    BranchTable,
    /// Of a call, or in `.calltargets`; of a call also a register with an address.
    Function,
    CallTable,
    Predicate,
    /// A register, variable or address.
    Value,
    /// A register that is written.
    Destination,
    /// Of an unknown instruction.
    Any,
}

/// The components of special registers: `%tid.x`.
static SPECIAL_COMPONENTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let vectors = isa::special_registers().iter().flat_map(|register| {
        let components = register.components.iter();
        components.flat_map(|component| register.names.iter().map(move |name| format!("{name}.{component}")))
    });
    vectors.collect()
});

impl Wanted {
    pub(super) fn at(function: &Function, name: TextRange) -> Wanted {
        let role = function.name_at(name.start()).map(|found| found.role);
        let instruction = function.instruction_at(name.start());
        match (instruction.filter(|instruction| instruction.range().contains_range(name)), role) {
            (Some(instruction), role) => Wanted::of_operand(function, instruction, name, role),
            (None, Some(Role::Target | Role::Implied)) => Wanted::Label,
            (None, Some(Role::Call)) => Wanted::Function,
            (None, _) => Wanted::Any,
        }
    }

    fn of_operand(
        function: &Function,
        instruction: Instruction<'_>,
        name: TextRange,
        role: Option<Role>,
    ) -> Wanted {
        if instruction.guard().is_some_and(|guard| function.name(guard.name).range == name) {
            return Wanted::Predicate;
        }
        let is_name =
            |operand: &Operand| matches!(operand, Operand::Symbol(id) if function.name(*id).range == name);
        let place = instruction.operands().iter().position(is_name);
        match (instruction.opcode(), role, place) {
            ("bra", Some(Role::Target), _) => Wanted::Label,
            ("brx", _, Some(1)) => Wanted::BranchTable,
            (_, Some(Role::Call), _) => Wanted::Function,
            // The arguments of a call are in parentheses.
            ("call", _, Some(1..)) => Wanted::CallTable,
            (opcode, ..) if isa::by_opcode(opcode).is_empty() => Wanted::Any,
            (_, Some(Role::Write | Role::ReadWrite), _) => Wanted::Destination,
            _ => Wanted::Value,
        }
    }

    pub(super) fn noun(self, name: &str) -> &'static str {
        match self {
            Wanted::Label => "label",
            Wanted::BranchTable | Wanted::CallTable => "table",
            Wanted::Function if !name.starts_with('%') => "function",
            _ if name.starts_with('%') => "register",
            _ => "name",
        }
    }

    /// The declared name of this kind that is most similar.
    pub(super) fn nearest<'n>(
        self,
        name: &str,
        function: Option<&'n Function>,
        module: &'n ModuleNames,
    ) -> Option<&'n str> {
        let local = function.into_iter().flat_map(Function::symbols);
        let local = local.filter(|symbol| self.takes(symbol)).map(|symbol| symbol.name.as_str());
        let module = module.symbols().iter().filter(|symbol| self.takes_of_module(symbol.kind));
        let module = module.map(|symbol| symbol.name.as_str());
        let is_register = name.starts_with('%') && matches!(self, Wanted::Value | Wanted::Any);
        // A component first: `%tidx` is `%tid.x` without its dot.
        let components = SPECIAL_COMPONENTS.iter().map(String::as_str);
        let special = components.chain(isa::special_register_names().iter().copied()).filter(|_| is_register);
        let lower = name.to_ascii_lowercase();
        let in_lower_case =
            isa::special_register_names().iter().copied().find(|known| is_register && *known == lower);
        in_lower_case.or_else(|| nearest(name, local.chain(module).chain(special)))
    }

    fn takes(self, symbol: &Symbol) -> bool {
        let takers: &[Wanted] = match &symbol.kind {
            SymbolKind::RegisterRange { .. } => return false,
            SymbolKind::Label { .. } => &[Wanted::Label],
            SymbolKind::Table { kind: TableKind::Branch, .. } => &[Wanted::BranchTable],
            SymbolKind::Table { .. } | SymbolKind::Prototype(_) => &[Wanted::CallTable],
            SymbolKind::Register { ty: Some(Type::Pred), .. } => {
                &[Wanted::Predicate, Wanted::Destination, Wanted::Value]
            }
            SymbolKind::Register { .. } => &[Wanted::Function, Wanted::Destination, Wanted::Value],
            SymbolKind::Variable(_) | SymbolKind::Param { .. } => &[Wanted::CallTable, Wanted::Value],
        };
        self == Wanted::Any || takers.contains(&self)
    }

    fn takes_of_module(self, kind: ModuleKind) -> bool {
        let takers: &[Wanted] = match kind {
            ModuleKind::Function { .. } | ModuleKind::Alias => &[Wanted::Function, Wanted::Value],
            ModuleKind::Variable { .. } => &[Wanted::CallTable, Wanted::Value],
            ModuleKind::SectionLabel => &[],
        };
        self == Wanted::Any || takers.contains(&self)
    }
}
