//! Why a register differs between lanes, link by link.

use super::super::cells::Cell;
use super::super::model::{Code, Link};
use super::results::result;
use super::{Known, Trips, Uniformity, Variance, is_varying_special};

/// One link of the chain from a register back to where a difference begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// The register that differs.
    pub register: Cell,
    /// The instruction that shows it.
    pub instruction: u32,
    /// How.
    pub because: Because,
}

/// How a register comes to differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// The instruction makes it from the register of the next link.
    Made,
    /// Lanes where the guard of the instruction is false keep what was there; the next link is about the guard.
    Guarded,
    /// Lanes part at the instruction, an `if`, and come together with different values; the next link is about its predicate.
    Parted,
    /// Lanes leave a loop at the instruction, a `break`, in different trips.
    Left,
    /// Lanes go on to the next trip at the instruction, a `continue`, before others do.
    Continued,
    /// The instruction reads a special register that differs from lane to lane.
    Special,
    /// The instruction gives each lane its own: it adds up over lanes, or takes from another lane.
    Lanes,
    /// The instruction loads it, or takes it from memory as an atomic does.
    Memory,
    /// The instruction is a call, which may have written it.
    Call,
}

/// Chains are cut at this many links.
const LONGEST: usize = 16;

impl Uniformity<'_> {
    /// Why lanes may not share a register before an instruction, or `after` it: from the register back to where the difference
    /// begins. Empty where they do share it, and where nothing is known.
    pub fn reason(&self, at: usize, cell: Cell, after: bool) -> Vec<Reason> {
        if self.register(at, cell, after) == Variance::Uniform {
            return Vec::new();
        }
        let mut loops = Vec::new();
        let Some(mut walk) = self.last_walk(&mut loops) else { return Vec::new() };
        let mut before = Vec::with_capacity(self.code.instructions.len());
        for at in 0..self.code.instructions.len() {
            walk.come_to(at);
            before.push((*walk.known(), walk.open.iter().map(|open| open.trips).collect()));
            walk.step(at);
        }
        let search = Search { analysis: self, before };
        search.chain(cell, at + usize::from(after))
    }
}

struct Search<'s, 'c> {
    analysis: &'s Uniformity<'c>,
    /// What is known before each instruction, and for each construct around it which loop it is.
    before: Vec<(Known, Vec<Option<usize>>)>,
}

impl Search<'_, '_> {
    fn code(&self) -> &Code {
        self.analysis.code
    }

    /// Why a register differs where the instruction `end` begins.
    fn chain(&self, mut cell: Cell, mut end: usize) -> Vec<Reason> {
        let mut chain: Vec<Reason> = Vec::new();
        while chain.len() < LONGEST {
            let Some((reason, next)) = self.writer(cell, end) else { break };
            if chain.contains(&reason) {
                break;
            }
            chain.push(reason);
            let Some(next) = next else { break };
            (cell, end) = (next, reason.instruction as usize);
        }
        chain
    }

    /// The last instruction before `end`, or later in a loop around it, that explains why a register differs; and the register
    /// that explains it in turn.
    fn writer(&self, cell: Cell, end: usize) -> Option<(Reason, Option<Cell>)> {
        let (label, rest) = (self.label_before(end), self.loop_end(end));
        let places = (label..end).rev().chain((end..rest).rev());
        places.into_iter().find_map(|at| self.explains(at, cell, end))
    }

    /// Where callers come in last before an instruction.
    fn label_before(&self, end: usize) -> usize {
        let labels = self.code().labels.iter().map(|label| label.before as usize);
        labels.take_while(|label| *label <= end).last().unwrap_or(0)
    }

    /// The end of the outermost loop around an instruction.
    fn loop_end(&self, at: usize) -> usize {
        let code = self.code();
        let mut parent = code.parents.get(at).copied().flatten();
        let mut end = at;
        while let Some(open) = parent {
            if let Some(Link::Loop { end: Some(close) }) = code.links[open as usize] {
                end = close as usize;
            }
            parent = code.parents[open as usize];
        }
        end
    }

