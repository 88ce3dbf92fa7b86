//! Operands by kind: registers, addresses, labels, variables, special registers.

use rustc_hash::FxHashSet;
use text_size::TextSize;
use warplens_hir::ptx::{
    Function, FunctionKind, ModuleKind, NameRef, Resolution, Space, Symbol, SymbolKind, Type, TypeKind,
};
use warplens_ide_db::ptx::{declared, module_names, ptx_function};
use warplens_ide_db::{CompletionKind, FilePosition};
use warplens_isa::Role;
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Instruction, OperandKind};
use warplens_syntax::{SyntaxKind, SyntaxToken};

use crate::proposals::{Proposal, Proposals};
use crate::ptx::completion::context::Operand;
use crate::ptx::explain::matching::matching;
use crate::snippet::Snippet;

/// The maximum number of registers of ranges that are listed. The ones used nearest to the cursor are
/// preferred.
const NEAR_REGISTERS: usize = 200;

/// A range of at most this size has all its registers listed.
const SMALL_RANGE: u32 = 16;

pub(super) fn propose(position: &FilePosition<'_>, operand: &Operand<'_>, proposals: &mut Proposals) {
    Scope::of(position, proposals).propose(&Wants::of(operand));
}

#[derive(Default)]
struct Wants {
    kinds: Vec<OperandKind>,
    /// The widths that fit: that of the instruction's type, if it has one, or those of addresses. Any, if there are none.
    bits: Vec<u32>,
    in_address: bool,
    /// The state space that the instruction accesses.
    space: Option<Space>,
    /// The registers that the statement writes, which it seldom reads too.
    written: Vec<String>,
}

/// Ranks of registers and variables: those that fit, those that do not, and registers that the statement writes.
const FITS: u32 = 0;
const DIFFERS: u32 = 2;
const WRITTEN: u32 = 4;

impl Wants {
    fn of(operand: &Operand<'_>) -> Wants {
        let entries = matching(operand.opcode, &operand.modifiers);
        let named = |entry: &&'static Instruction| {
            entry.operands.iter().filter(|operand| !operand.inside).nth(operand.index)
        };
        let operands = entries.iter().filter_map(named);
        let mut kinds: Vec<OperandKind> = operands.flat_map(|operand| operand.kinds).copied().collect();
        let mut types = operand.modifiers.iter().filter_map(|word| Type::from_name(word.strip_prefix('.')?));
        let spaces = operand
            .modifiers
            .iter()
            .filter_map(|word| Space::from_name(word.strip_prefix('.')?.split(':').next()?));
        // `cp.async.ca.shared.global` names the space of each address.
        let spaces: Vec<Space> = spaces.collect();
        let space = spaces.get(operand.index).or(spaces.last()).copied();
        let writes =
            entries.iter().any(|entry| entry.operands.first().is_some_and(|first| first.role != Role::Read));
        let written = if writes { written(operand.tokens) } else { Vec::new() };
        let bits: Vec<u32> = match operand.in_address {
            // These windows are small: their addresses also fit into 32 bits.
            true if matches!(space, Some(Space::Shared | Space::Local | Space::Param | Space::Const)) => {
                vec![32, 64]
            }
            true => vec![64],
            false => types.next_back().map(Type::bits).into_iter().collect(),
        };
        if operand.in_address {
            kinds = vec![OperandKind::Register, OperandKind::Symbol, OperandKind::Parameter];
        } else if kinds.is_empty() {
            kinds = vec![OperandKind::Register, OperandKind::Symbol];
        }
        Wants { kinds, bits, in_address: operand.in_address, space, written }
    }

    /// The rank of a register.
    fn register(&self, name: &str, ty: Option<Type>) -> u32 {
        let fits = |ty: Type| {
            let is_number = ty.kind() != TypeKind::Float || !self.in_address;
            is_number && (self.bits.is_empty() || self.bits.contains(&ty.bits()))
        };
        match ty {
            _ if self.written.iter().any(|written| written == name) => WRITTEN,
            Some(ty) if !fits(ty) => DIFFERS + u32::from(self.in_address),
            // The variables of the accessed space come first.
            _ => FITS + u32::from(self.in_address),
        }
    }

    /// The rank of a variable or parameter in a state space.
    fn variable(&self, space: Space) -> u32 {
        let is_global = matches!(space, Space::Global | Space::Const);
        let fits = match self.space {
            Some(accessed) => accessed == space,
            None if self.in_address => is_global,
            // Its value is an address, and that of global memory has 64 bits.
            None => !is_global || self.bits.is_empty() || self.bits.contains(&64),
        };
        if fits { FITS } else { DIFFERS }
    }

    fn any(&self, kinds: &[OperandKind]) -> bool {
        kinds.iter().any(|kind| self.kinds.contains(kind))
    }
}

