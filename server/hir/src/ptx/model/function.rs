//! One function item: its declarations, instructions and names, in tables that refer to each other by id.

use smol_str::{SmolStr, format_smolstr};
use text_size::{TextRange, TextSize};

use super::{
    Address, AddressForm, Constant, ConstantId, Instruction, InstructionData, InstructionId, Linkage,
    ListData, Mnemonic, MnemonicId, Name, NameId, NameRef, Operand, OperandList, Parameter, Problem,
    Referent, ReferentId, Resolution, Role, Scope, ScopeId, Signature, SourceLocation, Symbol, SymbolId,
    SymbolKind,
};

/// Kernel or function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    /// `.entry`
    Entry,
    /// `.func`
    Func,
}

/// A function item, whole. All ranges are relative to the item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    /// Kernel or function.
    pub kind: FunctionKind,
    /// The linkage word.
    pub linkage: Option<Linkage>,
    /// Its name, if there is one.
    pub name: Option<SmolStr>,
    /// The range of the name; empty if it is missing.
    pub name_range: TextRange,
    /// Parameters and directives.
    pub signature: Signature,
    /// The body with its braces; `None` for a prototype.
    pub body: Option<TextRange>,
    pub(crate) parts: Parts,
    /// How many edits it was adapted to since it was lowered as a whole.
    pub(crate) edits: u32,
}

/// The tables of a function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Parts {
    pub(crate) scopes: Box<[Scope]>,
    pub(crate) symbols: Box<[Symbol]>,
    pub(crate) mnemonics: Box<[Mnemonic]>,
    pub(crate) instructions: Box<[InstructionData]>,
    pub(crate) operands: Box<[Operand]>,
    pub(crate) lists: Box<[ListData]>,
    pub(crate) constants: Box<[Constant]>,
    pub(crate) referents: Box<[Referent]>,
    pub(crate) words: Box<[SmolStr]>,
    pub(crate) names: Box<[Name]>,
    pub(crate) problems: Box<[Problem]>,
    pub(crate) locations: Box<[SourceLocation]>,
}

/// A label and the instruction after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// The label.
    pub symbol: SymbolId,
    /// The first instruction after it; the number of instructions where none follows.
    pub target: InstructionId,
}

impl Function {
    /// Whether it was made from the function before an edit: then all that the function declares, and all other instructions, are the
    /// same as before.
    pub fn is_adapted(&self) -> bool {
        self.edits > 0
    }

