//! What a run shows about statements besides lanes and registers.

use crate::ids::{StatementId, WarpId};

/// The most notes of a run.
pub const MAX_NOTES: usize = 1024;

/// A line of a note, and what it adds for particular statements.
pub type NoteLine = (String, Vec<(StatementId, String)>);

/// A note about some statements, for a warp or for all warps of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub statements: Vec<StatementId>,
    pub cta: [u32; 3],
    /// The warp in the block; `None` for all warps.
    pub warp: Option<u32>,
    /// A sentence in Markdown.
    pub title: String,
    /// A text grid shown below the title; empty if there is none.
    pub grid: String,
    /// Further lines.
    pub lines: Vec<NoteLine>,
}

impl Note {
    /// Whether the note concerns a statement of this warp.
    pub fn is_about(&self, statement: StatementId, warp: WarpId) -> bool {
        self.cta == warp.cta
            && self.warp.is_none_or(|number| number == warp.warp)
            && self.statements.contains(&statement)
    }
}