/// The names in the first operand, if another one follows.
fn written(operands: &[SyntaxToken]) -> Vec<String> {
    let mut depth = 0_usize;
    let end = operands.iter().position(|token| match token.kind() {
        SyntaxKind::L_BRACE => {
            depth += 1;
            false
        }
        SyntaxKind::R_BRACE => {
            depth = depth.saturating_sub(1);
            false
        }
        kind => kind == SyntaxKind::COMMA && depth == 0,
    });
    let first = &operands[..end.unwrap_or_default()];
    first
        .iter()
        .filter(|token| token.kind() == SyntaxKind::IDENT)
        .map(|token| token.text().to_owned())
        .collect()
}

struct Scope<'a, 'db> {
    position: &'a FilePosition<'db>,
    function: Option<std::sync::Arc<Function>>,
    proposals: &'a mut Proposals,
}

impl<'a, 'db> Scope<'a, 'db> {
    fn of(position: &'a FilePosition<'db>, proposals: &'a mut Proposals) -> Scope<'a, 'db> {
        Scope { position, function: ptx_function(position.db, position.item), proposals }
    }

    fn propose(mut self, wants: &Wants) {
        use OperandKind::{
            Address, Label, LabelAddress, NotPredicate, Parameter, Predicate, Register, Sampler,
            SpecialRegister, Surface, Symbol, Texture,
        };
        let registers = wants.any(&[Register, OperandKind::Vector]);
        let predicates = wants.any(&[Predicate, NotPredicate]);
        if registers || predicates {
            self.registers(wants, registers, predicates);
        }
        if wants.any(&[Label, LabelAddress]) {
            self.locals(wants, |kind| matches!(kind, SymbolKind::Label { .. } | SymbolKind::Table { .. }));
        }
        if wants.any(&[Symbol, Parameter, Texture, Sampler, Surface]) {
            self.locals(wants, |kind| {
                matches!(kind, SymbolKind::Variable(_) | SymbolKind::Param { .. } | SymbolKind::Prototype(_))
            });
            self.module(wants, |_| true);
        }
        if wants.any(&[SpecialRegister]) {
            special_registers(self.proposals);
        }
        if wants.any(&[Address]) {
            self.addresses(wants);
        }
    }

    fn registers(&mut self, wants: &Wants, registers: bool, predicates: bool) {
        let Some(function) = &self.function else { return };
        let is_wanted = |ty: Option<Type>| match ty {
            Some(Type::Pred) => predicates,
            _ => registers,
        };
        let visible = function.visible_symbols(self.position.offset);
        for symbol in visible.iter().map(|id| function.symbol(*id)) {
            match symbol.kind {
                SymbolKind::Register { ty, .. } if is_wanted(ty) => {
                    let rank = wants.register(&symbol.name, ty);
                    self.proposals.add(register(symbol.name.to_string(), function, symbol, rank));
                }
                SymbolKind::RegisterRange { ty, count, .. } if is_wanted(ty) && count > SMALL_RANGE => {
                    self.proposals.add(whole_range(function, symbol, count, wants.register("", ty)));
                }
                _ => {}
            }
        }
        let mut seen = FxHashSet::default();
        let small = visible.iter().flat_map(|id| small_range(function.symbol(*id)));
        for (name, symbol) in near_registers(function, self.position.offset).into_iter().chain(small) {
            let SymbolKind::RegisterRange { ty, .. } = symbol.kind else { continue };
            if is_wanted(ty) && seen.insert(name.clone()) {
                let rank = wants.register(&name, ty);
                self.proposals.add(register(name, function, symbol, rank));
            }
        }
    }

    /// An address to fill in, and the addresses of variables and parameters.
    fn addresses(&mut self, wants: &Wants) {
        self.proposals.add(Proposal {
            insert: Snippet::text("[").placeholder("address").then("]"),
            ..Proposal::word("[…]", CompletionKind::Snippet, 0).with_detail("an address in memory")
        });
        let Some(function) = &self.function else { return };
        for id in function.visible_symbols(self.position.offset) {
            let symbol = function.symbol(id);
            let Some(space) = space_of(&symbol.kind) else { continue };
            let detail = declared::kind(function, &symbol.kind).replace('`', "");
            let label = format!("[{}]", symbol.name);
            let proposal = Proposal::word(label, CompletionKind::Variable, 1 + wants.variable(space));
            self.proposals.add(proposal.with_detail(detail));
        }
    }

    fn locals(&mut self, wants: &Wants, is_wanted: fn(&SymbolKind) -> bool) {
        let Some(function) = &self.function else { return };
        let visible =
            function.visible_symbols(self.position.offset).into_iter().map(|id| function.symbol(id));
        for symbol in visible.filter(|symbol| is_wanted(&symbol.kind)) {
            let kind = match symbol.kind {
                SymbolKind::Label { .. } | SymbolKind::Table { .. } => CompletionKind::Label,
                SymbolKind::Param { .. } => CompletionKind::Parameter,
                SymbolKind::Prototype(_) => CompletionKind::Function,
                _ => CompletionKind::Variable,
            };
            let detail = declared::kind(function, &symbol.kind).replace('`', "");
            let rank = space_of(&symbol.kind).map_or(FITS, |space| wants.variable(space));
            self.proposals.add(Proposal::word(symbol.name.as_str(), kind, rank).with_detail(detail));
        }
    }

