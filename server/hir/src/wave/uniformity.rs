//! Which registers are uniform in a wave, and which `if`, `break` and `continue` are uniform.
//!
//! Control flow is structured, so a walk in text order sees every way; walks are repeated until loops add nothing. A register
//! differs because of the *data* it is made from, or because lanes *diverged*, wrote it separately, and reconverged: at `endif`, at the
//! top of a loop where those that continued wait for the others, after `endloop` where those that broke in earlier iterations do.
//!
//! A function begins with what its callers bring, all of them together, and a call leaves what the function writes as the
//! function leaves it: lanes that return early wait for the others. A launch puts the same values into the registers of every
//! lane, so arguments are shared. Nothing is known at a label without calls, nor about registers after a function of another kernel;
//! and nothing in a kernel whose constructs do not match.

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

/// The maximum number of walks over a kernel before the result is unknown: far more than the nesting depth of loops.
const MAX_WALKS: usize = 100;

/// The result of the analysis of one kernel.
pub struct Uniformity<'c> {
    code: &'c Code,
    facts: Facts,
    learned: Learned,
    /// The predicates of `if`, `break` and `continue`, in the order of the text.
    branches: Vec<(u32, Variance)>,
    /// Whether the kernel is complete and the walks reached a fixed point.
    done: bool,
}

impl<'c> Uniformity<'c> {
    /// Analyses a kernel by itself.
    pub fn of(code: &'c Code) -> Uniformity<'c> {
        Uniformity::among(code, &|_| false)
    }

    /// Analyses a kernel among others, which call some of its functions.
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

    /// Whether an `if`, `break` or `continue` is uniform.
    pub fn branch(&self, at: usize) -> Variance {
        let found = self.branches.binary_search_by_key(&(at as u32), |(at, _)| *at);
        match found {
            Ok(found) if self.done => self.branches[found].1,
            _ => Variance::Unknown,
        }
    }

    /// Whether lanes that reach an instruction together hold the same value in a register, before it or `after`.
    pub fn register(&self, at: usize, cell: Cell, after: bool) -> Variance {
        let Some(mut walk) = self.last_walk() else { return Variance::Unknown };
        (0..at + usize::from(after)).for_each(|at| walk.step(at));
        if !after {
            walk.advance_to(at);
        }
        walk.known().of(cell)
    }

    /// One walk; says whether it learned something.
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

    /// The walk that all others have led to.
    pub(crate) fn last_walk(&self) -> Option<Walk<'_>> {
        self.done.then(|| Walk::new(self.code, &self.facts, self.learned.clone()))
    }
}

/// Whether the constructs of a kernel match, no guard changes masks implicitly, and calls enter outside of them.
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