    /// The instructions that start in a range.
    pub fn instructions_in(&self, range: TextRange) -> impl Iterator<Item = Instruction<'_>> {
        let first = self.parts.instructions.partition_point(|data| data.range.start() < range.start());
        self.instructions().skip(first).take_while(move |found| found.range().start() < range.end())
    }

    /// The instructions in text order.
    pub fn instructions(
        &self,
    ) -> impl ExactSizeIterator<Item = Instruction<'_>> + DoubleEndedIterator + Clone {
        let data = self.parts.instructions.iter().enumerate();
        data.map(|(index, data)| Instruction { function: self, id: InstructionId::new(index), data })
    }

    /// One instruction.
    pub fn instruction(&self, id: InstructionId) -> Instruction<'_> {
        Instruction { function: self, id, data: &self.parts.instructions[id.index()] }
    }

    /// The instruction whose text covers this offset.
    pub fn instruction_at(&self, offset: TextSize) -> Option<Instruction<'_>> {
        let after = self.parts.instructions.partition_point(|data| data.range.start() <= offset);
        let id = InstructionId::new(after.checked_sub(1)?);
        Some(self.instruction(id)).filter(|instruction| instruction.range().contains_inclusive(offset))
    }

    /// The source positions in text order.
    pub fn source_locations(&self) -> &[SourceLocation] {
        &self.parts.locations
    }

    /// The distinct opcodes with their modifiers, indexed by [`MnemonicId`].
    pub fn mnemonics(&self) -> &[Mnemonic] {
        &self.parts.mnemonics
    }

    /// One of them.
    pub fn mnemonic(&self, id: MnemonicId) -> &Mnemonic {
        &self.parts.mnemonics[id.index()]
    }

    /// The operands inside another operand.
    pub fn operands(&self, list: OperandList) -> &[Operand] {
        &self.parts.operands[self.parts.lists[list.0 as usize].range()]
    }

    /// Takes an address operand apart; a lone symbol is an address without offset. `None` for anything else.
    pub fn address(&self, operand: Operand) -> Option<Address<'_>> {
        let (parts, form) = match operand {
            Operand::Address { parts, form } => (self.operands(parts), form),
            Operand::Symbol(_) => {
                return Some(Address {
                    base: operand,
                    index: None,
                    offset: 0,
                    in_elements: false,
                    rest: &[],
                });
            }
            _ => return None,
        };
        // Layout: base, index or `Missing`, offset as a constant, the rest.
        let [base, index, Operand::Constant(offset), rest @ ..] = parts else { return None };
        let index = (*index != Operand::Missing).then_some(*index);
        let offset = self.constant(*offset).as_integer().unwrap_or(0) as i64;
        Some(Address { base: *base, index, offset, in_elements: form == AddressForm::Subscript, rest })
    }

    /// The value of a constant operand.
    pub fn constant(&self, id: ConstantId) -> Constant {
        self.parts.constants[id.index()]
    }

    /// The scopes; the first is the function.
    pub fn scopes(&self) -> &[Scope] {
        &self.parts.scopes
    }

    /// The innermost scope that covers this offset.
    pub fn scope_at(&self, offset: TextSize) -> ScopeId {
        // Scopes are in text order, so the innermost one is an ancestor of the last that starts before the offset.
        let scopes = &self.parts.scopes;
        let mut scope =
            ScopeId::new(scopes.partition_point(|scope| scope.range.start() < offset).saturating_sub(1));
        while let Scope { parent: Some(parent), range } = scopes[scope.index()]
            && range.end() <= offset
        {
            scope = parent;
        }
        scope
    }

    /// Everything the function declares, indexed by [`SymbolId`].
    pub fn symbols(&self) -> &[Symbol] {
        &self.parts.symbols
    }

    /// One symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.parts.symbols[id.index()]
    }

    /// The symbol of a parameter of [`Function::signature`].
    pub fn param_symbol(&self, param: &Parameter) -> Option<SymbolId> {
        let index = self.parts.symbols.iter().position(|symbol| symbol.range == param.name_range)?;
        Some(SymbolId::new(index))
    }

    /// The labels.
    pub fn labels(&self) -> impl Iterator<Item = Label> {
        self.parts.symbols.iter().enumerate().filter_map(|(index, symbol)| match symbol.kind {
            SymbolKind::Label { target } => Some(Label { symbol: SymbolId::new(index), target }),
            _ => None,
        })
    }

    /// Symbols that a statement at this offset may name: declared before it in its scope or an enclosing one, and all
    /// labels of these scopes. An inner name hides an outer one. Innermost scope first.
    pub fn visible_symbols(&self, offset: TextSize) -> Vec<SymbolId> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut visible = Vec::new();
        let mut scope = Some(self.scope_at(offset));
        while let Some(id) = scope {
            for (index, symbol) in self.parts.symbols.iter().enumerate() {
                let reached = symbol.range.end() <= offset || matches!(symbol.kind, SymbolKind::Label { .. });
                if symbol.scope == id && reached && seen.insert(&symbol.name) {
                    visible.push(SymbolId::new(index));
                }
            }
            scope = self.parts.scopes[id.index()].parent;
        }
        visible
    }

    /// Every occurrence of a name, in text order.
    pub fn names(&self) -> impl ExactSizeIterator<Item = NameRef<'_>> + DoubleEndedIterator + Clone {
        self.parts.names.iter().map(|name| self.view(*name))
    }

    /// What each occurrence names and how it uses it, in the order of [`Function::names`]. Most passes over a function need no ranges,
    /// which take several look-ups each.
    #[inline]
    pub fn accesses(&self) -> impl Iterator<Item = (ReferentId, Role)> {
        self.parts.names.iter().map(|name| (self.named(*name), name.role()))
    }

    /// The names that instructions write, in text order, each with its instruction.
    pub fn writes(&self) -> Writes<'_> {
        Writes { function: self, instruction: 0, name: 0 }
    }

    /// What one occurrence names.
    #[inline]
    pub fn referent(&self, id: NameId) -> ReferentId {
        self.named(self.parts.names[id.index()])
    }

    #[inline]
    pub(crate) fn named(&self, name: Name) -> ReferentId {
        match self.parts.referents[name.referent().index()] {
            Referent::Padded { of, .. } => of,
            _ => name.referent(),
        }
    }

    /// One occurrence.
    pub fn name(&self, id: NameId) -> NameRef<'_> {
        self.view(self.parts.names[id.index()])
    }

    /// The occurrence that covers or touches this offset.
    pub fn name_at(&self, offset: TextSize) -> Option<NameRef<'_>> {
        let after = self.parts.names.partition_point(|name| name.start <= offset);
        let name = self.view(self.parts.names[after.checked_sub(1)?]);
        name.range.contains_inclusive(offset).then_some(name)
    }

    /// The occurrences in an instruction, its guard included.
    pub fn names_of(&self, instruction: Instruction<'_>) -> impl Iterator<Item = NameRef<'_>> + use<'_> {
        let range = instruction.range();
        let names = &self.parts.names;
        let first = names.partition_point(|name| name.start < range.start());
        names[first..].iter().take_while(move |name| name.start < range.end()).map(|name| self.view(*name))
    }

    /// All occurrences of what a referent is, in text order. For a register of a range that is this register only.
    pub fn occurrences(&self, referent: ReferentId) -> impl Iterator<Item = NameRef<'_>> {
        self.names().filter(move |name| name.referent == referent)
    }

    /// How many distinct things the function names: referent numbers are below it.
    pub fn referent_count(&self) -> usize {
        self.parts.referents.len()
    }

    /// The resolution of a referent.
    pub fn resolution(&self, referent: ReferentId) -> Resolution<'_> {
        match self.parts.referents[referent.index()] {
            Referent::Symbol(symbol) => Resolution::Symbol(symbol),
            Referent::Indexed { symbol, index } => Resolution::Indexed { symbol, index },
            Referent::Padded { of, .. } => self.resolution(of),
            Referent::Special(word) => Resolution::Special(&self.parts.words[word as usize]),
            Referent::External(word) => Resolution::External(&self.parts.words[word as usize]),
        }
    }

    /// The text of a referent: `%r7` for a register of a range, else the name.
    pub fn referent_text(&self, referent: ReferentId) -> SmolStr {
        match self.parts.referents[referent.index()] {
            Referent::Symbol(symbol) => self.symbol(symbol).name.clone(),
            Referent::Indexed { symbol, index } => format_smolstr!("{}{index}", self.symbol(symbol).name),
            Referent::Padded { of, .. } => self.referent_text(of),
            Referent::Special(word) | Referent::External(word) => self.parts.words[word as usize].clone(),
        }
    }

    /// The distinct names to be looked up in the module: the function's own, and those that only debug information uses,
    /// included.
    pub fn externals(&self) -> impl Iterator<Item = (ReferentId, &str)> {
        self.parts.referents.iter().enumerate().filter_map(|(index, referent)| match referent {
            Referent::External(word) => Some((ReferentId::new(index), &*self.parts.words[*word as usize])),
            _ => None,
        })
    }

    /// The distinct special registers that it names.
    pub fn special_registers(&self) -> impl Iterator<Item = ReferentId> {
        let referents = self.parts.referents.iter().enumerate();
        let special = referents.filter(|(_, referent)| matches!(referent, Referent::Special(_)));
        special.map(|(index, _)| ReferentId::new(index))
    }

    /// Its problems.
    pub fn problems(&self) -> &[Problem] {
        &self.parts.problems
    }

    /// Bytes on the heap, for measurements.
    pub fn heap_bytes(&self) -> usize {
        let parts = &self.parts;
        size_of_val(&*parts.scopes)
            + size_of_val(&*parts.symbols)
            + size_of_val(&*parts.mnemonics)
            + parts.mnemonics.iter().map(|mnemonic| size_of_val(&*mnemonic.modifiers)).sum::<usize>()
            + size_of_val(&*parts.instructions)
            + size_of_val(&*parts.operands)
            + size_of_val(&*parts.lists)
            + size_of_val(&*parts.constants)
            + size_of_val(&*parts.referents)
            + size_of_val(&*parts.words)
            + size_of_val(&*parts.names)
            + size_of_val(&*parts.problems)
    }

    fn view(&self, name: Name) -> NameRef<'_> {
        let referent = name.referent();
        let text = |symbol| TextSize::of(&*self.symbol(symbol).name);
        let (referent, length) = match self.parts.referents[referent.index()] {
            Referent::Symbol(symbol) => (referent, text(symbol)),
            Referent::Indexed { symbol, index } => {
                let digits = index.checked_ilog10().unwrap_or(0) + 1;
                (referent, text(symbol) + TextSize::from(digits))
            }
            Referent::Padded { of, digits } => {
                let prefix = self.resolution(of).symbol().map_or(TextSize::new(0), text);
                (of, prefix + TextSize::from(u32::from(digits)))
            }
            Referent::Special(word) | Referent::External(word) => {
                (referent, TextSize::of(&*self.parts.words[word as usize]))
            }
        };
        NameRef {
            range: TextRange::at(name.start, length),
            resolution: self.resolution(referent),
            referent,
            role: name.role(),
        }
    }
}

/// The names that the instructions of a function write; see [`Function::writes`].
#[derive(Debug, Clone)]
pub struct Writes<'f> {
    function: &'f Function,
    instruction: usize,
    name: usize,
}

/// Names and instructions are both in the order of the text, so one walk visits each once.
impl Iterator for Writes<'_> {
    type Item = (InstructionId, ReferentId);

    fn next(&mut self) -> Option<Self::Item> {
        let parts = &self.function.parts;
        while let (Some(instruction), Some(name)) =
            (parts.instructions.get(self.instruction), parts.names.get(self.name))
        {
            if name.start >= instruction.range.end() {
                self.instruction += 1;
                continue;
            }
            self.name += 1;
            if name.role().writes() && name.start >= instruction.range.start() {
                return Some((InstructionId::new(self.instruction), self.function.named(*name)));
            }
        }
        None
    }
}
