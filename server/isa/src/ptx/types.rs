//! Types and state spaces.

use crate::Version;
use crate::generated::ptx as tables;

/// A type.
#[derive(Debug)]
pub struct Type {
    /// Its name, with the dot.
    pub name: &'static str,
    /// What its bits mean.
    pub kind: TypeKind,
    /// How many bits a value has, all elements together.
    pub bits: u8,
    /// How many elements are packed in a value.
    pub elements: u8,
    /// For a type that only instructions name, the type of the register that holds it.
    pub storage: Option<&'static str>,
    /// The types of the registers that hold a value of it, with their dots.
    pub registers: &'static [&'static str],
    /// The first version that has it.
    pub since: Version,
    /// The targets it needs, in prose.
    pub target: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
}

/// What the bits of a type mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKind {
    /// An unsigned integer.
    Unsigned,
    /// A signed integer.
    Signed,
    /// A floating-point number.
    Float,
    /// Nothing in particular.
    Bits,
    /// True or false.
    Predicate,
    /// A handle that only some instructions understand.
    Opaque,
}

/// A state space.
#[derive(Debug)]
pub struct StateSpace {
    /// Its name, with the dot.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
    /// Where its variables are declared.
    pub declared: &'static str,
    /// What its variables hold at the start.
    pub initial: &'static str,
    /// Whether its variables have addresses.
    pub addressable: bool,
    /// Whether a kernel may write it.
    pub writable: bool,
    /// Whether a declaration may have an initialiser.
    pub initialisers: bool,
    /// The parts that an instruction can name.
    pub parts: &'static [SpacePart],
}

/// A part of a state space that an instruction can name: `.shared::cluster`.
#[derive(Debug)]
pub struct SpacePart {
    /// Its name, with the dot.
    pub name: &'static str,
    /// What it is, in a sentence.
    pub summary: &'static str,
}

/// All types.
pub fn types() -> &'static [Type] {
    &tables::TYPES
}

/// The type of this name, written with its dot.
pub fn type_(name: &str) -> Option<&'static Type> {
    tables::TYPE_NAMES.get(name).map(|index| &tables::TYPES[index])
}

/// All state spaces.
pub fn state_spaces() -> &'static [StateSpace] {
    &tables::STATE_SPACES
}

/// The state space of this name, written with its dot; a part is found under its space.
pub fn state_space(name: &str) -> Option<&'static StateSpace> {
    tables::STATE_SPACE_NAMES.get(name).map(|index| &tables::STATE_SPACES[index])
}
