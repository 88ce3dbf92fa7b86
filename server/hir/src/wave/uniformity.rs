//! Which registers are uniform in a wave, and which `if`, `break` and `continue` are.
//!
//! Control flow is structured, so a walk in text order sees every path; walks are repeated until loops add
//! nothing. There are two reasons why a register differs. The *data* it is computed from differs; or lanes
//! *diverged*, wrote it separately, and reconverged. They reconverge at `endif`; at the top of a loop, where
//! lanes that continued early wait for the others; and after `endloop`, where lanes that broke early wait for
//! the others.
//!
//! A function begins with the merged facts of its callers. A call leaves the registers that the function
//! writes as they are at its end, where lanes that return early wait for the others. A launch puts the same
//! values into the registers of every lane, so arguments are shared. Nothing is known at a label without
//! calls, about registers after a call of another kernel's function, and in a kernel whose constructs do not
//! match.

mod known;
mod learned;
mod reason;
mod results;
#[cfg(test)]
mod tests;
mod walk;

pub use reason::{Because, Reason};

use super::cells::Cell;
use super::functions::Functions;
use super::model::{Code, Link};
use super::problem::ProblemKind;
use crate::Variance;
use learned::Learned;
use results::Memory;
use walk::Facts;
pub(crate) use walk::Walk;

/// The maximum number of walks over a kernel before the result is unknown. It is far more than the nesting
/// depth of loops.
const MAX_WALKS: usize = 100;

pub struct Uniformity<'c> {
    code: &'c Code,
    facts: Facts,
    learned: Learned,
    /// The variance of the predicate of each `if`, `break` and `continue`, in text order.
    branches: Vec<(u32, Variance)>,
    /// Whether the kernel is complete and the walks reached a fixed point.
    done: bool,
}

impl<'c> Uniformity<'c> {
    /// Analyzes a kernel by itself.
    pub fn of(code: &'c Code) -> Uniformity<'c> {
        Uniformity::among(code, &|_| false)
    }

    /// Analyzes a kernel in a file, given which of its functions other kernels call.
    pub fn among(code: &'c Code, others_call: &dyn Fn(&str) -> bool) -> Uniformity<'c> {
        let loops = code.links.iter().filter(|link| matches!(link, Some(Link::Loop { .. }))).count();
        let functions = Functions::with(code, others_call);
        let learned = Learned::nothing(loops, code.labels.len(), functions.count());
        let facts = Facts { written: Memory::written_by(code, &functions), functions };
        let mut analysis = Uniformity { code, facts, learned, branches: Vec::new(), done: false };
        if is_whole(code) {
            analysis.done = (0..MAX_WALKS).any(|_| !analysis.walk());
        }
        analysis
    }

    /// Whether the lanes at an `if`, `break` or `continue` agree on its predicate.
    pub fn branch(&self, at: usize) -> Variance {
        let found = self.branches.binary_search_by_key(&(at as u32), |(at, _)| *at);
        match found {
            Ok(found) if self.done => self.branches[found].1,
            _ => Variance::Unknown,
        }
    }

    /// Whether lanes that reach an instruction together hold the same value in a register, before it or
    /// `after` it.
    pub fn register(&self, at: usize, cell: Cell, after: bool) -> Variance {
        let Some(mut walk) = self.last_walk() else { return Variance::Unknown };
        (0..at + usize::from(after)).for_each(|at| walk.step(at));
        if !after {
            walk.advance_to(at);
        }
        walk.known().of(cell)
    }

    /// Walks over the kernel once and returns whether it learned something new.
    fn walk(&mut self) -> bool {
        self.branches.clear();
        let mut walk = Walk::new(self.code, &self.facts, std::mem::take(&mut self.learned));
        for at in 0..self.code.instructions.len() {
            if let Some(Link::If { .. } | Link::Leave { .. }) = self.code.links[at] {
                walk.advance_to(at);
                self.branches.push((at as u32, walk.reads(at)));
            }
            walk.step(at);
        }
        let (learned, changed) = walk.finish();
        self.learned = learned;
        changed
    }

    /// A walk that starts with the facts of the fixed point.
    pub(crate) fn last_walk(&self) -> Option<Walk<'_>> {
        self.done.then(|| Walk::new(self.code, &self.facts, self.learned.clone()))
    }
}

/// Whether the constructs of a kernel match, no guard changes masks implicitly, and calls enter functions
/// outside all constructs.
fn is_whole(code: &Code) -> bool {
    let is_broken = |kind: &ProblemKind| {
        matches!(
            kind,
            ProblemKind::Unmatched(_)
                | ProblemKind::Unclosed(_)
                | ProblemKind::SecondElse { .. }
                | ProblemKind::Crossed { .. }
                | ProblemKind::OutsideLoop(_)
        )
    };
    let is_guarded = |(at, link): (usize, &Option<Link>)| {
        let instruction = &code.instructions[at];
        let moves = link.is_some() || matches!(instruction.name(), "call" | "return");
        moves && (instruction.guard.is_some() || !instruction.complete)
    };
    let inside = |at: u32| match code.links.get(at as usize) {
        Some(Some(Link::Else { .. } | Link::EndIf { .. } | Link::EndLoop { .. })) => true,
        _ => code.parents.get(at as usize).is_some_and(Option::is_some),
    };
    code.kernel.is_some()
        && !code.problems.iter().any(|problem| is_broken(&problem.kind))
        && !code.links.iter().enumerate().any(is_guarded)
        && !code.labels.iter().any(|label| inside(label.before))
}
