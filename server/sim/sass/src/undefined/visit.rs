//! Visits of statements, whose undefined values are followed.

use warplens_sim_warp::trace::WarpId;

use crate::program::{Operation, Program};

/// A statement that lanes of a warp execute.
#[derive(Clone, Copy)]
pub(crate) struct UndefinedVisit<'a> {
    pub(crate) program: &'a Program,
    pub(crate) warp: WarpId,
    pub(crate) statement: u32,
    /// The lanes of the path.
    pub(crate) active: u32,
    /// The lanes that execute the statement.
    pub(crate) executed: u32,
    /// The lanes in which registers are written: all lanes for a uniform operation.
    pub(crate) written: u32,
}

impl<'a> UndefinedVisit<'a> {
    pub(super) fn operation(&self) -> &'a Operation {
        &self.program.code[self.statement as usize]
    }
}
