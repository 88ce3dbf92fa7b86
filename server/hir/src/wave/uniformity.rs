//! Which registers the lanes of a wave share, and at which `if`, `break` and `continue` they go the same way.
//!
//! Control flow is structured, so a walk in text order sees every way; walks are repeated until loops add nothing. A register
//! differs because of the *data* it is made from, or because lanes *parted*, wrote it apart, and met again: at `endif`, at the
//! top of a loop where those that continued wait for the others, behind `endloop` where those that broke in earlier trips do.
//!
//! A launch puts the same values into the registers of every lane, so arguments are shared. Nothing is known of what a call
//! leaves, nor at a label, where callers come in; and nothing in a kernel whose constructs do not match.

mod reason;
mod results;
#[cfg(test)]
mod tests;
mod walk;

pub use reason::{Because, Reason};

use super::cells::{Cell, Cells};
use super::model::{Code, Link, Value};
use super::problem::ProblemKind;
use results::Memory;
pub(crate) use walk::Walk;

/// Walks over a kernel before nothing counts as known: far more than there are loops inside of each other.
const MAX_WALKS: usize = 100;

/// Whether the lanes of a wave that come to a place together hold the same value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Variance {
    /// They do. This is a proof.
    Uniform,
    /// Nothing shows it either way: the value comes from memory or a call.
    Unknown,
    /// It is made from what differs from lane to lane, such as `sr_lane_id`.
    Varies,
}

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

    /// Adds what may be so on another way to the same place; says whether that was new.
    fn join(&mut self, other: &Known) -> bool {
        let doubtful = self.doubtful.add(&other.doubtful);
        self.varying.add(&other.varying) | doubtful
    }
}

/// What walks have learned of a loop.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Trips {
    /// What is known at the top of a trip after the first.
    top: Known,
    /// Whether lanes leave it in different trips, and the `break` at which they do.
    breaks: Option<(Variance, u32)>,
    /// Whether lanes are apart from some `continue` on to the end of a trip, and that `continue`.
    continues: Option<(Variance, u32)>,
    /// The first instruction at which lanes may be apart because of it.
    apart_from: u32,
}

impl Trips {
    /// Whether all lanes that are in the loop may not be together at an instruction of it.
    pub(crate) fn apart(&self, at: usize) -> Option<(Variance, u32)> {
        let continued = self.continues.filter(|_| at >= self.apart_from as usize);
        continued.into_iter().chain(self.breaks).max_by_key(|(variance, _)| *variance)
    }
}

/// The result of the analysis of one kernel.
pub struct Uniformity<'c> {
    code: &'c Code,
    written: Memory,
    /// In the order of the text.
    loops: Vec<Trips>,
    /// The predicates of `if`, `break` and `continue`, in the order of the text.
    branches: Vec<(u32, Variance)>,
    /// Whether the kernel is whole and the walks came to an end.
    done: bool,
}

impl<'c> Uniformity<'c> {
    /// Analyses a kernel.
    pub fn of(code: &'c Code) -> Uniformity<'c> {
        let count = code.links.iter().filter(|link| matches!(link, Some(Link::Loop { .. }))).count();
        let loops = vec![Trips::default(); count];
        let written = Memory::written_by(code);
        let mut analysis = Uniformity { code, written, loops, branches: Vec::new(), done: false };
        if is_whole(code) {
            analysis.done = (0..MAX_WALKS).any(|_| !analysis.walk());
        }
        analysis
    }

    /// Whether lanes that come to an `if`, `break` or `continue` go the same way.
    pub fn branch(&self, at: usize) -> Variance {
        let found = self.branches.binary_search_by_key(&(at as u32), |(at, _)| *at);
        match found {
            Ok(found) if self.done => self.branches[found].1,
            _ => Variance::Unknown,
        }
    }

    /// Whether lanes that come to an instruction together hold the same in a register, before it or `after`.
    pub fn register(&self, at: usize, cell: Cell, after: bool) -> Variance {
        if !self.done {
            return Variance::Unknown;
        }
        let mut loops = self.loops.clone();
        let mut walk = Walk::new(self.code, self.written, &mut loops);
        (0..at + usize::from(after)).for_each(|at| walk.step(at));
        if !after {
            walk.come_to(at);
        }
        walk.known().of(cell)
    }

    /// One walk; says whether it learned something.
    fn walk(&mut self) -> bool {
        self.branches.clear();
        let mut walk = Walk::new(self.code, self.written, &mut self.loops);
        for at in 0..self.code.instructions.len() {
            if let Some(Link::If { .. } | Link::Leave { .. }) = self.code.links[at] {
                walk.come_to(at);
                self.branches.push((at as u32, walk.reads(at)));
            }
            walk.step(at);
        }
        walk.changed()
    }

    /// The walk that all others have led to.
    pub(crate) fn last_walk<'w>(&self, loops: &'w mut Vec<Trips>) -> Option<Walk<'w>>
    where
        'c: 'w,
    {
        self.loops.clone_into(loops);
        self.done.then(|| Walk::new(self.code, self.written, loops))
    }
}

/// Whether the constructs of a kernel match, no guard changes masks behind their back, and callers come in outside of them.
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
