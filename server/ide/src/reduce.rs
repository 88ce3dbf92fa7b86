//! What can be removed from a kernel: the steps of a reduction, as edits. Whether the rest still shows what it is reduced for is the
//! caller's decision.

use text_size::TextRange;
use warplens_ide_db::TextEdit;

/// The parts of a kernel and its module that can be removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reducible {
    /// The other functions and the variables of the module.
    pub declarations: Vec<TextRange>,
    /// The statements that execute, in the order of the text.
    pub statements: Vec<ReducibleStatement>,
    /// The parameters of the kernel.
    pub parameters: Vec<ReducibleParameter>,
    /// Removes what executes nothing and is not used: declarations, labels, empty blocks.
    pub unused: Vec<TextEdit>,
    /// Numbers the registers of each range from 1 on.
    pub renumbered: Vec<TextEdit>,
    /// Comments and debug information.
    pub notes: Vec<TextRange>,
    /// Registers that are read and never written.
    pub undefined: Vec<String>,
}

/// A statement that executes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReducibleStatement {
    /// The statement with its guard and semicolon.
    pub range: TextRange,
    /// Whether it only writes registers, and none of them is read.
    pub is_dead: bool,
    /// Whether it is a return at the end of the kernel, which has no effect.
    pub is_final: bool,
    /// Simpler kernels, each with its edits: without the statement and with another register instead of its result, or without
    /// its guard.
    pub alternatives: Vec<Alternative>,
}

/// A simpler kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// Identifies the alternative in a kernel with the same statement: `%r1 -> %r2`.
    pub what: String,
    /// Whether the statement is removed.
    pub removes: bool,
    /// The edits, in the order of the text.
    pub edits: Vec<TextEdit>,
}

/// A parameter of the kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReducibleParameter {
    /// The text to remove, with one comma.
    pub range: TextRange,
    /// Whether the kernel names it.
    pub is_used: bool,
    /// Whether the kernel stores a value that it computes from the parameter itself. If that is an address, the value depends on
    /// where the buffer is.
    pub is_stored: bool,
}