    fn explains(&self, at: usize, cell: Cell, end: usize) -> Option<(Reason, Option<Cell>)> {
        let instruction = &self.code().instructions[at];
        let reason = |because| Reason { register: cell, instruction: at as u32, because };
        if instruction.name() == "call" {
            return Some((reason(Because::Call), None));
        }
        if !instruction.writes().any(|written| written == cell) || self.other_side(at, end) {
            return None;
        }
        let known = &self.before[at].0;
        if let Some(guard) = instruction.guard.map(|guard| Cell::Predicate(guard.predicate))
            && known.of(guard) > Variance::Uniform
        {
            return Some((reason(Because::Guarded), Some(guard)));
        }
        if result(self.analysis.written, instruction, known) == Variance::Uniform {
            return self.parting(at, cell, end);
        }
        let name = instruction.name();
        if instruction.operands.iter().any(|operand| is_varying_special(&operand.value)) {
            return Some((reason(Because::Special), None));
        }
        let source = instruction.sources().max_by_key(|source| known.of(*source));
        let source = source.filter(|source| known.of(*source) > Variance::Uniform);
        // Of what adds up, the places at which lanes part say more.
        if source == Some(cell)
            && let Some(parting) = self.parting(at, cell, end)
        {
            return Some(parting);
        }
        Some(match name {
            _ if name.starts_with("wave_") => (reason(Because::Lanes), None),
            _ if name.contains("load.") || name.contains("atomic") => (reason(Because::Memory), source),
            _ => (reason(Because::Made), source),
        })
    }

    /// Whether the first instruction stands on one side of an `if` and the second on the other.
    fn other_side(&self, at: usize, end: usize) -> bool {
        let code = self.code();
        let mut parent = code.parents[at];
        while let Some(open) = parent.map(|open| open as usize) {
            if let Some(Link::If { otherwise: Some(otherwise), end: Some(close) }) = code.links[open]
                && (at..=close as usize).contains(&(otherwise as usize))
                && (otherwise as usize + 1..=close as usize).contains(&end)
                && end < close as usize
            {
                return true;
            }
            parent = code.parents[open];
        }
        false
    }

    /// The place at which lanes part before they write a register apart, where `at` writes it and `end` does not lie with it.
    fn parting(&self, at: usize, cell: Cell, end: usize) -> Option<(Reason, Option<Cell>)> {
        let code = self.code();
        let mut parent = code.parents[at];
        while let Some(open) = parent.map(|open| open as usize) {
            let close = match code.links[open] {
                Some(Link::If { end, .. } | Link::Loop { end }) => end.unwrap_or(0) as usize,
                _ => 0,
            };
            let outside = end <= open || end > close;
            let parts = match code.links[open] {
                Some(Link::If { .. }) if outside => {
                    (self.analysis.branch(open) > Variance::Uniform).then_some((open, Because::Parted))
                }
                Some(Link::Loop { .. }) => {
                    let Trips { breaks, continues, .. } = self.trips(open)?;
                    let left = breaks.filter(|_| outside).map(|(_, at)| (at as usize, Because::Left));
                    left.or(continues.map(|(_, at)| (at as usize, Because::Continued)))
                }
                _ => None,
            };
            if let Some((place, because)) = parts {
                let reason = Reason { register: cell, instruction: place as u32, because };
                return Some((reason, self.predicate(place)));
            }
            parent = code.parents[open];
        }
        None
    }

    /// What walks learned of the loop that begins at an instruction.
    fn trips(&self, open: usize) -> Option<&Trips> {
        let inside = &self.before.get(open + 1)?.1;
        self.analysis.loops.get((*inside.last()?)?)
    }

    /// The predicate that an `if`, `break` or `continue` reads, where it is what differs.
    fn predicate(&self, at: usize) -> Option<Cell> {
        let own = self.code().instructions[at].sources().next();
        own.filter(|cell| self.before[at].0.of(*cell) > Variance::Uniform)
    }
}
