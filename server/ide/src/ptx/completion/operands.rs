//! Operands by kind: registers, addresses, labels, variables, special registers.

use rustc_hash::FxHashSet;
use text_size::TextSize;
use warplens_hir::ptx::{Function, FunctionKind, ModuleKind, NameRef, Resolution, Symbol, SymbolKind, Type};
use warplens_ide_db::ptx::{declared, module_names, ptx_function};
use warplens_ide_db::{CompletionKind, FilePosition};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Instruction, OperandKind};

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

struct Wants {
    kinds: Vec<OperandKind>,
    /// The width of the instruction's type, if it has one.
    bits: Option<u32>,
}

impl Wants {
    fn of(operand: &Operand<'_>) -> Wants {
        let entries = matching(operand.opcode, &operand.modifiers);
        let named = |entry: &&'static Instruction| {
            entry.operands.iter().filter(|operand| !operand.inside).nth(operand.index)
        };
        let operands = entries.iter().filter_map(named);
        let mut kinds: Vec<OperandKind> = operands.flat_map(|operand| operand.kinds).copied().collect();
        let mut types = operand.modifiers.iter().filter_map(|word| Type::from_name(word.strip_prefix('.')?));
        let bits = types.next_back().map(Type::bits);
        if operand.in_address {
            let bases = [OperandKind::Register, OperandKind::Symbol, OperandKind::Parameter];
            return Wants { kinds: bases.into(), bits: Some(64) };
        }
        if kinds.is_empty() {
            kinds = vec![OperandKind::Register, OperandKind::Symbol];
        }
        Wants { kinds, bits }
    }

    fn any(&self, kinds: &[OperandKind]) -> bool {
        kinds.iter().any(|kind| self.kinds.contains(kind))
    }
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
            self.registers(wants.bits, registers, predicates);
        }
        if wants.any(&[Label, LabelAddress]) {
            self.locals(|kind| matches!(kind, SymbolKind::Label { .. } | SymbolKind::Table { .. }));
        }
        if wants.any(&[Symbol, Parameter, Texture, Sampler, Surface]) {
            self.locals(|kind| {
                matches!(kind, SymbolKind::Variable(_) | SymbolKind::Param { .. } | SymbolKind::Prototype(_))
            });
            self.module(|_| true);
        }
        if wants.any(&[SpecialRegister]) {
            special_registers(self.proposals);
        }
        if wants.any(&[Address]) {
            self.addresses();
        }
    }

    fn registers(&mut self, bits: Option<u32>, registers: bool, predicates: bool) {
        let Some(function) = &self.function else { return };
        let is_wanted = |ty: Option<Type>| match ty {
            Some(Type::Pred) => predicates,
            _ => registers,
        };
        let rank = |ty: Option<Type>| u32::from(bits.is_some() && ty.map(Type::bits) != bits);
        let visible = function.visible_symbols(self.position.offset);
        for symbol in visible.iter().map(|id| function.symbol(*id)) {
            match symbol.kind {
                SymbolKind::Register { ty, .. } if is_wanted(ty) => {
                    self.proposals.add(register(symbol.name.to_string(), function, symbol, rank(ty)));
                }
                SymbolKind::RegisterRange { ty, count, .. } if is_wanted(ty) && count > SMALL_RANGE => {
                    self.proposals.add(whole_range(function, symbol, count, rank(ty)));
                }
                _ => {}
            }
        }
        let mut seen = FxHashSet::default();
        let small = visible.iter().flat_map(|id| small_range(function.symbol(*id)));
        for (name, symbol) in near_registers(function, self.position.offset).into_iter().chain(small) {
            let SymbolKind::RegisterRange { ty, .. } = symbol.kind else { continue };
            if is_wanted(ty) && seen.insert(name.clone()) {
                self.proposals.add(register(name, function, symbol, rank(ty)));
            }
        }
    }

    /// An address to fill in, and the addresses of variables and parameters.
    fn addresses(&mut self) {
        self.proposals.add(Proposal {
            insert: Snippet::text("[").placeholder("address").then("]"),
            ..Proposal::word("[…]", CompletionKind::Snippet, 0).with_detail("an address in memory")
        });
        let Some(function) = &self.function else { return };
        for id in function.visible_symbols(self.position.offset) {
            let symbol = function.symbol(id);
            if !matches!(symbol.kind, SymbolKind::Variable(_) | SymbolKind::Param { .. }) {
                continue;
            }
            let detail = declared::kind(function, &symbol.kind).replace('`', "");
            let label = format!("[{}]", symbol.name);
            self.proposals.add(Proposal::word(label, CompletionKind::Variable, 1).with_detail(detail));
        }
    }

    fn locals(&mut self, is_wanted: fn(&SymbolKind) -> bool) {
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
            self.proposals.add(Proposal::word(symbol.name.as_str(), kind, 0).with_detail(detail));
        }
    }

    fn module(&mut self, is_wanted: fn(&ModuleKind) -> bool) {
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
            self.proposals.add(Proposal::word(symbol.name.as_str(), kind, 1).with_detail(detail));
        }
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
    let wants = Wants { kinds: vec![OperandKind::Predicate], bits: Some(1) };
    Scope::of(position, proposals).propose(&wants);
}

/// The labels that a table can list.
pub(super) fn labels(position: &FilePosition<'_>, proposals: &mut Proposals) {
    let wants = Wants { kinds: vec![OperandKind::Label], bits: None };
    Scope::of(position, proposals).propose(&wants);
}

pub(super) fn functions(position: &FilePosition<'_>, proposals: &mut Proposals) {
    Scope::of(position, proposals).module(|kind| {
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
