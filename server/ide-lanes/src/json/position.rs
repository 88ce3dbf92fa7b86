//! Positions in a text.

use schemars::JsonSchema;
use serde::Serialize;
use warplens_sim_warp::StatementId;

/// A position in a text; line and character start from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Position {
    pub line: u32,
    /// In the encoding of the request.
    pub character: u32,
}

/// The position of a statement's opcode; `None` if it was removed.
pub type Positions<'a> = &'a dyn Fn(StatementId) -> Option<Position>;
