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

/// A comment around the text of an inline assembly, as LLVM and NVVM print it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InlineAssembly {
    Begin,
    End,
}

impl InlineAssembly {
    pub fn of_comment(text: &str) -> Option<InlineAssembly> {
        match text.trim_start_matches('/').trim() {
            "begin inline asm" => Some(InlineAssembly::Begin),
            "end inline asm" => Some(InlineAssembly::End),
            _ => None,
        }
    }
}
