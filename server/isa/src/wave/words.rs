//! Everything that is no instruction: directives, registers, scopes, cache hints, and spellings that mean nothing.

use crate::generated::wave as tables;
use crate::wave::Availability;

/// A directive.
#[derive(Debug)]
pub struct Directive {
    /// Its name, with the dot.
    pub name: &'static str,
    /// Its arguments; `[x]` may be left out. Empty for none.
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
    /// Who is in it, in a sentence.
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

/// A word that circulates and means nothing.
#[derive(Debug)]
pub struct Spelling {
    /// The word.
    pub name: &'static str,
    /// What to write instead; empty where nothing does it.
    pub write: &'static str,
    /// Where the word comes from and what is wrong with it.
    pub why: &'static str,
}

/// A way of writing that the toolchain refuses, or that means nothing.
#[derive(Debug)]
pub struct Mistake {
    /// What is written.
    pub written: &'static str,
    /// What the toolchain wants.
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

/// All words that circulate and mean nothing.
pub fn spellings() -> &'static [Spelling] {
    &tables::SPELLINGS
}

/// What is known of a word that circulates and means nothing.
pub fn spelling(word: &str) -> Option<&'static Spelling> {
    tables::SPELLING_NAMES.get(word).map(|index| &tables::SPELLINGS[index])
}

/// Ways of writing that the toolchain refuses, or that mean nothing.
pub fn mistakes() -> &'static [Mistake] {
    &tables::MISTAKES
}
