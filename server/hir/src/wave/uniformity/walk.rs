//! A single walk over a kernel in text order, using what earlier walks learned about its loops and functions.

use super::super::cells::{Cell, Cells};
use super::super::functions::Functions;
use super::super::model::{Code, Instruction, Link};
use super::known::{Known, is_varying_special};
use super::learned::{Learned, Side};
use super::results::{Memory, result};
use crate::Variance;

/// The data that all walks over a kernel share.
pub(crate) struct Facts {
    pub(super) functions: Functions,
    pub(super) written: Memory,
}

/// An `if` or a `loop` that is open in the walk.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    at: usize,
    /// For an `if`, the variance of its condition.
    condition: Variance,
    /// For an `if`, the facts at the start of its other path; for a loop, those after its `endloop`.
    aside: Side,
    /// The registers that its paths or iterations write.
    writes: Cells,
    pub(super) loop_facts: Option<usize>,
}

pub(crate) struct Walk<'w> {
    code: &'w Code,
    facts: &'w Facts,
    learned: Learned,
    begun: usize,
    here: Side,
    pub(super) open: Vec<Open>,
    label: usize,
    /// The function that contains the current instruction.
    function: usize,
    /// The divergence because of which a call reaches this function with only some of the lanes.
    apart: Option<u32>,
    /// The divergence after which some lanes have returned from this function.
    early: Option<u32>,
    /// Whether any result differs from what earlier walks knew.
    changed: bool,
}

