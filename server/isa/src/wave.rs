//! WAVE: instructions in both spellings, directives, registers, scopes, cache hints, and what is written for them elsewhere.
//!
//! The *guide* writes `icmp.lt p0, r0, 5`; the *toolchain* (the assemblers) writes `icmp_lt p0, r0, r1` and knows fewer
//! conditions and operands. Both are first-class; an entry's `mnemonic` is the guide's spelling.

mod encoding;
mod instruction;
mod words;

pub use encoding::{Encoding, Group};
pub use instruction::{
    Availability, Instruction, Operand, OperandKind, Suffix, categories, instruction, instructions,
};
pub use words::{
    CacheHint, Directive, Mistake, RegisterClass, Scope, SpecialRegister, Spelling, cache_hint, cache_hints,
    directive, directives, mistakes, register_classes, scope, scopes, special_register, special_registers,
    spelling, spellings,
};

#[cfg(test)]
mod tests;
