//! A function item: its declarations, instructions and names, in tables that refer to each other by id.

use smol_str::{SmolStr, format_smolstr};
use text_size::{TextRange, TextSize};

use super::{
    Address, AddressForm, Constant, ConstantId, Guard, InstructionData, InstructionId, Linkage, ListData,
    Mnemonic, MnemonicId, Name, NameId, NameRef, Operand, OperandList, Parameter, Problem, Referent,
    ReferentId, Resolution, Role, Scope, ScopeId, Signature, SourceLocation, Symbol, SymbolId, SymbolKind,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FunctionKind {
    Entry,
    Func,
}

/// A whole function item. All ranges are relative to the item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function {
    pub kind: FunctionKind,
    pub linkage: Option<Linkage>,
    pub name: Option<SmolStr>,
    /// The range of the name; empty if it is missing.
    pub name_range: TextRange,
    pub signature: Signature,
    /// The body including its braces; `None` for a prototype.
    pub body: Option<TextRange>,
    pub(crate) parts: Parts,
}

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

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    pub symbol: SymbolId,
    /// The first instruction after the label. If none follows, the number of instructions.
    pub target: InstructionId,
}

impl Function {
    pub fn instructions(
        &self,
    ) -> impl ExactSizeIterator<Item = Instruction<'_>> + DoubleEndedIterator + Clone {
        let data = self.parts.instructions.iter().enumerate();
        data.map(|(index, data)| Instruction { function: self, id: InstructionId::new(index), data })
    }

    pub fn instruction(&self, id: InstructionId) -> Instruction<'_> {
        Instruction { function: self, id, data: &self.parts.instructions[id.index()] }
    }

    pub fn instruction_at(&self, offset: TextSize) -> Option<Instruction<'_>> {
        let after = self.parts.instructions.partition_point(|data| data.range.start() <= offset);
        let id = InstructionId::new(after.checked_sub(1)?);
        Some(self.instruction(id)).filter(|instruction| instruction.range().contains_inclusive(offset))
    }

    pub fn source_locations(&self) -> &[SourceLocation] {
        &self.parts.locations
    }

    /// The distinct mnemonics, indexed by [`MnemonicId`].
    pub fn mnemonics(&self) -> &[Mnemonic] {
        &self.parts.mnemonics
    }

    pub fn mnemonic(&self, id: MnemonicId) -> &Mnemonic {
        &self.parts.mnemonics[id.index()]
    }

    pub fn operands(&self, list: OperandList) -> &[Operand] {
        &self.parts.operands[self.parts.lists[list.0 as usize].range()]
    }

    /// Splits an address operand into its parts. A lone symbol counts as an address without offset; anything
    /// else gives `None`.
    pub fn address(&self, operand: Operand) -> Option<Address<'_>> {
        let (parts, form) = match operand {
            Operand::Address { parts, form } => (self.operands(parts), form),
            Operand::Symbol(_) => {
                let (index, rest) = (None, &[][..]);
                return Some(Address { base: operand, index, offset: 0, in_elements: false, rest });
            }
            _ => return None,
        };
        // Layout: base, index or `Missing`, offset as a constant, the rest.
        let [base, index, offset @ Operand::Constant(_), rest @ ..] = parts else { return None };
        let index = (*index != Operand::Missing).then_some(*index);
        let offset = self.integer(*offset).unwrap_or(0) as i64;
        Some(Address { base: *base, index, offset, in_elements: form == AddressForm::Subscript, rest })
    }

    pub fn constant(&self, id: ConstantId) -> Constant {
        self.parts.constants[id.index()]
    }

    pub fn integer(&self, operand: Operand) -> Option<u64> {
        let Operand::Constant(id) = operand else { return None };
        self.constant(id).as_integer()
    }

    /// The scopes; the first one is the function itself.
    pub fn scopes(&self) -> &[Scope] {
        &self.parts.scopes
    }

    pub fn scope_at(&self, offset: TextSize) -> ScopeId {
        // Scopes are in text order, so the innermost one is an ancestor of the last scope that starts before
        // the offset.
        let scopes = &self.parts.scopes;
        let after = scopes.partition_point(|scope| scope.range.start() < offset);
        let mut scope = ScopeId::new(after.saturating_sub(1));
        while let Scope { parent: Some(parent), range } = scopes[scope.index()]
            && range.end() <= offset
        {
            scope = parent;
        }
        scope
    }

    /// All symbols that the function declares, indexed by [`SymbolId`].
    pub fn symbols(&self) -> &[Symbol] {
        &self.parts.symbols
    }

    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.parts.symbols[id.index()]
    }

    /// The kind of the symbol that a name denotes, if this function declares it.
    pub fn symbol_kind(&self, resolution: Resolution<'_>) -> Option<&SymbolKind> {
        resolution.symbol().map(|symbol| &self.symbol(symbol).kind)
    }

    /// The symbol that belongs to a parameter of [`Function::signature`].
    pub fn param_symbol(&self, param: &Parameter) -> Option<SymbolId> {
        let index = self.parts.symbols.iter().position(|symbol| symbol.range == param.name_range)?;
        Some(SymbolId::new(index))
    }

    pub fn labels(&self) -> impl Iterator<Item = Label> {
        self.parts.symbols.iter().enumerate().filter_map(|(index, symbol)| match symbol.kind {
            SymbolKind::Label { target } => Some(Label { symbol: SymbolId::new(index), target }),
            _ => None,
        })
    }

    /// The symbols that a statement at this offset may name: those declared before it in its scope or an
    /// enclosing one, and all labels of these scopes. An inner name hides an outer one. The innermost scope
    /// comes first.
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

    /// The referent and the role of each occurrence, in the order of [`Function::names`]. Most passes over a
    /// function need no ranges, which cost several look-ups each.
    #[inline]
    pub fn accesses(&self) -> impl Iterator<Item = (ReferentId, Role)> {
        self.parts.names.iter().map(|name| (self.named(*name), name.role()))
    }

    /// The writes by instructions, in text order: the instruction and the name it writes.
    pub fn writes(&self) -> Writes<'_> {
        Writes { function: self, instruction: 0, name: 0 }
    }

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

    pub fn name(&self, id: NameId) -> NameRef<'_> {
        self.view(self.parts.names[id.index()])
    }

    /// The occurrence that covers or touches this offset.
    pub fn name_at(&self, offset: TextSize) -> Option<NameRef<'_>> {
        let after = self.parts.names.partition_point(|name| name.start <= offset);
        let name = self.view(self.parts.names[after.checked_sub(1)?]);
        name.range.contains_inclusive(offset).then_some(name)
    }

    /// The occurrences in an instruction, including its guard.
    pub fn names_of(&self, instruction: Instruction<'_>) -> impl Iterator<Item = NameRef<'_>> + use<'_> {
        let range = instruction.range();
        let names = &self.parts.names;
        let first = names.partition_point(|name| name.start < range.start());
        names[first..].iter().take_while(move |name| name.start < range.end()).map(|name| self.view(*name))
    }

    /// All occurrences of a referent, in text order. A register of a range is a referent of its own.
    pub fn occurrences(&self, referent: ReferentId) -> impl Iterator<Item = NameRef<'_>> {
        self.names().filter(move |name| name.referent == referent)
    }

    /// The number of distinct referents; the index of every referent is less than this.
    pub fn referent_count(&self) -> usize {
        self.parts.referents.len()
    }

    pub fn resolution(&self, referent: ReferentId) -> Resolution<'_> {
        match self.parts.referents[referent.index()] {
            Referent::Symbol(symbol) => Resolution::Symbol(symbol),
            Referent::Indexed { symbol, index } => Resolution::Indexed { symbol, index },
            Referent::Padded { of, .. } => self.resolution(of),
            Referent::Special(word) => Resolution::Special(&self.parts.words[word as usize]),
            Referent::External(word) => Resolution::External(&self.parts.words[word as usize]),
        }
    }

    /// The name of a referent, such as `%r7` for a register of a range.
    pub fn referent_text(&self, referent: ReferentId) -> SmolStr {
        match self.parts.referents[referent.index()] {
            Referent::Symbol(symbol) => self.symbol(symbol).name.clone(),
            Referent::Indexed { symbol, index } => format_smolstr!("{}{index}", self.symbol(symbol).name),
            Referent::Padded { of, .. } => self.referent_text(of),
            Referent::Special(word) | Referent::External(word) => self.parts.words[word as usize].clone(),
        }
    }

    /// The distinct names to be looked up in the module. They include the function's own name, and names that
    /// only debug information uses.
    pub fn externals(&self) -> impl Iterator<Item = (ReferentId, &str)> {
        self.parts.referents.iter().enumerate().filter_map(|(index, referent)| match referent {
            Referent::External(word) => Some((ReferentId::new(index), &*self.parts.words[*word as usize])),
            _ => None,
        })
    }

    pub fn special_registers(&self) -> impl Iterator<Item = ReferentId> {
        let referents = self.parts.referents.iter().enumerate();
        let special = referents.filter(|(_, referent)| matches!(referent, Referent::Special(_)));
        special.map(|(index, _)| ReferentId::new(index))
    }

    pub fn problems(&self) -> &[Problem] {
        &self.parts.problems
    }

    /// The heap memory in bytes, for measurements.
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

