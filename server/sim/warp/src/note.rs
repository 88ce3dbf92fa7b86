//! What a run shows about statements besides their lanes and registers.

use crate::ids::{StatementId, WarpId};

/// The most notes of a run.
pub const MAX_NOTES: usize = 1024;

/// A line of a note, with what statements add to it.
pub type NoteLine = (String, Vec<(StatementId, String)>);

/// A note about some statements, for a warp or for all warps of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The statements that it is about.
    pub statements: Vec<StatementId>,
    /// The block.
    pub cta: [u32; 3],
    /// The warp in the block; `None` for all of them.
    pub warp: Option<u32>,
    /// A sentence, in Markdown.
    pub title: String,
    /// A grid of text below it; empty if there is none.
    pub grid: String,
    /// Further lines.
    pub lines: Vec<NoteLine>,
}

impl Note {
    /// Whether it is about a statement that a warp executes.
    pub fn is_about(&self, statement: StatementId, warp: WarpId) -> bool {
        self.cta == warp.cta
            && self.warp.is_none_or(|number| number == warp.warp)
            && self.statements.contains(&statement)
    }
}
