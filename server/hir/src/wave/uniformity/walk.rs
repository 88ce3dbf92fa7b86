//! One walk over a kernel in text order, with what earlier walks learned of its loops.

use super::super::cells::{Cell, Cells};
use super::super::model::{Code, Instruction, Link};
use super::results::{Memory, result};
use super::{Known, Trips, Variance, is_varying_special};

/// An `if` or a `loop` in the walk.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub(crate) at: usize,
    /// Whether its lanes part, for an `if`.
    pub(crate) parts: Variance,
    /// What is known where its other side begins, for an `if`; behind its `endloop`, for a loop.
    aside: Side,
    /// What its sides or trips write.
    writes: Cells,
    /// Which loop of the kernel it is.
    pub(crate) trips: Option<usize>,
}

/// What is known at the end of one way, and whether lanes come there.
#[derive(Debug, Clone, Copy, Default)]
struct Side {
    known: Known,
    dead: bool,
}

pub(crate) struct Walk<'w> {
    code: &'w Code,
    /// What memory the kernel writes.
    written: Memory,
    loops: &'w mut [Trips],
    /// How many loops began.
    begun: usize,
    here: Side,
    pub(crate) open: Vec<Open>,
    /// The next label.
    label: usize,
    /// Whether loops turned out otherwise than earlier walks knew.
    changed: bool,
}

