//! Directives and the strings of `.pragma`.

use crate::Version;
use crate::generated::ptx as tables;
use crate::ptx::Status;

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
    /// Where it may stand.
    pub places: &'static [&'static str],
    /// What must be there too.
    pub requires: &'static [&'static str],
    /// What may not be there too.
    pub conflicts: &'static [&'static str],
    /// The first version that has it.
    pub since: Version,
    /// Which of its forms came later, in prose; often empty.
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

/// A string that `.pragma` takes.
#[derive(Debug)]
pub struct Pragma {
    /// The first word of the string.
    pub name: &'static str,
    /// What follows the word inside the string; often empty.
    pub arguments: &'static str,
    /// Where it may stand.
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
    tables::DIRECTIVE_NAMES.get(name).copied()
}

/// All pragmas.
pub fn pragmas() -> &'static [Pragma] {
    &tables::PRAGMAS
}

/// The pragma whose string begins with this word.
pub fn pragma(name: &str) -> Option<&'static Pragma> {
    tables::PRAGMA_NAMES.get(name).copied()
}
