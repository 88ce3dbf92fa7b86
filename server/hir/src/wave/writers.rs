//! Reaching definitions: the instructions that may have written the value of a register at an instruction.

use rustc_hash::FxHashSet;

use super::cells::Cell;
use super::functions::{Functions, ends_all};
use super::model::{Code, Link};

const MOST: usize = 8;

impl Code {
    /// The instructions that may have written the value of a register before an instruction, the nearest
    /// first; writers from an earlier loop iteration come last. A write inside a called function is
    /// represented by the call.
    pub fn writers(&self, at: usize, cell: Cell) -> Vec<usize> {
        let search = Search { code: self, functions: Functions::of(self), cell };
        let mut found = Vec::new();
        let mut first = 0;
        for before in (0..at).rev() {
            if ends_all(self, before) {
                first = before;
                break;
            }
            if !self.other_side(before, at) && search.writes(before) {
                found.push(before);
                if search.always(before, at) {
                    first = before;
                    break;
                }
            }
        }
        // In a loop that starts after the last of them, later writes reach the next iteration.
        if let Some((_, end)) = self.loops_around(at).take_while(|(open, _)| *open >= first).last() {
            found.extend((at..end).rev().filter(|after| search.writes(*after)));
        }
        found.truncate(MOST);
        found
    }

    /// Whether the first instruction is on the first path of an `if` and the second on its other path.
    pub(crate) fn other_side(&self, first: usize, second: usize) -> bool {
        self.around(first).any(|open| match self.links[open] {
            Some(Link::If { otherwise: Some(otherwise), end: Some(close) }) => {
                let (otherwise, close) = (otherwise as usize, close as usize);
                (first..=close).contains(&otherwise) && (otherwise + 1..close).contains(&second)
            }
            _ => false,
        })
    }

    /// The loops around an instruction, innermost first, each with its start and end.
    pub(crate) fn loops_around(&self, at: usize) -> impl Iterator<Item = (usize, usize)> {
        self.around(at).filter_map(|open| match self.links[open] {
            Some(Link::Loop { end: Some(end) }) => Some((open, end as usize)),
            _ => None,
        })
    }
}

struct Search<'c> {
    code: &'c Code,
    functions: Functions,
    cell: Cell,
}

impl Search<'_> {
    fn writes(&self, at: usize) -> bool {
        let is_call = self.code.instructions[at].name() == "call";
        if is_call { self.callee_writes(at) } else { self.writes_itself(at) }
    }

    fn writes_itself(&self, at: usize) -> bool {
        self.code.instructions[at].writes().any(|written| written == self.cell)
    }

    fn callee_writes(&self, call: usize) -> bool {
        let mut seen = FxHashSet::default();
        let mut open = vec![call];
        while let Some(call) = open.pop() {
            let Some(label) = self.functions.callee(call) else { return true };
            if !seen.insert(label) {
                continue;
            }
            for at in self.code.extent(self.code.labels[label].before as usize) {
                match self.code.instructions[at].name() {
                    "call" => open.push(at),
                    _ if self.writes_itself(at) => return true,
                    _ => {}
                }
            }
        }
        false
    }

    /// Whether all lanes that reach `at` have executed the writer.
    fn always(&self, writer: usize, at: usize) -> bool {
        let instruction = &self.code.instructions[writer];
        let innermost = self.code.around(writer).next();
        let is_around = innermost.is_none_or(|open| self.code.around(at).any(|around| around == open));
        instruction.guard.is_none() && instruction.name() != "call" && is_around
    }
}
