//! Entries of WAVE by name.

use crate::generated::wave as tables;
use crate::schema::wave::{
    CacheHint, Directive, Instruction, InvalidName, Mistake, Operand, RegisterClass, Scope, SpecialRegister,
};
use crate::{Category, List, Shared};

impl Shared for Operand {
    const TABLE: &'static [Self] = &tables::OPERAND;
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

/// The groups.
pub fn categories() -> &'static [Category] {
    &tables::CATEGORIES
}

/// The instruction with this mnemonic, in either dialect.
pub fn instruction(mnemonic: &str) -> Option<&'static Instruction> {
    tables::MNEMONICS.get(mnemonic).map(|index| tables::INSTRUCTIONS[index])
}

/// All directives.
pub fn directives() -> &'static [Directive] {
    &tables::DIRECTIVES
}

/// The directive of this name, written with its dot.
pub fn directive(name: &str) -> Option<&'static Directive> {
    tables::DIRECTIVE_NAMES.get(name).map(|index| &tables::DIRECTIVES[index])
}

/// All special registers, in the order of their encoding.
pub fn special_registers() -> &'static [SpecialRegister] {
    &tables::SPECIAL_REGISTERS
}

/// The special register of this name.
pub fn special_register(name: &str) -> Option<&'static SpecialRegister> {
    tables::SPECIAL_REGISTER_NAMES.get(name).map(|index| &tables::SPECIAL_REGISTERS[index])
}

/// The classes of registers.
pub fn register_classes() -> &'static [RegisterClass] {
    &tables::REGISTER_CLASSES
}

/// All scopes, from near to far.
pub fn scopes() -> &'static [Scope] {
    &tables::SCOPES
}

/// The scope of this name, with or without a dot.
pub fn scope(name: &str) -> Option<&'static Scope> {
    tables::SCOPE_NAMES.get(name.strip_prefix('.').unwrap_or(name)).map(|index| &tables::SCOPES[index])
}

/// All cache hints.
pub fn cache_hints() -> &'static [CacheHint] {
    &tables::CACHE_HINTS
}

/// The cache hint of this name, written with its dot.
pub fn cache_hint(name: &str) -> Option<&'static CacheHint> {
    tables::CACHE_HINT_NAMES.get(name).map(|index| &tables::CACHE_HINTS[index])
}

/// All invalid names.
pub fn invalid_names() -> &'static [InvalidName] {
    &tables::INVALID_NAMES
}

/// The entry of an invalid name.
pub fn invalid_name(word: &str) -> Option<&'static InvalidName> {
    tables::INVALID_NAME_NAMES.get(word).map(|index| &tables::INVALID_NAMES[index])
}

/// Syntax that the toolchain rejects, or that has no meaning.
pub fn mistakes() -> &'static [Mistake] {
    &tables::MISTAKES
}
