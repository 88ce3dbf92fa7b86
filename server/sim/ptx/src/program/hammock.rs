//! Hammocks: divergent branches whose two paths are short and have no control flow of their own before they reconverge.
//!
//! The lanes of such a branch reconverge soon whatever they do, so the interpreter loop executes one path after the other
//! without the reconvergence stack.

use warplens_sim_cuda::slot::NO_SLOT;

use super::operation::{Instruction, Op};
use super::{Guard, Quick, Uniformity};

const MAX_PATH: u32 = 32;

/// A branch whose paths contain only frequent operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hammock {
    /// The path of the lanes that take the branch, then the path of the others.
    pub paths: [Path; 2],
    pub join: u32,
}

/// A path of a hammock. It has no instructions if `first` is the join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    pub first: u32,
    pub end: u32,
    /// One past the branch to the join, or `end` if there is none.
    pub after: u32,
}

impl Hammock {
    /// The hammock of the branch at `pc`, if it is one.
    pub(super) fn find(code: &[Instruction], straight_runs: &[u32], pc: u32) -> Option<Hammock> {
        let branch = &code[pc as usize];
        let (target, join) = (branch.s.a, branch.s.b);
        let next = pc + 1;
        let is_conditional = branch.op == Op::Branch(Uniformity::Unknown) && branch.guard != Guard::ALWAYS;
        if !is_conditional || target == next || join < next || target < next {
            return None;
        }
        let path = |first: u32| {
            let stop = straight_runs[first as usize].min(join);
            let end = if first == join { first } else { stop };
            let is_frequent = first <= end
                && end - first <= MAX_PATH
                && code[first as usize..end as usize]
                    .iter()
                    .all(|instruction| instruction.quick != Quick::No);
            let after = match code.get(end as usize) {
                _ if end == join => end,
                Some(Instruction { op: Op::Branch(_), guard: Guard::ALWAYS, s, .. }) if s.a == join => {
                    end + 1
                }
                _ => return None,
            };
            is_frequent.then_some(Path { first, end, after })
        };
        Some(Hammock { paths: [path(target)?, path(next)?], join })
    }

    /// Number of instructions on both paths together.
    pub(crate) fn len(&self) -> u32 {
        self.paths.iter().map(|path| path.after - path.first).sum()
    }
}

impl Instruction {
    /// The index of a branch's hammock.
    #[inline(always)]
    pub(crate) fn hammock(&self) -> Option<usize> {
        (self.s.e != NO_SLOT).then_some(self.s.e as usize)
    }
}
