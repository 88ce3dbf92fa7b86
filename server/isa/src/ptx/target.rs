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
    /// What its multiprocessors hold, where that is known.
    pub limits: Option<&'static Limits>,
}

/// What a multiprocessor (SM) of a chip holds. Sizes are in bytes.
#[derive(Debug)]
pub struct Limits {
    /// Threads of a CTA.
    pub threads_per_cta: u32,
    /// Warps at a time.
    pub warps_per_sm: u32,
    /// CTAs at a time.
    pub ctas_per_sm: u32,
    /// 32-bit registers.
    pub registers_per_sm: u32,
    /// Registers of a CTA.
    pub registers_per_cta: u32,
    /// Registers of a thread.
    pub registers_per_thread: u32,
    /// A warp is given registers in multiples of this.
    pub register_unit: u32,
    /// Shared memory.
    pub shared_per_sm: u32,
    /// Shared memory that a CTA can ask for.
    pub shared_per_cta: u32,
    /// Shared memory of each CTA that the system takes.
    pub shared_reserved: u32,
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

/// The architecture of this name; `compute_NN` means the same as `sm_NN`. Like the assembler it reads a number and an `a` or
/// `f` after it, and ignores the rest of the word.
pub fn target(name: &str) -> Option<&'static Target> {
    let exact = tables::TARGET_NAMES.get(name).map(|index| &tables::TARGETS[index]);
    exact.or_else(|| tables::TARGET_NAMES.get(&as_read(name)?).map(|index| &tables::TARGETS[index]))
}

/// `sm_090x` as the assembler reads it: `sm_90`.
fn as_read(name: &str) -> Option<String> {
    let (family, rest) = name.split_at_checked(name.find('_')? + 1)?;
    let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (number, suffix) = rest.split_at(digits);
    let suffix = suffix.get(..1).filter(|suffix| matches!(*suffix, "a" | "f")).unwrap_or("");
    Some(format!("{family}{}{suffix}", number.trim_start_matches('0')))
}

/// The words that may follow the architecture.
pub fn target_options() -> &'static [TargetOption] {
    &tables::TARGET_OPTIONS
}

/// All versions, oldest first.
pub fn versions() -> &'static [Release] {
    &tables::VERSIONS
}
