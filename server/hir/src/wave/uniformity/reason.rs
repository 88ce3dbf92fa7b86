//! Explains, link by link, why a register differs between lanes.

use super::super::cells::Cell;
use super::super::functions::ends_all;
use super::super::model::{Code, Link};
use super::Uniformity;
use super::known::{Known, is_varying_special};
use super::learned::{LoopFacts, Returned};
use super::results::result;
use crate::Variance;

/// A link of the chain from a register back to the origin of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    pub register: Cell,
    /// The instruction at which the difference arises.
    pub instruction: u32,
    pub because: Because,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// The instruction computes it from the register of the next link.
    Made,
    /// Lanes where the guard of the instruction is false keep the old value; the next link explains the
    /// guard.
    Guarded,
    /// Lanes diverge at this `if` and reconverge with different values; the next link explains its predicate.
    Diverged,
    /// Lanes exit a loop at this `break` in different iterations.
    Left,
    /// Lanes start the next iteration at this `continue` before others do.
    Continued,
    /// The instruction reads a special register that differs between lanes.
    Special,
    /// The instruction computes a separate result for each lane: it sums over lanes, or reads from another
    /// lane.
    Lanes,
    /// The instruction reads memory: it is a load or an atomic.
    Memory,
    /// The instruction calls a function of another kernel, which may write anything.
    Call,
    /// The instruction calls a function that makes it differ; the next link is in that function.
    Called,
    /// The instruction is a call that passes it; the next link is before the call.
    Brought,
    /// Lanes return at this instruction, before other lanes write the register.
    Returned,
    /// The instruction is the first of a function that other kernels may call, so they decide.
    Callers,
}

/// Longer chains are cut off.
const LONGEST: usize = 16;

impl Uniformity<'_> {
    /// Why lanes may hold different values in a register before an instruction, or `after` it: the chain from
    /// the register back to the origin of the difference. Empty if they hold the same value, or if nothing is
    /// known.
    pub fn reason(&self, at: usize, cell: Cell, after: bool) -> Vec<Reason> {
        if self.register(at, cell, after) == Variance::Uniform {
            return Vec::new();
        }
        let Some(mut walk) = self.last_walk() else { return Vec::new() };
        let mut before = Vec::with_capacity(self.code.instructions.len());
        for at in 0..self.code.instructions.len() {
            walk.advance_to(at);
            before.push((*walk.known(), walk.open.iter().map(|open| open.loop_facts).collect()));
            walk.step(at);
        }
        let search = Search { analysis: self, before };
        search.chain(cell, at + usize::from(after))
    }
}

struct Search<'s, 'c> {
    analysis: &'s Uniformity<'c>,
    /// The facts before each instruction, and the loop number of each construct around it.
    before: Vec<(Known, Vec<Option<usize>>)>,
}

impl Search<'_, '_> {
    fn code(&self) -> &Code {
        self.analysis.code
    }

    /// Why a register differs before the instruction `end`.
    fn chain(&self, mut cell: Cell, mut end: usize) -> Vec<Reason> {
        let mut chain: Vec<Reason> = Vec::new();
        while chain.len() < LONGEST {
            let Some((reason, next)) = self.writer(cell, end) else { break };
            if chain.contains(&reason) {
                break;
            }
            chain.push(reason);
            let Some(next) = next else { break };
            (cell, end) = next;
        }
        chain
    }

    /// The last instruction before `end`, or later in a loop around it, that explains why a register differs.
    /// Also returns the register that explains the cause, with the instruction before which it does.
    fn writer(&self, cell: Cell, end: usize) -> Option<(Reason, Option<(Cell, usize)>)> {
        let (start, rest) = (self.function_start(end), self.loop_end(end));
        let mut places = (start..end).rev().chain((end..rest).rev());
        places.find_map(|at| self.explains(at, cell, end)).or_else(|| self.arrival(start, end, cell))
    }

    /// The last entry point before an instruction: the start of the kernel, or of a function that is not
    /// reached by falling through.
    fn function_start(&self, end: usize) -> usize {
        let is_start = |at: &usize| at.checked_sub(1).is_some_and(|last| ends_all(self.code(), last));
        let labels = self.code().labels.iter().map(|label| label.before as usize);
        labels.take_while(|label| *label <= end).filter(is_start).last().unwrap_or(0)
    }

    /// The call that passes differing values of a register to a label between two instructions.
    fn arrival(&self, start: usize, end: usize, cell: Cell) -> Option<(Reason, Option<(Cell, usize)>)> {
        let functions = &self.analysis.facts.functions;
        let labels = self.code().labels.iter().enumerate();
        let here = labels.filter(|(_, label)| (start..=end).contains(&(label.before as usize)));
        let reason = |at: usize, because| Reason { register: cell, instruction: at as u32, because };
        for (number, label) in here {
            if functions.entrance(number).open {
                let first = (label.before as usize).min(self.before.len().checked_sub(1)?);
                return Some((reason(first, Because::Callers), None));
            }
            let calls = functions.calls().iter().filter(|call| call.label == Some(number));
            let mut apart = calls.filter(|call| self.known(call.at, cell) > Variance::Uniform);
            if let Some(call) = apart.next() {
                return Some((reason(call.at, Because::Brought), Some((cell, call.at))));
            }
        }
        None
    }