impl<'w> Walk<'w> {
    pub(super) fn new(code: &'w Code, facts: &'w Facts, learned: Learned) -> Walk<'w> {
        Walk {
            code,
            facts,
            learned,
            begun: 0,
            here: Side::START,
            open: Vec::new(),
            label: 0,
            function: 0,
            apart: None,
            early: None,
            changed: false,
        }
    }

    pub(super) fn finish(self) -> (Learned, bool) {
        (self.learned, self.changed)
    }

    pub(super) fn known(&self) -> &Known {
        &self.here.known
    }

    /// The outermost divergent `if`, `break` or `continue` of this function that keeps some lanes from
    /// reaching an instruction.
    pub(super) fn divergence(&self, at: usize, least: Variance) -> Option<usize> {
        self.open.iter().find_map(|open| match open.loop_facts {
            Some(number) => {
                let (variance, leaves) = self.learned.loops[number].apart(at)?;
                (variance >= least).then_some(leaves as usize)
            }
            None => (open.condition >= least).then_some(open.at),
        })
    }

    /// The divergence with a cause in the text that keeps some lanes from reaching an instruction, in this
    /// function or in a caller.
    pub(crate) fn diverges_at(&self, at: usize) -> Option<usize> {
        let outside = self.apart.or(self.early).map(|at| at as usize);
        self.divergence(at, Variance::Varies).or(outside)
    }

    /// Advances to an instruction. After a label, the facts of its calls apply.
    pub(crate) fn advance_to(&mut self, at: usize) {
        while self.code.labels.get(self.label).is_some_and(|label| label.before as usize <= at) {
            let entrance = self.facts.functions.entrance(self.label);
            if entrance.function != self.function {
                (self.function, self.early) = (entrance.function, None);
            }
            if self.here.dead {
                self.apart = None;
            }
            let arrival = self.learned.labels[self.label];
            self.here.join(if entrance.open { &Side::NOTHING } else { &arrival.side });
            self.apart = self.apart.or(arrival.apart);
            self.label += 1;
        }
    }

    /// Advances past one instruction and applies its effects.
    pub(crate) fn step(&mut self, at: usize) {
        self.advance_to(at);
        match self.code.links[at] {
            Some(Link::If { .. }) => {
                let (condition, aside) = (self.reads(at), self.here);
                self.open.push(Open { at, condition, aside, writes: Cells::default(), loop_facts: None });
            }
            Some(Link::Loop { .. }) => self.begin_loop(at),
            Some(Link::Else { .. }) => {
                if let Some(open) = self.open.last_mut() {
                    std::mem::swap(&mut self.here, &mut open.aside);
                }
            }
            Some(Link::EndIf { .. }) => self.end_if(),
            Some(Link::EndLoop { .. }) => self.end_loop(at),
            Some(Link::Leave { open }) => self.leave(at, open as usize),
            None => self.plain(at),
        }
    }

    pub(super) fn reads(&self, at: usize) -> Variance {
        let instruction = &self.code.instructions[at];
        if instruction.operands.iter().any(|operand| is_varying_special(&operand.value)) {
            return Variance::Varies;
        }
        let reads = instruction.reads().map(|cell| self.here.known.of(cell));
        reads.max().unwrap_or(Variance::Uniform)
    }

    fn begin_loop(&mut self, at: usize) {
        let (loop_facts, condition, aside) = (Some(self.begun), Variance::Uniform, Side::DEAD);
        self.here.known.join(&self.learned.loops[self.begun].top);
        self.begun += 1;
        self.open.push(Open { at, condition, aside, writes: Cells::default(), loop_facts });
    }

    /// Applies an instruction that belongs to no construct.
    fn plain(&mut self, at: usize) {
        let instruction = &self.code.instructions[at];
        match instruction.name() {
            "call" => self.call(at),
            "return" => {
                self.go_back(at);
                self.here.dead |= instruction.guard.is_none();
            }
            "halt" => self.here.dead |= instruction.guard.is_none(),
            _ if instruction.entry.is_none() || !instruction.complete => self.anything(),
            _ => self.assign(instruction),
        }
    }

    /// Applies an instruction with unknown effects.
    fn anything(&mut self) {
        self.here.known = Known::NOTHING;
        self.wrote(&Cells::ALL);
    }

    fn call(&mut self, at: usize) {
        let Some(label) = self.facts.functions.callee(at) else { return self.anything() };
        if self.here.dead {
            return;
        }
        let apart = self.diverges_at(at).map(|at| at as u32);
        let arrival = &mut self.learned.labels[label];
        self.changed |= arrival.side.join(&self.here);
        if arrival.apart.is_none() && apart.is_some() {
            (arrival.apart, self.changed) = (apart, true);
        }
        let returned = self.learned.functions[self.facts.functions.entrance(label).function];
        self.here.known.take(&returned.writes, &returned.side.known);
        if returned.early {
            self.here.known.raise_all(&returned.writes, Variance::Unknown);
        }
        self.here.dead = returned.side.dead;
        self.wrote(&returned.writes);
    }

    /// `return`: lanes wait for the lanes of their group that return later.
    fn go_back(&mut self, at: usize) {
        if self.here.dead {
            return;
        }
        let early = self.divergence(at, Variance::Unknown).is_some();
        // A label without calls is unreachable.
        if self.function > 0 && self.early.is_none() {
            self.early = self.divergence(at, Variance::Varies).map(|at| at as u32);
        }
        let returned = &mut self.learned.functions[self.function];
        self.changed |= returned.side.join(&self.here) | (early && !returned.early);
        returned.early |= early;
    }

    fn assign(&mut self, instruction: &Instruction) {
        let result = result(self.facts.written, instruction, &self.here.known);
        let guard = instruction.guard.map(|guard| self.here.known.of(Cell::Predicate(guard.predicate)));
        let mut writes = Cells::default();
        for (cell, whole) in instruction.written() {
            writes.insert(cell);
            match guard {
                None if whole => self.here.known.set(cell, result),
                // Some lanes, or some bits in all lanes, keep the old value.
                _ => self.here.known.raise(cell, result.max(guard.unwrap_or(Variance::Uniform))),
            }
        }
        self.wrote(&writes);
    }

    /// Records the writes for the innermost open construct, or for the function.
    fn wrote(&mut self, writes: &Cells) {
        match self.open.last_mut() {
            Some(open) => _ = open.writes.add(writes),
            None => self.changed |= self.learned.functions[self.function].writes.add(writes),
        }
    }

    fn end_if(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.here = match (self.here, open.aside) {
            (here, Side { dead: true, .. }) => here,
            (Side { dead: true, .. }, aside) => aside,
            (mut here, aside) => {
                here.known.join(&aside.known);
                here.known.raise_all(&open.writes, open.condition);
                here
            }
        };
        self.wrote(&open.writes);
    }

    fn end_loop(&mut self, at: usize) {
        let Some(Open { at: start, aside, writes, loop_facts: Some(number), .. }) = self.open.pop() else {
            return;
        };
        let mut top = self.learned.loops[number].top;
        if !self.here.dead {
            self.changed |= top.join(&self.here.known);
        }
        let loop_facts = self.learned.loops[number];
        if let Some((variance, _)) = loop_facts.continues {
            let before = top;
            self.raise_written(&mut top, loop_facts.apart_from as usize..at, variance);
            self.changed |= before != top;
        }
        self.learned.loops[number].top = top;
        self.here = aside;
        if let Some((variance, _)) = loop_facts.breaks {
            let mut known = self.here.known;
            self.raise_written(&mut known, start..at, variance);
            self.here.known = known;
        }
        self.wrote(&writes);
    }

    /// Lanes reconverge that have executed different parts of a range, or executed it a different number of
    /// times.
    fn raise_written(&self, known: &mut Known, segment: std::ops::Range<usize>, variance: Variance) {
        for at in segment {
            let instruction = &self.code.instructions[at];
            if instruction.name() == "call" {
                let label = self.facts.functions.callee(at);
                let function = label.map(|label| self.facts.functions.entrance(label).function);
                let writes = function.map_or(Cells::ALL, |function| self.learned.functions[function].writes);
                known.raise_all(&writes, variance.min(Variance::Unknown));
                continue;
            }
            if instruction.entry.is_none() || !instruction.complete {
                known.raise_all(&Cells::ALL, Variance::Unknown);
                return;
            }
            // The register may have held the same constant before.
            let is_constant = instruction.reads().next().is_none();
            let variance = if is_constant { variance.min(Variance::Unknown) } else { variance };
            instruction.written().for_each(|(cell, _)| known.raise(cell, variance));
        }
    }

    fn leave(&mut self, at: usize, target: usize) {
        let Some(place) = self.open.iter().position(|open| open.at == target) else { return };
        let here = self.here;
        if here.dead {
            return;
        }
        let own = self.reads(at);
        let Some(number) = self.open[place].loop_facts else { return };
        // Lanes on the other path of an `if` inside the loop are not here, and neither are lanes that
        // continued earlier.
        let inside = &self.open[place + 1..];
        let apart = inside.iter().find(|open| open.condition > Variance::Uniform).map(|open| open.at);
        let away = inside.iter().map(|open| open.condition).max().unwrap_or(Variance::Uniform);
        let loop_facts = &mut self.learned.loops[number];
        let continued = loop_facts.continues.filter(|_| at >= loop_facts.apart_from as usize);
        let continued = continued.map_or(Variance::Uniform, |(variance, _)| variance);
        let variance = own.max(away).max(continued);
        let is_break = self.code.instructions[at].name() == "break";
        let known = if is_break { &mut loop_facts.breaks } else { &mut loop_facts.continues };
        if variance > known.map_or(Variance::Uniform, |(variance, _)| variance) {
            *known = Some((variance, at as u32));
            self.changed = true;
        }
        if !is_break && variance > Variance::Uniform {
            let from = apart.unwrap_or(at) as u32;
            let first = if loop_facts.apart_from == 0 { from } else { from.min(loop_facts.apart_from) };
            self.changed |= loop_facts.apart_from != first;
            loop_facts.apart_from = first;
        }
        if is_break {
            self.open[place].aside.join(&here);
        } else {
            self.changed |= loop_facts.top.join(&here.known);
        }
    }
}
