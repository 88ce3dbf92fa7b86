//! Directives, special registers, types, state spaces and targets by name.

use crate::generated::ptx as tables;
use crate::schema::ptx_module::{
    Directive, Feature, Pragma, Release, SpecialRegister, StateSpace, Target, TargetOption, Type,
};

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

impl SpecialRegister {
    /// Whether it is read component by component.
    pub const fn is_vector(&self) -> bool {
        !self.components.is_empty()
    }
}

/// All entries: one for a register or a numbered family.
pub fn special_registers() -> &'static [SpecialRegister] {
    &tables::SPECIAL_REGISTERS
}

/// All names that a program can write, in alphabetical order.
pub fn special_register_names() -> &'static [&'static str] {
    tables::SPECIAL_REGISTER_LIST
}

/// The entry of a name as written (`%tid`, `%pm3`, `WARP_SZ`), without a component.
pub fn special_register(name: &str) -> Option<&'static SpecialRegister> {
    tables::SPECIAL_REGISTER_NAMES.get(name).map(|index| &tables::SPECIAL_REGISTERS[index])
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