    fn known(&self, at: usize, cell: Cell) -> Variance {
        self.before.get(at).map_or(Variance::Uniform, |(known, _)| known.of(cell))
    }

    /// Why a register differs after the call at an instruction.
    fn returned(&self, at: usize, cell: Cell, end: usize) -> Option<(Reason, Option<(Cell, usize)>)> {
        let functions = &self.analysis.facts.functions;
        let reason = |at: usize, because| Reason { register: cell, instruction: at as u32, because };
        let Some(label) = functions.callee(at) else { return Some((reason(at, Because::Call), None)) };
        let function = functions.entrance(label).function;
        let Returned { writes, early, .. } = self.analysis.learned.functions[function];
        if !writes.contains(cell) {
            return None;
        }
        let of_label = |number: &usize| functions.entrance(*number).function == function;
        let start = (0..self.code().labels.len()).find(of_label)?;
        let start = if function == 0 { 0 } else { self.code().labels[start].before as usize };
        let stop = (start..self.before.len()).find(|at| ends_all(self.code(), *at))?;
        let mut returns = (start..=stop).filter(|at| self.code().instructions[*at].name() == "return");
        if let Some(differs) = returns.clone().find(|at| self.known(*at, cell) > Variance::Uniform) {
            return Some((reason(at, Because::Called), Some((cell, differs))));
        }
        match returns.next().filter(|_| early) {
            Some(first) => Some((reason(first, Because::Returned), None)),
            None => self.divergence(at, cell, end),
        }
    }

    fn loop_end(&self, at: usize) -> usize {
        self.code().loops_around(at).last().map_or(at, |(_, end)| end)
    }

    fn explains(&self, at: usize, cell: Cell, end: usize) -> Option<(Reason, Option<(Cell, usize)>)> {
        let instruction = &self.code().instructions[at];
        let reason = |because| Reason { register: cell, instruction: at as u32, because };
        if instruction.name() == "call" {
            return if self.code().other_side(at, end) { None } else { self.returned(at, cell, end) };
        }
        if !instruction.writes().any(|written| written == cell) || self.code().other_side(at, end) {
            return None;
        }
        let known = &self.before[at].0;
        if let Some(guard) = instruction.guard.map(|guard| Cell::Predicate(guard.predicate))
            && known.of(guard) > Variance::Uniform
        {
            return Some((reason(Because::Guarded), Some((guard, at))));
        }
        if result(self.analysis.facts.written, instruction, known) == Variance::Uniform {
            return self.divergence(at, cell, end);
        }
        let name = instruction.name();
        if instruction.operands.iter().any(|operand| is_varying_special(&operand.value)) {
            return Some((reason(Because::Special), None));
        }
        let source = instruction.sources().max_by_key(|source| known.of(*source));
        let source = source.filter(|source| known.of(*source) > Variance::Uniform);
        // For accumulated values, the divergence is the better explanation.
        if source == Some(cell)
            && let Some(divergence) = self.divergence(at, cell, end)
        {
            return Some(divergence);
        }
        let source = source.map(|source| (source, at));
        Some(match name {
            _ if name.starts_with("wave_") => (reason(Because::Lanes), None),
            _ if name.contains("load.") || name.contains("atomic") => (reason(Because::Memory), source),
            _ => (reason(Because::Made), source),
        })
    }

    /// The divergence around `at`, which writes a register that `end` reads on another path.
    fn divergence(&self, at: usize, cell: Cell, end: usize) -> Option<(Reason, Option<(Cell, usize)>)> {
        let code = self.code();
        for open in code.around(at) {
            let close = match code.links[open] {
                Some(Link::If { end, .. } | Link::Loop { end }) => end.unwrap_or(0) as usize,
                _ => 0,
            };
            let outside = end <= open || end > close;
            let parts = match code.links[open] {
                Some(Link::If { .. }) if outside => {
                    (self.analysis.branch(open) > Variance::Uniform).then_some((open, Because::Diverged))
                }
                Some(Link::Loop { .. }) => {
                    let LoopFacts { breaks, continues, .. } = self.loop_facts(open)?;
                    let left = breaks.filter(|_| outside).map(|(_, at)| (at as usize, Because::Left));
                    left.or(continues.map(|(_, at)| (at as usize, Because::Continued)))
                }
                _ => None,
            };
            if let Some((place, because)) = parts {
                let reason = Reason { register: cell, instruction: place as u32, because };
                return Some((reason, self.predicate(place).map(|own| (own, place))));
            }
        }
        None
    }

    fn loop_facts(&self, open: usize) -> Option<&LoopFacts> {
        let inside = &self.before.get(open + 1)?.1;
        self.analysis.learned.loops.get((*inside.last()?)?)
    }

    /// The predicate of an `if`, `break` or `continue`, if it is what differs.
    fn predicate(&self, at: usize) -> Option<Cell> {
        let own = self.code().instructions[at].sources().next();
        own.filter(|cell| self.before[at].0.of(*cell) > Variance::Uniform)
    }
}
