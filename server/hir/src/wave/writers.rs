//! Reaching definitions: the instructions that may have written the value of a register at an instruction.

use rustc_hash::FxHashSet;

use super::cells::Cell;
use super::functions::{Functions, ends_all};
use super::model::{Code, Instruction, Link};

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
            if self.other_side(before, at) || !search.writes(before) {
                continue;
            }
            found.push(before);
            if search.always(before, at) {
                first = before;
                break;
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
        let mut parent = self.parents[first];
        while let Some(open) = parent.map(|open| open as usize) {
            if let Some(Link::If { otherwise: Some(otherwise), end: Some(close) }) = self.links[open]
                && (first..=close as usize).contains(&(otherwise as usize))
                && (otherwise as usize + 1..close as usize).contains(&second)
            {
                return true;
            }
            parent = self.parents[open];
        }
        false
    }

    /// The loops around an instruction, innermost first, each with its start and end.
    fn loops_around(&self, at: usize) -> impl Iterator<Item = (usize, usize)> {
        let parent = |at: usize| self.parents.get(at).copied().flatten().map(|open| open as usize);
        std::iter::successors(parent(at), move |open| parent(*open)).filter_map(|open| {
            match self.links[open] {
                Some(Link::Loop { end: Some(end) }) => Some((open, end as usize)),
                _ => None,
            }
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

    /// Whether the callee, or a function that it calls, writes the register.
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
        let instruction: &Instruction = &self.code.instructions[writer];
        let parent = |at: usize| self.code.parents.get(at).copied().flatten().map(|open| open as usize);
        let is_around = match parent(writer) {
            None => true,
            Some(open) => {
                std::iter::successors(parent(at), |open| parent(*open)).any(|around| around == open)
            }
        };
        instruction.guard.is_none() && instruction.name() != "call" && is_around
    }
}

#[cfg(test)]
mod tests {
    use warplens_syntax::parse_file;

    use super::*;

    /// The instructions that may have written r1 before the `nop`, counted from 0.
    fn writers(statements: &str) -> Vec<usize> {
        let file =
            parse_file(warplens_syntax::wave::LANGUAGE, &format!(".kernel k\n{statements}\nhalt\n.end\n"));
        let code = super::super::lower(file.items().next().expect("a kernel"));
        let at = code.instructions.iter().position(|instruction| instruction.name() == "nop");
        code.writers(at.expect("a nop"), Cell::General(1))
    }

    #[test]
    fn branches_loops_and_calls() {
        assert_eq!(writers("mov r1, r0\nmov r1, r2\nnop"), [1]);
        assert_eq!(writers("mov r1, r0\nif p0\nmov r1, r2\nelse\nnop\nendif"), [0]);
        assert_eq!(writers("mov r1, r0\nif p0\nmov r1, r2\nendif\nnop"), [2, 0]);
        assert_eq!(writers("mov r1, r0\n@p1 mov r1, r2\nnop"), [1, 0]);
        assert_eq!(writers("mov r1, r0\nloop\nnop\nmov r1, r2\nbreak p0\nendloop"), [0, 3]);
        assert_eq!(writers("loop\nmov r1, r0\nnop\nmov r1, r2\nbreak p0\nendloop"), [1]);
        assert_eq!(writers("mov r1, r0\ncall f\nnop\nhalt\nf: mov r1, r2\nreturn"), [1, 0]);
        assert_eq!(writers("mov r1, r0\ncall f\nnop\nhalt\nf: mov r2, r1\nreturn"), [0]);
        assert_eq!(writers("mov r1, r0\nhalt\nf: nop\nreturn"), [] as [usize; 0]);
    }
}
