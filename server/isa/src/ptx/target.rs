//! What `.target` and `.version` may name.

use crate::Version;
use crate::generated::ptx as tables;

/// An architecture.
#[derive(Debug)]
pub struct Target {
    /// Its name: `sm_90a`.
    pub name: &'static str,
    /// Its number: 90.
    pub number: u16,
    /// The first version that may name it.
    pub since: Version,
    /// What its generation is called; empty where that is not known.
    pub generation: &'static str,
    /// The first number of its family, for targets that belong to one.
    pub family: Option<u16>,
    /// What one should know besides; often empty.
    pub note: &'static str,
}

/// A word that may follow the architecture.
#[derive(Debug)]
pub struct TargetOption {
    /// The word.
    pub name: &'static str,
    /// The first version that has it.
    pub since: Version,
    /// What it does, in a sentence.
    pub summary: &'static str,
}

/// A version of PTX.
#[derive(Debug)]
pub struct Release {
    /// Its number.
    pub version: Version,
    /// The toolkit that brought it; empty where there was none.
    pub toolkit: &'static str,
    /// What one should know besides; often empty.
    pub note: &'static str,
}

/// All architectures, by number.
pub fn targets() -> &'static [Target] {
    &tables::TARGETS
}

/// The architecture of this name; `compute_NN` means the same as `sm_NN`.
pub fn target(name: &str) -> Option<&'static Target> {
    tables::TARGET_NAMES.get(name).copied()
}

/// The words that may follow the architecture.
pub fn target_options() -> &'static [TargetOption] {
    &tables::TARGET_OPTIONS
}

/// All versions, oldest first.
pub fn versions() -> &'static [Release] {
    &tables::VERSIONS
}
