//! The control flow of a decoded kernel, in terms that do not depend on its language.

use crate::ids::StatementId;

/// Where the lanes of a warp may branch and wait.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlFlow {
    /// Statements that start a block although no other statement here leads to them: functions, reconvergence points.
    pub starts: Vec<StatementId>,
    /// The statements after which lanes may continue elsewhere, in ascending order.
    pub ends: Vec<BlockEnd>,
    /// The statements that wait for other warps, in ascending order.
    pub barriers: Vec<StatementId>,
}

/// A statement that ends a basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockEnd {
    pub statement: StatementId,
    pub targets: Vec<StatementId>,
    /// Whether lanes may fall through to the next statement.
    pub continues: bool,
    /// Whether it has two sides: one for the lanes that execute it, and one for the other active lanes.
    pub has_sides: bool,
}
