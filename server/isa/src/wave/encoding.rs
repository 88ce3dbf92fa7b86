//! How toolchain 0.1.2 encodes an instruction: the numbers in its first word, and whether there is a second.

/// The numbers of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Encoding {
    /// The opcode; several instructions may share one.
    pub opcode: u8,
    /// Which of the instructions with this opcode.
    pub group: Group,
    /// Which of the group; `None` where the field means nothing, or where the assembler leaves it 0 though it should not.
    pub modifier: Option<u8>,
    /// Whether a second word follows.
    pub wide: bool,
}

/// What the flags of the first word choose among the instructions that share the opcode of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// No flag: control, and everything with an opcode of its own.
    Plain,
    /// Bit 0: what ends, waits and orders.
    Sync,
    /// Bit 1: moves.
    Move,
}
