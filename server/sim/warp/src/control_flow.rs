//! The control flow of a decoded kernel, as callers need it that know no language.

use crate::ids::StatementId;

/// Where the groups of a warp may go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlFlow {
    /// The statements at which blocks start although no other statement of this list leads there: functions, joins.
    pub starts: Vec<StatementId>,
    /// The statements after which lanes may continue elsewhere, in ascending order.
    pub ends: Vec<BlockEnd>,
    /// The statements that wait for other warps, in ascending order.
    pub barriers: Vec<StatementId>,
}

/// A statement that ends a basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockEnd {
    /// The statement.
    pub statement: StatementId,
    /// The statements to which lanes jump.
    pub targets: Vec<StatementId>,
    /// Whether lanes may continue with the next statement.
    pub continues: bool,
}
