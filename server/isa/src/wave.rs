//! WAVE: instructions in both dialects, directives, registers, scopes, cache hints, and invalid names that texts use.
//!
//! The *guide* writes `icmp.lt p0, r0, 5`; the *toolchain* (the assemblers) writes `icmp_lt p0, r0, r1` and has fewer
//! conditions and operands. Both are first-class; an entry's `mnemonic` is that of the guide.

mod encoding;
mod instruction;
mod words;

pub use encoding::{Encoding, Group};
pub use instruction::{
    Availability, Instruction, Operand, OperandKind, Suffix, categories, instruction, instructions,
};
pub use words::{
    CacheHint, Directive, InvalidName, Mistake, RegisterClass, Scope, SpecialRegister, cache_hint,
    cache_hints, directive, directives, invalid_name, invalid_names, mistakes, register_classes, scope,
    scopes, special_register, special_registers,
};

#[cfg(test)]
mod tests;
