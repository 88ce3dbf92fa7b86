//! How much of a kernel a run reached.

use schemars::JsonSchema;
use serde::Serialize;

use super::position::Positions;
use crate::run::{BranchSides, BufferCoverage, Coverage, Explored, Reached, SwitchTargets};

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct JsonCoverage<'r> {
    /// Statements that a lane executed, and all.
    executed: usize,
    statements: usize,
    /// The conditional branches and exits, in the order of statements.
    branches: Vec<JsonBranch>,
    /// The branches with a table of targets.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    switches: Vec<JsonSwitch>,
    /// The divergence models of the run and of its schedules.
    models: Vec<&'static str>,
    #[serde(flatten)]
    explored: Explored,
    blocks: Reached,
    warps: Reached,
    /// Empty if the simulator does not record accesses.
    buffers: &'r [BufferCoverage],
}

/// The sides of a branch that lanes took, over the whole run.
#[derive(Debug, Serialize, JsonSchema)]
struct JsonBranch {
    line: u32,
    taken: bool,
    not_taken: bool,
}

/// The targets of a branch with a table that lanes took, over the whole run.
#[derive(Debug, Serialize, JsonSchema)]
struct JsonSwitch {
    line: u32,
    targets: Vec<JsonTarget>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct JsonTarget {
    line: u32,
    taken: bool,
}

impl<'r> JsonCoverage<'r> {
    pub(crate) fn new(coverage: &'r Coverage, model: &'static str, at: Positions<'_>) -> JsonCoverage<'r> {
        let Coverage { executed, statements, branches, switches, explored, blocks, warps, buffers, .. } =
            coverage;
        let branch = |&BranchSides { statement, taken, not_taken }: &BranchSides| {
            Some(JsonBranch { line: at(statement)?.line, taken, not_taken })
        };
        let target = |&(statement, taken): &(_, bool)| Some(JsonTarget { line: at(statement)?.line, taken });
        let switch = |switch: &SwitchTargets| {
            let targets = switch.targets.iter().filter_map(target).collect();
            Some(JsonSwitch { line: at(switch.statement)?.line, targets })
        };
        JsonCoverage {
            executed: *executed,
            statements: *statements,
            branches: branches.iter().filter_map(branch).collect(),
            switches: switches.iter().filter_map(switch).collect(),
            models: std::iter::once(model).chain(explored.other_model).collect(),
            explored: *explored,
            blocks: *blocks,
            warps: *warps,
            buffers,
        }
    }
}
