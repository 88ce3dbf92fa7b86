//! Directives and the strings of `.pragma`.

use crate::Version;
use crate::generated::ptx as tables;
use crate::ptx::{Requirement, Status, TargetRequirement};

/// A directive.
#[derive(Debug)]
pub struct Directive {
    /// Its name, with the dot (`@@DWARF` has none).
    pub name: &'static str,
    /// The group it belongs to: module, function, control-flow, performance, cluster, debug, linking or state-space.
    pub group: &'static str,
    /// Its section in the public description of PTX 9.4.
    pub section: &'static str,
    /// Its forms; `{x}` is optional.
    pub syntax: &'static [&'static str],
    /// Where it is allowed.
    pub places: &'static [&'static str],
    /// The directives that it requires.
    pub requires: &'static [&'static str],
    /// The directives that it excludes.
    pub conflicts: &'static [&'static str],
    /// The effect of a missing requirement.
    pub missing_requirement: MissingRequirement,
    /// What the assembler demands of a module with it.
    pub requirement: Requirement,
    /// The first version that rejects it.
    pub until: Option<Version>,
    /// The items that have it between their parameters and their body; empty for a directive of another place.
    pub holders: &'static [Holder],
    /// How many numbers it takes there, at least and at most.
    pub values: (u8, u8),
    /// Whether these may be zero.
    pub zero: bool,
    /// The first version that has it.
    pub since: Version,
    /// Which of its forms were added later, in prose; often empty.
    pub since_note: &'static str,
    /// The targets it needs, in prose.
    pub target: &'static str,
    /// Whether it is still to be used.
    pub status: Status,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// What one should know besides.
    pub notes: &'static [&'static str],
    /// A whole module that shows it.
    pub example: &'static str,
}

impl Directive {
    /// The values of the fields that a table omits.
    pub(crate) const EMPTY: Self = Self {
        name: "",
        group: "",
        section: "",
        syntax: &[],
        places: &[],
        requires: &[],
        conflicts: &[],
        missing_requirement: MissingRequirement::Rejected,
        requirement: Requirement { since: Version::new(1, 0), target: TargetRequirement::Any },
        until: None,
        holders: &[],
        values: (0, 0),
        zero: false,
        since: Version::new(1, 0),
        since_note: "",
        target: "",
        status: Status::Current,
        summary: "",
        notes: &[],
        example: "",
    };
}

/// The effect of a directive without another one that it requires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingRequirement {
    /// The assembler rejects it.
    Rejected,
    /// The assembler ignores it.
    Ignored,
}

/// An item with directives between its parameters and its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// A kernel.
    Entry,
    /// A function.
    Func,
    /// A `.callprototype`.
    Prototype,
}

/// A part of a directive that was added later than the directive.
#[derive(Debug)]
pub struct Feature {
    /// What it is, in the middle of a sentence.
    pub what: &'static str,
    /// What the assembler demands of a module with it.
    pub requirement: Requirement,
}

/// A string that `.pragma` takes.
#[derive(Debug)]
pub struct Pragma {
    /// The first word of the string.
    pub name: &'static str,
    /// What follows the word inside the string; often empty.
    pub arguments: &'static str,
    /// Where it is allowed.
    pub places: &'static [&'static str],
    /// The first version that has it.
    pub since: Version,
    /// The targets it needs, in prose.
    pub target: &'static str,
    /// What it does, in a sentence.
    pub summary: &'static str,
    /// The directive with this string.
    pub example: &'static str,
}

/// All directives.
pub fn directives() -> &'static [Directive] {
    &tables::DIRECTIVES
}

/// The directive of this name, written with its dot.
pub fn directive(name: &str) -> Option<&'static Directive> {
    tables::DIRECTIVE_NAMES.get(name).map(|index| &tables::DIRECTIVES[index])
}

/// The part of a directive with this name in the data.
pub fn feature(name: &str) -> Option<&'static Feature> {
    tables::FEATURE_NAMES.get(name).map(|index| &tables::FEATURES[index])
}

/// All pragmas.
pub fn pragmas() -> &'static [Pragma] {
    &tables::PRAGMAS
}

/// The pragma whose string begins with this word.
pub fn pragma(name: &str) -> Option<&'static Pragma> {
    tables::PRAGMA_NAMES.get(name).map(|index| &tables::PRAGMAS[index])
}
