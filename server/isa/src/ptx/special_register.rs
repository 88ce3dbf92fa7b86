//! Special registers, and the constant `WARP_SZ` that is listed with them.

use crate::Version;
use crate::generated::ptx as tables;
use crate::ptx::Example;

/// A special register, or a numbered family of them.
#[derive(Debug)]
pub struct SpecialRegister {
    /// Its name; a family shows its count in angle brackets: `%pm<8>`.
    pub name: &'static str,
    /// The names that a program writes.
    pub names: &'static [&'static str],
    /// Its section in the public description of PTX 9.4.
    pub section: &'static str,
    /// Its type, without the dot; `WARP_SZ` is an `integer constant`.
    pub ty: &'static str,
    /// How many bits it has (a component, where it is a vector).
    pub bits: u8,
    /// Its components, without the dot; empty for a scalar.
    pub components: &'static [&'static str],
    /// The threads that read the same value.
    pub scope: Scope,
    /// The first version that has it.
    pub since: Version,
    /// Which of its names or types were added later, in prose; often empty.
    pub since_note: &'static str,
    /// The targets it needs, in prose.
    pub target: &'static str,
    /// What it holds, in a sentence.
    pub summary: &'static str,
    /// Which values it can have.
    pub range: &'static str,
    /// What it reads as in the simulator.
    pub simulator: &'static str,
    /// What one should know besides.
    pub notes: &'static [&'static str],
    /// Statements, or a module, that read it.
    pub example: Example,
}

impl SpecialRegister {
    /// The values of the fields that a table omits.
    pub(crate) const EMPTY: Self = Self {
        name: "",
        names: &[],
        section: "",
        ty: "",
        bits: 0,
        components: &[],
        scope: Scope::Thread,
        since: Version::new(1, 0),
        since_note: "",
        target: "",
        summary: "",
        range: "",
        simulator: "",
        notes: &[],
        example: Example::EMPTY,
    };

    /// Whether it is read component by component.
    pub const fn is_vector(&self) -> bool {
        !self.components.is_empty()
    }
}

/// The threads that read the same value from a special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Only the thread itself.
    Thread,
    /// The threads of a warp.
    Warp,
    /// The threads of a CTA.
    Cta,
    /// The threads of a cluster.
    Cluster,
    /// All threads of a launch.
    Grid,
    /// It depends on the device, not on the program.
    Device,
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
