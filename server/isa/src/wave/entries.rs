//! Entries of WAVE by name.

use crate::generated::wave as tables;
use crate::schema::wave::{
    CacheHint, Directive, Instruction, InvalidName, Mistake, Operand, RegisterClass, Scope, SpecialRegister,
};
use crate::{Category, List};

accessors! {
    shared Operand = OPERAND;
    categories: all Category = CATEGORIES;
    directives: all Directive = DIRECTIVES;
    /// The directive with this name, written with its dot.
    directive: Directive = DIRECTIVE_NAMES in DIRECTIVES;
    /// All special registers, in encoding order.
    special_registers: all SpecialRegister = SPECIAL_REGISTERS;
    special_register: SpecialRegister = SPECIAL_REGISTER_NAMES in SPECIAL_REGISTERS;
    register_classes: all RegisterClass = REGISTER_CLASSES;
    /// All scopes, from the smallest to the largest.
    scopes: all Scope = SCOPES;
    cache_hints: all CacheHint = CACHE_HINTS;
    /// The cache hint with this name, written with its dot.
    cache_hint: CacheHint = CACHE_HINT_NAMES in CACHE_HINTS;
    invalid_names: all InvalidName = INVALID_NAMES;
    invalid_name: InvalidName = INVALID_NAME_NAMES in INVALID_NAMES;
    /// All syntax that the toolchain rejects, or that has no meaning.
    mistakes: all Mistake = MISTAKES;
}

impl Instruction {
    /// The operands in the dialect of this mnemonic.
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

/// Like [`instruction`], but also returns the mnemonic as the tables store it.
pub fn named_instruction(mnemonic: &str) -> Option<(&'static str, &'static Instruction)> {
    tables::MNEMONICS.find(mnemonic).map(|(name, index)| (name, tables::INSTRUCTIONS[index]))
}

/// The scope with this name, with or without a dot.
pub fn scope(name: &str) -> Option<&'static Scope> {
    tables::SCOPE_NAMES.get(name.strip_prefix('.').unwrap_or(name)).map(|index| &tables::SCOPES[index])
}
