//! Paths through the statements of a function.

use crate::program::{Function, Guard, Op};

/// Whether a path leads from one of these statements to an end, which may be one of them.
pub(super) fn reaches(
    function: &Function,
    mut open: Vec<u32>,
    next: &dyn Fn(u32) -> Vec<u32>,
    is_end: &dyn Fn(u32) -> bool,
) -> bool {
    let mut visited = vec![false; function.code.len() + 1];
    while let Some(pc) = open.pop() {
        if std::mem::replace(&mut visited[pc as usize], true) {
            continue;
        }
        if is_end(pc) {
            return true;
        }
        open.extend(next(pc));
    }
    false
}

/// Whether threads leave the function at a statement.
pub(super) fn is_end(function: &Function, pc: u32) -> bool {
    let instruction = function.code.get(pc as usize);
    instruction.is_none_or(|instruction| matches!(instruction.op, Op::Return(_) | Op::Exit | Op::Trap))
}

pub(super) fn successors(function: &Function, pc: u32) -> Vec<u32> {
    let Some(instruction) = function.code.get(pc as usize) else { return Vec::new() };
    let Some(mut next) = function.targets_of(instruction) else { return vec![pc + 1] };
    if instruction.guard != Guard::ALWAYS {
        next.push(pc + 1);
    }
    next
}
