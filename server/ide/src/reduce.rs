//! What can be removed from a kernel: the steps of a reduction, as edits. The caller decides whether the rest still shows the
//! problem for which it is reduced.

use text_size::TextRange;
use warplens_ide_db::TextEdit;

/// The parts of a kernel and its module that can be removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reducible {
    /// The other functions and the variables of the module.
    pub declarations: Vec<TextRange>,
    /// The statements that execute, in text order.
    pub statements: Vec<ReducibleStatement>,
    pub parameters: Vec<ReducibleParameter>,
    /// Removes unused declarations, labels and empty blocks, which execute nothing.
    pub unused: Vec<TextEdit>,
    /// Numbers the registers of each range from 1.
    pub renumbered: Vec<TextEdit>,
    pub notes: Vec<TextRange>,
    /// Registers that are read but never written.
    pub undefined: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReducibleStatement {
    /// The statement, with its guard and semicolon.
    pub range: TextRange,
    /// Whether it only writes registers that are never read.
    pub is_dead: bool,
    /// Whether it is a return at the end of the kernel, which has no effect.
    pub is_final: bool,
    /// Simpler kernels: without the statement and with another register instead of its result, or without its guard.
    pub alternatives: Vec<Alternative>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// Identifies the alternative among those of the statement, also after other edits: `%r1 -> %r2`.
    pub what: String,
    pub removes: bool,
    /// The edits, in text order.
    pub edits: Vec<TextEdit>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReducibleParameter {
    /// The text to remove, including one comma.
    pub range: TextRange,
    pub is_used: bool,
    /// Whether the kernel stores a value that it computes from the parameter itself. If the parameter is an address, that value
    /// depends on the location of the buffer.
    pub is_stored: bool,
}