/// An instruction, as a view into its function.
#[derive(Clone, Copy)]
pub struct Instruction<'f> {
    function: &'f Function,
    id: InstructionId,
    data: &'f InstructionData,
}

impl<'f> Instruction<'f> {
    pub fn id(self) -> InstructionId {
        self.id
    }

    pub fn mnemonic_id(self) -> MnemonicId {
        self.data.mnemonic
    }

    pub fn mnemonic(self) -> &'f Mnemonic {
        self.function.mnemonic(self.data.mnemonic)
    }

    pub fn opcode(self) -> &'f str {
        &self.mnemonic().opcode
    }

    /// The modifiers without their dots.
    pub fn modifiers(self) -> &'f [SmolStr] {
        &self.mnemonic().modifiers
    }

    /// Whether the instruction has this modifier, given without its dot.
    pub fn has(self, modifier: &str) -> bool {
        self.mnemonic().has(modifier)
    }

    pub fn operands(self) -> &'f [Operand] {
        &self.function.parts.operands[self.data.operands()]
    }

    /// `@%p` or `@!%p`.
    pub fn guard(self) -> Option<Guard> {
        self.data.guard()
    }

    /// The range of the statement, from its guard or opcode to its semicolon.
    pub fn range(self) -> TextRange {
        self.data.range
    }

    pub fn opcode_range(self) -> TextRange {
        TextRange::at(self.data.opcode_start, TextSize::of(self.opcode()))
    }

    pub fn scope(self) -> ScopeId {
        self.function.scope_at(self.data.opcode_start)
    }
}

impl std::fmt::Debug for Instruction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?} {:?}", self.id, self.mnemonic(), self.operands())
    }
}

/// Iterates over the writes of a function; see [`Function::writes`].
#[derive(Debug, Clone)]
pub struct Writes<'f> {
    function: &'f Function,
    instruction: usize,
    name: usize,
}

/// Names and instructions are both in text order, so a single walk visits each once.
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
