//! Positions in the source that a function was compiled from.

use super::ids::InstructionId;

/// A position in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourcePosition {
    /// The number of its `.file` directive.
    pub file: u64,
    /// The line, from 1.
    pub line: u64,
    /// The column.
    pub column: u64,
}

/// `.loc`: the source position of the instructions after it, up to the next `.loc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLocation {
    /// The first instruction after it; the number of instructions where none follows.
    pub first: InstructionId,
    /// The position.
    pub position: SourcePosition,
    /// The position of the call, for code of an inlined function.
    pub inlined_at: Option<SourcePosition>,
}
