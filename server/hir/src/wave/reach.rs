//! Finds unreachable code, and registers that are read before they are written.
//!
//! Control flow is structured, so a single walk in text order covers every path: the two paths of an `if`
//! start in the same state and reconverge at its `endif`, and lanes get past an `endloop` only by a `break`.
//! Later writes in a loop do not count for earlier reads, because they have not been executed in the first
//! iteration.

use text_size::TextRange;

use super::cells::{Cell, Cells};
use super::model::{Code, Link, Name, Role};
use super::problem::{Problem, ProblemKind};

/// The number of adjacent arguments that a kernel may leave unread.
const ASIDE: u8 = 2;

/// Adds the problems found in a kernel whose constructs are all closed. Returns whether its end is
/// unreachable.
pub(crate) fn check(code: &mut Code) -> bool {
    let mut walk = Walk::default();
    let mut labels = code.labels.iter().map(|label| label.before as usize).peekable();
    for at in 0..code.instructions.len() {
        if labels.next_if(|label| *label <= at).is_some() {
            while labels.next_if(|label| *label <= at).is_some() {}
            // A call may reach this label with any registers written.
            (walk.written, walk.dead) = (Cells::ALL, false);
        }
        walk.step(code, at);
    }
    let Walk { unreached, unwritten, dead: ends, .. } = walk;
    for (first, last) in unreached {
        let (first, last) = (&code.instructions[first], &code.instructions[last]);
        let range = TextRange::new(first.range.start(), last.range.end());
        code.problems.push(Problem { range, kind: ProblemKind::Unreachable });
    }
    let arguments = arguments(&unwritten);
    let registers = code.resources.register_count();
    let mut before = None;
    for (at, cell) in unwritten {
        let again = before.replace((at, cell)).is_some_and(|before| next_of_pair(before, (at, cell)));
        let index = cell.general();
        // A register that the kernel does not have has its own problem.
        let known = index.is_some_and(|index| index < arguments || u32::from(index) >= registers);
        if !again && !known {
            report(code, at, cell);
        }
    }
    ends
}

/// Whether the second read is of the next register by the same instruction, that is, of the rest of a pair.
fn next_of_pair((before, first): (usize, Cell), (at, second): (usize, Cell)) -> bool {
    before == at && first.general().zip(second.general()).is_some_and(|(first, second)| first + 1 == second)
}

/// The number of leading registers that a launch may be meant to set. Arguments are passed in r0, r1, r2 and
/// so on, and a kernel may leave some of them unused.
fn arguments(unwritten: &[(usize, Cell)]) -> u8 {
    let mut read: Vec<u8> = unwritten.iter().filter_map(|(_, cell)| cell.general()).collect();
    read.sort_unstable();
    read.into_iter()
        .fold(0, |after, index| if index <= after.saturating_add(ASIDE) { index + 1 } else { after })
}

#[derive(Default)]
struct Walk {
    /// The registers that may have been written on some path to here.
    written: Cells,
    dead: bool,
    open: Vec<Open>,
    /// The first and last instruction of each unreachable range.
    unreached: Vec<(usize, usize)>,
    /// The first read of each register that is read before it is written.
    unwritten: Vec<(usize, Cell)>,
    reported: Cells,
}

struct Open {
    written: Cells,
    dead: bool,
    /// The state at the end of the first path.
    side: Option<(Cells, bool)>,
    /// Whether a `break` of this loop is reachable.
    left: bool,
    is_loop: bool,
}

impl Walk {
    fn step(&mut self, code: &Code, at: usize) {
        let instruction = &code.instructions[at];
        let mnemonic = instruction.entry.map_or("", |entry| entry.mnemonic);
        match code.links[at] {
            // The `else` and the end of an unreachable construct belong to it.
            Some(Link::Else { .. } | Link::EndIf { .. } | Link::EndLoop { .. }) => {
                if self.open.last().is_some_and(|open| open.dead) {
                    self.unreached(at);
                }
                match code.links[at] {
                    Some(Link::Else { .. }) => self.otherwise(),
                    Some(Link::EndIf { .. }) => self.end_if(),
                    _ => self.end_loop(),
                }
            }
            _ if self.dead => self.unreached(at),
            _ => {}
        }
        if !self.dead {
            instruction.reads().for_each(|cell| {
                if !self.written.contains(cell) && !self.reported.contains(cell) {
                    self.reported.insert(cell);
                    self.unwritten.push((at, cell));
                }
            });
        }
        instruction.writes().for_each(|cell| self.written.insert(cell));
        match (mnemonic, code.links[at]) {
            ("if" | "loop", _) => self.open.push(Open {
                written: self.written,
                dead: self.dead,
                side: None,
                left: false,
                is_loop: mnemonic == "loop",
            }),
            ("break", _) if !self.dead => {
                if let Some(innermost) = self.open.iter_mut().rev().find(|open| open.is_loop) {
                    innermost.left = true;
                }
            }
            // The callee may write any register.
            ("call", _) => self.written = Cells::ALL,
            ("halt" | "return", _) if instruction.guard.is_none() => self.dead = true,
            _ => {}
        }
    }

    fn unreached(&mut self, at: usize) {
        match self.unreached.last_mut() {
            Some((_, last)) if *last + 1 == at => *last = at,
            _ => self.unreached.push((at, at)),
        }
    }

    fn otherwise(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        open.side = Some((self.written, self.dead));
        (self.written, self.dead) = (open.written, open.dead);
    }

    fn end_if(&mut self) {
        let Some(open) = self.open.pop() else { return };
        // Without an `else`, the lanes that skip the first path form the second one.
        let (written, dead) = open.side.unwrap_or((open.written, open.dead));
        self.written.add(&written);
        self.dead &= dead;
    }

    fn end_loop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.dead = open.dead || !open.left;
    }
}

/// Reports that the instruction at `at` reads `cell` before it is written.
fn report(code: &mut Code, at: usize, cell: Cell) {
    let instruction = &code.instructions[at];
    let is_it = |name: &Name| match (name, cell) {
        (Name::Register(index), Cell::General(cell)) => *index == cell,
        (Name::Predicate(index), Cell::Predicate(cell)) => *index == cell,
        _ => false,
    };
    let mut names = instruction.names(code).filter(|name| name.role != Role::Write);
    // The second register of a pair does not appear in the text.
    let range = names.find(|name| is_it(&name.name)).map_or(instruction.range, |name| name.range);
    let kind = match cell {
        Cell::General(index) => ProblemKind::UnwrittenRegister(index),
        Cell::Predicate(index) => ProblemKind::UnwrittenPredicate(index),
    };
    drop(names);
    code.problems.push(Problem { range, kind });
}
