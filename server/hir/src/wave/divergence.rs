//! Where the lanes of a wave part, as far as the text shows: barriers that only some of them come to.
//!
//! A register *varies* where it is made from something that differs from lane to lane: the lane's own number, a value that lanes
//! wrote on one side of an `if` only, a value from a trip that some had left the loop before. What comes from memory or from
//! a caller is not taken to vary, so nothing is said without a reason that stands in the text.

use text_size::TextRange;
use warplens_isa::wave as isa;

use super::cells::{Cell, Cells};
use super::model::{Code, Instruction, Link, Value};
use super::problem::{Problem, ProblemKind};

/// Walks over a kernel before the rest counts as known: more than there are loops inside of each other.
const MAX_WALKS: usize = 40;

/// Adds the barriers under divergence to the problems of a kernel whose constructs are all closed.
pub(crate) fn check(code: &mut Code) {
    if !code.instructions.iter().any(is_barrier) {
        return;
    }
    let mut loops = vec![Loop::default(); code.instructions.len()];
    for _ in 0..MAX_WALKS {
        let mut walk = Walk {
            code,
            loops: &mut loops,
            varying: Cells::default(),
            open: vec![],
            found: vec![],
            changed: false,
        };
        (0..code.instructions.len()).for_each(|at| walk.step(at));
        let Walk { found, changed, .. } = walk;
        if !changed {
            code.problems.extend(found);
            return;
        }
    }
}

fn is_barrier(instruction: &Instruction) -> bool {
    instruction.entry.is_some_and(|entry| entry.mnemonic == "barrier")
}

/// What earlier walks learned of a loop.
#[derive(Debug, Clone, Copy, Default)]
struct Loop {
    /// What varies at the top of a trip.
    top: Cells,
    /// The `break` or `continue` at which lanes part.
    parts: Option<TextRange>,
}

/// An `if` or a `loop` in the walk.
struct Open {
    at: usize,
    /// Where lanes part, if they do.
    parts: Option<TextRange>,
    /// What varied before it.
    before: Cells,
    /// What varied at the end of the first side.
    side: Option<Cells>,
    /// What is written inside.
    writes: Cells,
    is_loop: bool,
}

struct Walk<'c> {
    code: &'c Code,
    loops: &'c mut [Loop],
    varying: Cells,
    open: Vec<Open>,
    found: Vec<Problem>,
    changed: bool,
}

impl Walk<'_> {
    fn step(&mut self, at: usize) {
        let instruction = &self.code.instructions[at];
        let place = instruction.mnemonic_range;
        match self.code.links[at] {
            Some(Link::If { .. }) => {
                let parts = self.reads_varying(instruction).then_some(place);
                self.push(at, parts, false);
            }
            Some(Link::Loop { .. }) => {
                self.varying.add(&self.loops[at].top);
                self.push(at, self.loops[at].parts, true);
            }
            Some(Link::Else { .. }) => {
                if let Some(open) = self.open.last_mut() {
                    open.side = Some(std::mem::replace(&mut self.varying, open.before));
                }
            }
            Some(Link::EndIf { .. }) => self.end_if(),
            Some(Link::EndLoop { .. }) => self.end_loop(),
            Some(Link::Leave { open }) => self.leave(open as usize, instruction),
            None if is_barrier(instruction) => self.barrier(place),
            None => self.assign(instruction),
        }
    }

    fn push(&mut self, at: usize, parts: Option<TextRange>, is_loop: bool) {
        let before = self.varying;
        self.open.push(Open { at, parts, before, side: None, writes: Cells::default(), is_loop });
    }

    fn reads_varying(&self, instruction: &Instruction) -> bool {
        let special = instruction.operands.iter().any(|operand| match &operand.value {
            Value::Special(name) => isa::special_register(name).is_some_and(|register| !register.uniform),
            _ => false,
        });
        special || instruction.reads().any(|cell| self.varying.contains(cell))
    }

    fn assign(&mut self, instruction: &Instruction) {
        let Some(entry) = instruction.entry else { return };
        let guarded =
            instruction.guard.is_some_and(|guard| self.varying.contains(Cell::Predicate(guard.predicate)));
        let varies =
            guarded || result_varies(entry.mnemonic).unwrap_or_else(|| self.reads_varying(instruction));
        for cell in instruction.writes() {
            if let Some(open) = self.open.last_mut() {
                open.writes.insert(cell);
            }
            match varies {
                true => self.varying.insert(cell),
                // A guard leaves some lanes as they were.
                false if instruction.guard.is_none() => self.varying.remove(cell),
                false => {}
            }
        }
        if entry.mnemonic == "call" {
            self.varying = Cells::default();
        }
    }

    fn end_if(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.varying.add(&open.side.unwrap_or(open.before));
        if open.parts.is_some() {
            self.varying.add(&open.writes);
        }
        self.written_inside(&open.writes);
    }

    fn end_loop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let known = &mut self.loops[open.at];
        if known.parts.is_some() {
            self.varying.add(&open.writes);
        }
        self.changed |= known.top.add(&self.varying);
        self.written_inside(&open.writes);
    }

    fn written_inside(&mut self, writes: &Cells) {
        if let Some(outer) = self.open.last_mut() {
            outer.writes.add(writes);
        }
    }

    fn leave(&mut self, target: usize, instruction: &Instruction) {
        let within = self.open.iter().rev().take_while(|open| open.at != target);
        let parted = within.filter(|open| !open.is_loop).any(|open| open.parts.is_some());
        if (parted || self.reads_varying(instruction)) && self.loops[target].parts.is_none() {
            self.loops[target].parts = Some(instruction.mnemonic_range);
            self.changed = true;
        }
    }

    fn barrier(&mut self, range: TextRange) {
        if let Some(parts) = self.open.iter().find_map(|open| open.parts) {
            self.found.push(Problem { range, kind: ProblemKind::DivergentBarrier { parts } });
        }
    }
}

/// Whether the result of an instruction varies whatever it reads; `None` where it follows from that.
fn result_varies(mnemonic: &str) -> Option<bool> {
    match mnemonic {
        "wave_prefix_sum" => Some(true),
        "wave_broadcast" | "wave_ballot" | "wave_any" | "wave_all" => Some(false),
        _ if mnemonic.starts_with("wave_reduce") => Some(false),
        // What memory holds is not known.
        _ if mnemonic.contains("_load") => Some(false),
        _ => None,
    }
}
