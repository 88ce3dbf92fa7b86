//! Directives, special registers, types, state spaces and targets by name.

use crate::generated::ptx as tables;
use crate::schema::ptx_module::{
    CudaName, Directive, Feature, Pragma, Release, SpecialRegister, StateSpace, Target, TargetOption, Type,
};

accessors! {
    directives: all Directive = DIRECTIVES;
    /// The directive with this name, written with its dot.
    directive: Directive = DIRECTIVE_NAMES in DIRECTIVES;
    /// The feature of a directive that the data calls by this name.
    feature: Feature = FEATURE_NAMES in FEATURES;
    /// The name of a function or variable in CUDA C++.
    cuda_name: CudaName = CUDA_NAME_NAMES in CUDA_NAMES;
    pragmas: all Pragma = PRAGMAS;
    /// The pragma whose string starts with this word.
    pragma: Pragma = PRAGMA_NAMES in PRAGMAS;
    /// All entries. A numbered family of registers is one entry.
    special_registers: all SpecialRegister = SPECIAL_REGISTERS;
    /// The entry of a name as a program writes it (`%tid`, `%pm3`, `WARP_SZ`), without a component.
    special_register: SpecialRegister = SPECIAL_REGISTER_NAMES in SPECIAL_REGISTERS;
    types: all Type = TYPES;
    /// The type with this name, written with its dot.
    type_: Type = TYPE_NAMES in TYPES;
    state_spaces: all StateSpace = STATE_SPACES;
    /// The state space with this name, written with its dot. A part, such as `.shared::cluster`, finds its
    /// space.
    state_space: StateSpace = STATE_SPACE_NAMES in STATE_SPACES;
    /// All architectures, in the order of their numbers.
    targets: all Target = TARGETS;
    /// The words that may follow the architecture.
    target_options: all TargetOption = TARGET_OPTIONS;
    /// All versions, oldest first.
    versions: all Release = VERSIONS;
}

impl SpecialRegister {
    /// Whether the register is read by component.
    pub const fn is_vector(&self) -> bool {
        !self.components.is_empty()
    }
}

/// All register names that a program can write, in alphabetical order.
pub fn special_register_names() -> &'static [&'static str] {
    tables::SPECIAL_REGISTER_LIST
}

/// The architecture with this name; `compute_NN` is `sm_NN`. Like the assembler, this reads a number and an `a` or `f` after
/// it, and ignores the rest of the word.
pub fn target(name: &str) -> Option<&'static Target> {
    let exact = tables::TARGET_NAMES.get(name).map(|index| &tables::TARGETS[index]);
    exact.or_else(|| tables::TARGET_NAMES.get(&as_read(name)?).map(|index| &tables::TARGETS[index]))
}

/// The target of this chip without `a` or `f`, such as 90.
pub fn chip(number: u16) -> Option<&'static Target> {
    targets().iter().find(|target| target.number == number)
}

/// The part of a target that the assembler reads: `sm_90` of `sm_090x`.
fn as_read(name: &str) -> Option<String> {
    let (family, rest) = name.split_at_checked(name.find('_')? + 1)?;
    let digits = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_digit()).len();
    let (number, suffix) = rest.split_at(digits);
    let suffix = suffix.get(..1).filter(|suffix| matches!(*suffix, "a" | "f")).unwrap_or("");
    Some(format!("{family}{}{suffix}", number.trim_start_matches('0')))
}
