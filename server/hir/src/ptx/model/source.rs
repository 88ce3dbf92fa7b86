//! Positions in the source that a function was compiled from.

use super::ids::InstructionId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SourcePosition {
    /// The number in the `.file` directive.
    pub file: u64,
    /// The line, counted from 1.
    pub line: u64,
    pub column: u64,
}

/// `.loc`: the source position of the instructions after it, up to the next `.loc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceLocation {
    /// The first instruction after the directive. If none follows, the number of instructions.
    pub first: InstructionId,
    pub position: SourcePosition,
    pub inlined_at: Option<SourcePosition>,
}
