//! What entries of both instruction sets have in common.

/// What the simulator does with an instruction. A test in `sim` holds it to this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simulation {
    /// Its effect is computed.
    Simulated,
    /// Its effect is computed, except that of the forms given here.
    Partly(&'static str),
    /// It is accepted and has no effect, for the reason given.
    NoOp(&'static str),
    /// A run stops at it and names it, for the reason given.
    Unsupported(&'static str),
}

/// What an instruction does with the registers of an operand. Registers inside an address are read, whatever the role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Reads them.
    Read,
    /// Writes them; an address with this role says where memory is written.
    Write,
    /// Reads, then writes them.
    Both,
}

impl Role {
    /// Whether the operand is read.
    pub const fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Both)
    }

    /// Whether the operand is written.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Both)
    }
}

/// A group of instructions that belong together.
#[derive(Debug, PartialEq, Eq)]
pub struct Category {
    /// Its short name, also that of its data file.
    pub id: &'static str,
    /// Its title.
    pub title: &'static str,
    /// What its instructions do, in a sentence.
    pub about: &'static str,
    /// Whether a register operand may name a part of the register: `.b0`, `.h1`.
    pub selectors: bool,
}