    fn module(&mut self, wants: &Wants, is_wanted: fn(&ModuleKind) -> bool) {
        let names = module_names(self.position.db, self.position.file);
        let here = self.position.index as u32;
        let mut seen = FxHashSet::default();
        let declared = names.symbols().iter().filter(|symbol| symbol.item <= here && is_wanted(&symbol.kind));
        for symbol in declared.filter(|symbol| seen.insert(&symbol.name)) {
            let function = CompletionKind::Function;
            let (kind, detail) = match symbol.kind {
                ModuleKind::Variable { .. } => (CompletionKind::Variable, "variable of the module"),
                ModuleKind::Function { kind: FunctionKind::Entry, .. } => (function, "kernel"),
                ModuleKind::Function { .. } | ModuleKind::Alias => (function, "function"),
                ModuleKind::SectionLabel => continue,
            };
            let rank = match symbol.kind {
                ModuleKind::Variable { space, .. } => wants.variable(space),
                _ if wants.in_address => DIFFERS,
                _ => FITS,
            };
            self.proposals.add(Proposal::word(symbol.name.as_str(), kind, 1 + rank).with_detail(detail));
        }
    }
}

/// The state space of a variable or parameter.
fn space_of(kind: &SymbolKind) -> Option<Space> {
    match kind {
        SymbolKind::Variable(variable) => Some(variable.space),
        SymbolKind::Param { .. } => Some(Space::Param),
        _ => None,
    }
}

fn register(name: String, function: &Function, symbol: &Symbol, rank: u32) -> Proposal {
    let detail = declared::kind(function, &symbol.kind).replace('`', "");
    Proposal::word(name, CompletionKind::Register, rank).with_detail(detail)
}

/// A register range, as its prefix with a placeholder for the number.
fn whole_range(function: &Function, symbol: &Symbol, count: u32, rank: u32) -> Proposal {
    let label = format!("{}<{count}>", symbol.name);
    let insert = Snippet::text(&symbol.name).placeholder("0");
    Proposal { insert, ..register(label, function, symbol, rank + 2) }
}

fn small_range(symbol: &Symbol) -> Vec<(String, &Symbol)> {
    match symbol.kind {
        SymbolKind::RegisterRange { count, .. } if count <= SMALL_RANGE => {
            (0..count).map(|index| (format!("{}{index}", symbol.name), symbol)).collect()
        }
        _ => Vec::new(),
    }
}

/// The registers of ranges that the function uses, those nearest to the offset first.
fn near_registers(function: &Function, offset: TextSize) -> Vec<(String, &Symbol)> {
    let is_indexed = |name: &NameRef<'_>| matches!(name.resolution, Resolution::Indexed { .. });
    let mut names: Vec<_> = function.names().filter(is_indexed).collect();
    names.sort_by_key(|name| u32::from(name.range.start()).abs_diff(offset.into()));
    let mut seen = FxHashSet::default();
    names.retain(|name| seen.insert(name.referent));
    let named = |name: NameRef<'_>| {
        let symbol = function.symbol(name.resolution.symbol()?);
        Some((function.referent_text(name.referent).to_string(), symbol))
    };
    names.into_iter().take(NEAR_REGISTERS).filter_map(named).collect()
}

fn special_registers(proposals: &mut Proposals) {
    for entry in isa::special_registers() {
        let known = |name: &&str| Proposal::known(name, entry.summary, CompletionKind::SpecialRegister, 3);
        proposals.extend(entry.names.iter().map(known));
    }
}

pub(super) fn guard(position: &FilePosition<'_>, proposals: &mut Proposals) {
    let wants = Wants { kinds: vec![OperandKind::Predicate], ..Wants::default() };
    Scope::of(position, proposals).propose(&wants);
}

/// The labels that a table can list.
pub(super) fn labels(position: &FilePosition<'_>, proposals: &mut Proposals) {
    let wants = Wants { kinds: vec![OperandKind::Label], ..Wants::default() };
    Scope::of(position, proposals).propose(&wants);
}

pub(super) fn functions(position: &FilePosition<'_>, proposals: &mut Proposals) {
    Scope::of(position, proposals).module(&Wants::default(), |kind| {
        matches!(kind, ModuleKind::Alias | ModuleKind::Function { kind: FunctionKind::Func, .. })
    });
}

pub(super) fn components(register: &str, proposals: &mut Proposals) {
    let Some(entry) = isa::special_register(register) else { return };
    proposals.extend(entry.components.iter().map(|name| {
        let component = Proposal::word(format!(".{name}"), CompletionKind::SpecialRegister, 0);
        component.with_detail(format!(".{}", entry.ty))
    }));
}