impl<'w> Walk<'w> {
    pub(super) fn new(code: &'w Code, written: Memory, loops: &'w mut [Trips]) -> Walk<'w> {
        let here = Side::default();
        Walk { code, written, loops, begun: 0, here, open: Vec::new(), label: 0, changed: false }
    }

    pub(super) fn known(&self) -> &Known {
        &self.here.known
    }

    pub(super) fn changed(&self) -> bool {
        self.changed
    }

    /// What earlier walks learned of an open loop.
    pub(crate) fn trips(&self, open: &Open) -> Option<&Trips> {
        open.trips.map(|number| &self.loops[number])
    }

    /// The walk comes to an instruction: what callers bring along counts from here.
    pub(crate) fn come_to(&mut self, at: usize) {
        while self.code.labels.get(self.label).is_some_and(|label| label.before as usize <= at) {
            self.label += 1;
            self.here = Side { known: Known::NOTHING, dead: false };
        }
    }

    /// Past one instruction.
    pub(crate) fn step(&mut self, at: usize) {
        self.come_to(at);
        let instruction = &self.code.instructions[at];
        match self.code.links[at] {
            Some(Link::If { .. }) => {
                let parts = self.reads(at);
                self.open.push(Open { at, parts, aside: self.here, writes: Cells::default(), trips: None });
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
            None => self.assign(instruction),
        }
    }

    /// How the registers vary that an instruction reads.
    pub(super) fn reads(&self, at: usize) -> Variance {
        let instruction = &self.code.instructions[at];
        if instruction.operands.iter().any(|operand| is_varying_special(&operand.value)) {
            return Variance::Varies;
        }
        let reads = instruction.reads().map(|cell| self.here.known.of(cell));
        reads.max().unwrap_or(Variance::Uniform)
    }

    fn begin_loop(&mut self, at: usize) {
        let trips = Some(self.begun);
        self.here.known.join(&self.loops[self.begun].top);
        self.begun += 1;
        let aside = Side { known: Known::default(), dead: true };
        self.open.push(Open { at, parts: Variance::Uniform, aside, writes: Cells::default(), trips });
    }

    fn assign(&mut self, instruction: &Instruction) {
        let name = instruction.name();
        if instruction.entry.is_none() || !instruction.complete || name == "call" {
            self.here.known = Known::NOTHING;
            self.wrote(&Cells::ALL);
            return;
        }
        if matches!(name, "halt" | "return") {
            self.here.dead |= instruction.guard.is_none();
            return;
        }
        let result = result(self.written, instruction, &self.here.known);
        let guard = instruction.guard.map(|guard| self.here.known.of(Cell::Predicate(guard.predicate)));
        let mut writes = Cells::default();
        for (cell, whole) in instruction.written() {
            writes.insert(cell);
            match guard {
                None if whole => self.here.known.set(cell, result),
                // Some lanes, or some bits of all, stay as they were.
                _ => self.here.known.raise(cell, result.max(guard.unwrap_or(Variance::Uniform))),
            }
        }
        self.wrote(&writes);
    }

    /// Notes what is written inside of the construct that is open.
    fn wrote(&mut self, writes: &Cells) {
        if let Some(open) = self.open.last_mut() {
            open.writes.add(writes);
        }
    }

    fn end_if(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.here = match (self.here, open.aside) {
            (here, Side { dead: true, .. }) => here,
            (Side { dead: true, .. }, aside) => aside,
            (mut here, aside) => {
                here.known.join(&aside.known);
                here.known.raise_all(&open.writes, open.parts);
                here
            }
        };
        self.wrote(&open.writes);
    }

    fn end_loop(&mut self, at: usize) {
        let Some(Open { at: start, aside, writes, trips: Some(number), .. }) = self.open.pop() else {
            return;
        };
        let mut top = self.loops[number].top;
        if !self.here.dead {
            self.changed |= top.join(&self.here.known);
        }
        let Trips { breaks, continues, apart_from, .. } = self.loops[number];
        if let Some((variance, _)) = continues {
            let before = top;
            self.raise_written(&mut top, apart_from as usize..at, variance);
            self.changed |= before != top;
        }
        self.loops[number].top = top;
        self.here = aside;
        if let Some((variance, _)) = breaks {
            let mut known = self.here.known;
            self.raise_written(&mut known, start..at, variance);
            self.here.known = known;
        }
        self.wrote(&writes);
    }

    /// Lanes come together that have run different parts of a stretch, or run it a different number of times.
    fn raise_written(&self, known: &mut Known, stretch: std::ops::Range<usize>, variance: Variance) {
        for instruction in &self.code.instructions[stretch] {
            if instruction.name() == "call" || instruction.entry.is_none() || !instruction.complete {
                known.raise_all(&Cells::ALL, Variance::Unknown);
                return;
            }
            // A constant may have been there before.
            let is_constant = instruction.reads().next().is_none();
            let variance = if is_constant { variance.min(Variance::Unknown) } else { variance };
            instruction.written().for_each(|(cell, _)| known.raise(cell, variance));
        }
    }

    fn leave(&mut self, at: usize, target: usize) {
        let Some(place) = self.open.iter().position(|open| open.at == target) else { return };
        let here = self.here;
        let own = self.reads(at);
        let Some(number) = self.open[place].trips else { return };
        // Lanes that an `if` inside of the loop sent elsewhere are not here, nor those that continued before.
        let apart = self.open[place + 1..].iter().find(|open| open.parts > Variance::Uniform);
        let away = apart.map_or(Variance::Uniform, |open| {
            self.open[place + 1..].iter().map(|open| open.parts).max().unwrap_or(open.parts)
        });
        let continued = self.loops[number].continues.filter(|_| at >= self.loops[number].apart_from as usize);
        let continued = continued.map_or(Variance::Uniform, |(variance, _)| variance);
        let variance = own.max(away).max(continued);
        let is_break = self.code.instructions[at].name() == "break";
        let trips = &mut self.loops[number];
        let known = if is_break { &mut trips.breaks } else { &mut trips.continues };
        if variance > known.map_or(Variance::Uniform, |(variance, _)| variance) {
            *known = Some((variance, at as u32));
            self.changed = true;
        }
        if !is_break && variance > Variance::Uniform {
            let from = apart.map_or(at, |open| open.at) as u32;
            let first = if trips.apart_from == 0 { from } else { from.min(trips.apart_from) };
            self.changed |= trips.apart_from != first;
            trips.apart_from = first;
        }
        if is_break {
            self.open[place].aside.dead &= here.dead;
            self.open[place].aside.known.join(&here.known);
        } else if !here.dead {
            self.changed |= trips.top.join(&here.known);
        }
    }
}
