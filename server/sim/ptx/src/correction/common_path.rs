//! Statements that all threads of a block execute.

use warplens_sim_warp::trace::StatementId;

use super::paths;
use crate::program::{Function, MbarrierAction, Op, Program};

/// The statement before which a barrier of the block would order an mbarrier's initialization before its use by another
/// thread. `one` and the other statement may be in either order. `None` if there is no such statement, or if blocks of a
/// cluster may use the mbarrier, which takes more than a barrier of the block.
pub(super) fn after_initialization(
    program: &Program,
    one: StatementId,
    other: StatementId,
) -> Option<StatementId> {
    let (first, last) = (one.min(other), one.max(other));
    let (number, from) = program.locate(first)?;
    let function = &program.functions[number];
    let to = program.locate(last).filter(|(other, _)| *other == number)?.1;
    // The mbarrier's uses follow its initialization. A barrier in a called function would be on the path of only some of
    // them.
    if number != 0 || is_initialization(function, to) || uses_clusters(program) {
        return None;
    }
    let from = (from..to).rev().find(|pc| is_initialization(function, *pc))?;
    let is_common = |pc: &u32| !leaves(function, *pc) && !is_in_loop(function, *pc);
    let at = (from + 1..=to).find(is_common)?;
    Some(StatementId(function.first_statement + at))
}

fn is_initialization(function: &Function, pc: u32) -> bool {
    let Op::Mbarrier(id) = function.code[pc as usize].op else { return false };
    matches!(function.tables[id].action, MbarrierAction::Initialize { .. })
}

fn uses_clusters(program: &Program) -> bool {
    program.functions.iter().any(|function| {
        function.tables.barriers.iter().any(|barrier| barrier.kind.is_of_cluster())
            || function.code.iter().any(|instruction| matches!(instruction.op, Op::MapRank(_)))
    })
}

/// Whether a path from the start leaves the function without executing `avoided`.
fn leaves(function: &Function, avoided: u32) -> bool {
    let is_end = |at| at != avoided && paths::is_end(function, at);
    let next = |at| if at == avoided { Vec::new() } else { paths::successors(function, at) };
    paths::reaches(function, vec![0], &next, &is_end)
}

/// Whether a path leads from a statement back to itself.
fn is_in_loop(function: &Function, pc: u32) -> bool {
    let next = |at| paths::successors(function, at);
    paths::reaches(function, next(pc), &next, &|at| at == pc)
}
