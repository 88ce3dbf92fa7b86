//! Statements that all threads of a block execute.

use warplens_sim_warp::trace::StatementId;

use crate::program::{Function, Guard, MbarrierAction, Op, Program};

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
    let is_common = |pc: &u32| !leaves(function, 0, *pc) && !is_in_loop(function, *pc);
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

/// Whether a path from `pc` leaves the function without executing `avoided`.
fn leaves(function: &Function, pc: u32, avoided: u32) -> bool {
    reaches(function, vec![pc], avoided, &|at| at as usize >= function.code.len() || ends(function, at))
}

/// Whether a path leads from a statement back to itself.
fn is_in_loop(function: &Function, pc: u32) -> bool {
    reaches(function, successors(function, pc), function.code.len() as u32, &|at| at == pc)
}

/// Whether a path from one of these statements reaches an end without executing `avoided`.
fn reaches(function: &Function, mut open: Vec<u32>, avoided: u32, is_end: &dyn Fn(u32) -> bool) -> bool {
    let mut visited = vec![false; function.code.len() + 1];
    while let Some(pc) = open.pop() {
        if pc == avoided || std::mem::replace(&mut visited[pc as usize], true) {
            continue;
        }
        if is_end(pc) {
            return true;
        }
        open.extend(successors(function, pc));
    }
    false
}

fn ends(function: &Function, pc: u32) -> bool {
    matches!(function.code[pc as usize].op, Op::Return(_) | Op::Exit | Op::Trap)
}

fn successors(function: &Function, pc: u32) -> Vec<u32> {
    let Some(instruction) = function.code.get(pc as usize) else { return Vec::new() };
    let Some(mut next) = function.targets_of(instruction) else { return vec![pc + 1] };
    if instruction.guard != Guard::ALWAYS {
        next.push(pc + 1);
    }
    next
}
