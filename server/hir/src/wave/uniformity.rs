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

mod learned;
mod reason;
mod results;
#[cfg(test)]
mod tests;
mod walk;

pub use reason::{Because, Reason};

use super::cells::{Cell, Cells};
use super::functions::Functions;
use super::model::{Code, Link, Value};
use super::problem::ProblemKind;
use crate::Variance;
use learned::Learned;
use results::Memory;
pub(crate) use walk::Walk;

/// The maximum number of walks over a kernel before the result is unknown: far more than the nesting depth of loops.
const MAX_WALKS: usize = 100;

/// What is known of all registers at one place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Known {
    /// Registers that are not proven to be shared.
    doubtful: Cells,
    /// Those among them that are made from what differs.
    varying: Cells,
}

impl Known {
    const NOTHING: Known = Known { doubtful: Cells::ALL, varying: Cells::NONE };
    const ALL_SHARED: Known = Known { doubtful: Cells::NONE, varying: Cells::NONE };

    fn of(&self, cell: Cell) -> Variance {
        match (self.doubtful.contains(cell), self.varying.contains(cell)) {
            (false, _) => Variance::Uniform,
            (true, false) => Variance::Unknown,
            (true, true) => Variance::Varies,
        }
    }

    fn set(&mut self, cell: Cell, variance: Variance) {
        self.doubtful.remove(cell);
        self.varying.remove(cell);
        self.raise(cell, variance);
    }

    fn raise(&mut self, cell: Cell, variance: Variance) {
        if variance >= Variance::Unknown {
            self.doubtful.insert(cell);
        }
        if variance == Variance::Varies {
            self.varying.insert(cell);
        }
    }

    fn raise_all(&mut self, cells: &Cells, variance: Variance) {
        if variance >= Variance::Unknown {
            self.doubtful.add(cells);
        }
        if variance == Variance::Varies {
            self.varying.add(cells);
        }
    }

    /// Takes what is known of some registers from another place.
    fn take(&mut self, cells: &Cells, from: &Known) {
        self.doubtful.take(cells, &from.doubtful);
        self.varying.take(cells, &from.varying);
    }

    /// Adds what may be so on another way to the same place; says whether that was new.
    fn join(&mut self, other: &Known) -> bool {
        let doubtful = self.doubtful.add(&other.doubtful);
        self.varying.add(&other.varying) | doubtful
    }
}

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

/// What every walk over a kernel looks up.
pub(crate) struct Facts {
    functions: Functions,
    /// What memory the kernel writes.
    written: Memory,
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

/// Whether an operand is a special register that differs from lane to lane.
fn is_varying_special(value: &Value) -> bool {
    match value {
        Value::Special(name) => {
            warplens_isa::wave::special_register(name).is_some_and(|register| !register.uniform)
        }
        _ => false,
    }
}
