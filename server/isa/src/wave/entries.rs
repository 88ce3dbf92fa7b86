//! Entries of WAVE by name.

use crate::generated::wave as tables;
use crate::schema::wave::{
    CacheHint, Directive, Instruction, InvalidName, Mistake, Operand, RegisterClass, Scope, SpecialRegister,
};
use crate::{Category, List};

accessors! {
    shared Operand = OPERAND;
    /// The groups.
    categories: all Category = CATEGORIES;
    /// All directives.
    directives: all Directive = DIRECTIVES;
    /// The directive of this name, written with its dot.
    directive: Directive = DIRECTIVE_NAMES in DIRECTIVES;
    /// All special registers, in the order of their encoding.
    special_registers: all SpecialRegister = SPECIAL_REGISTERS;
    /// The special register of this name.
    special_register: SpecialRegister = SPECIAL_REGISTER_NAMES in SPECIAL_REGISTERS;
    /// The classes of registers.
    register_classes: all RegisterClass = REGISTER_CLASSES;
    /// All scopes, from near to far.
    scopes: all Scope = SCOPES;
    /// All cache hints.
    cache_hints: all CacheHint = CACHE_HINTS;
    /// The cache hint of this name, written with its dot.
    cache_hint: CacheHint = CACHE_HINT_NAMES in CACHE_HINTS;
    /// All invalid names.
    invalid_names: all InvalidName = INVALID_NAMES;
    /// The entry of an invalid name.
    invalid_name: InvalidName = INVALID_NAME_NAMES in INVALID_NAMES;
    /// Syntax that the toolchain rejects, or that has no meaning.
    mistakes: all Mistake = MISTAKES;
}

impl Instruction {
    /// The operands in the dialect of the written mnemonic.
    pub fn operands_of(&self, mnemonic: &str) -> List<Operand> {
        if self.mnemonic == mnemonic { self.operands } else { self.toolchain_operands }
    }
}

/// All instructions, grouped by category.
pub fn instructions() -> impl ExactSizeIterator<Item = &'static Instruction> + Clone {
    tables::INSTRUCTIONS.iter().copied()
}

/// The instruction with this mnemonic, in either dialect.
pub fn instruction(mnemonic: &str) -> Option<&'static Instruction> {
    named_instruction(mnemonic).map(|(_, entry)| entry)
}

/// The same with the mnemonic as the tables have it.
pub fn named_instruction(mnemonic: &str) -> Option<(&'static str, &'static Instruction)> {
    tables::MNEMONICS.find(mnemonic).map(|(name, index)| (name, tables::INSTRUCTIONS[index]))
}

/// The scope of this name, with or without a dot.
pub fn scope(name: &str) -> Option<&'static Scope> {
    tables::SCOPE_NAMES.get(name.strip_prefix('.').unwrap_or(name)).map(|index| &tables::SCOPES[index])
}
