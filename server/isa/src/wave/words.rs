//! Everything except instructions: directives, registers, scopes, cache hints, and invalid names that texts use.

use crate::generated::wave as tables;
use crate::wave::Availability;

/// A directive.
#[derive(Debug)]
pub struct Directive {
    /// Its name, with the dot.
    pub name: &'static str,
    /// Its arguments; `[x]` may be omitted. Empty for none.
    pub arguments: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// What one should know besides.
    pub notes: &'static [&'static str],
    /// A kernel that shows it.
    pub example: &'static str,
}

/// A special register.
#[derive(Debug)]
pub struct SpecialRegister {
    /// Its name.
    pub name: &'static str,
    /// Its number in the encoding.
    pub index: u8,
    /// Which assemblers have it.
    pub available: Availability,
    /// Whether all lanes of a wave read the same value.
    pub uniform: bool,
    /// What it holds, in a sentence.
    pub summary: &'static str,
    /// It at work.
    pub example: &'static str,
}

/// A class of registers.
#[derive(Debug)]
pub struct RegisterClass {
    /// Its name: general, half, predicate or special.
    pub name: &'static str,
    /// How its members are written.
    pub pattern: &'static str,
    /// How many bits a register has in each lane.
    pub bits: u8,
    /// The first register.
    pub first: &'static str,
    /// The last register.
    pub last: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// What one should know besides.
    pub notes: &'static [&'static str],
}

/// How far an atomic or a fence reaches.
#[derive(Debug)]
pub struct Scope {
    /// Its name, without a dot.
    pub name: &'static str,
    /// The threads in it, in a sentence.
    pub summary: &'static str,
}

/// A hint about caching.
#[derive(Debug)]
pub struct CacheHint {
    /// Its name, with the dot.
    pub name: &'static str,
    /// What it asks for, in a sentence.
    pub summary: &'static str,
}

/// A name from guides and web pages that no assembler accepts.
#[derive(Debug)]
pub struct InvalidName {
    /// The name.
    pub name: &'static str,
    /// The replacement; empty where there is none.
    pub write: &'static str,
    /// The origin of the name and what is wrong with it.
    pub why: &'static str,
}

/// A syntax that the toolchain rejects, or that has no meaning.
#[derive(Debug)]
pub struct Mistake {
    /// The written text.
    pub written: &'static str,
    /// The text that the toolchain accepts.
    pub toolchain: &'static str,
    /// Why.
    pub why: &'static str,
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
