//! What lanes come to, and with which registers written: code that none reaches, and registers that are read before anything
//! has written them.
//!
//! Control flow is structured, so one walk in text order sees every way: the two sides of an `if` start alike, and come together
//! at its `endif`; lanes come past an `endloop` by a `break` only. What a loop writes further down counts as not yet written
//! further up, for so it is in the first trip.

use text_size::TextRange;

use super::cells::{Cell, Cells};
use super::model::{Code, Link, Name, Role};
use super::problem::{Problem, ProblemKind};

/// Neighbouring arguments that a kernel may leave unread.
const ASIDE: u8 = 2;

/// Adds what is wrong to the problems of a kernel whose constructs are all closed. Answers whether no lane comes to its end.
pub(crate) fn check(code: &mut Code) -> bool {
    let mut walk = Walk::default();
    let mut labels = code.labels.iter().map(|label| label.before as usize).peekable();
    for at in 0..code.instructions.len() {
        if labels.next_if(|label| *label <= at).is_some() {
            while labels.next_if(|label| *label <= at).is_some() {}
            // A call may bring lanes here, with whatever its caller has written.
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
        // A register that the kernel does not have is said to read as 0 already.
        let known = index.is_some_and(|index| index < arguments || u32::from(index) >= registers);
        if !again && !known {
            report(code, at, cell);
        }
    }
    ends
}

/// Whether a read is that of the register behind another, by the same instruction.
fn next_of_pair((before, first): (usize, Cell), (at, second): (usize, Cell)) -> bool {
    before == at && first.general().zip(second.general()).is_some_and(|(first, second)| first + 1 == second)
}

/// Registers that a launch may be meant to set are those below the answer: arguments come in r0, r1, r2 and so on, of which
/// a kernel may leave some aside.
fn arguments(unwritten: &[(usize, Cell)]) -> u8 {
    let mut read: Vec<u8> = unwritten.iter().filter_map(|(_, cell)| cell.general()).collect();
    read.sort_unstable();
    read.into_iter()
        .fold(0, |after, index| if index <= after.saturating_add(ASIDE) { index + 1 } else { after })
}

/// The lanes that come to one place.
#[derive(Default)]
struct Walk {
    /// What may have been written on some way to here.
    written: Cells,
    /// Whether no lane comes here.
    dead: bool,
    open: Vec<Open>,
    /// First and last instructions of stretches that no lane comes to.
    unreached: Vec<(usize, usize)>,
    /// The first read of each register that is read unwritten.
    unwritten: Vec<(usize, Cell)>,
    said: Cells,
}

/// An `if` or a `loop`.
struct Open {
    written: Cells,
    dead: bool,
    /// How the first side ended.
    side: Option<(Cells, bool)>,
    /// Whether lanes come to a `break` of this loop.
    left: bool,
    is_loop: bool,
}

impl Walk {
    fn step(&mut self, code: &Code, at: usize) {
        let instruction = &code.instructions[at];
        let mnemonic = instruction.entry.map_or("", |entry| entry.mnemonic);
        match code.links[at] {
            // The words of a construct that no lane comes to are of it.
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
            for cell in instruction.reads() {
                if !self.written.contains(cell) && !self.said.contains(cell) {
                    self.said.insert(cell);
                    self.unwritten.push((at, cell));
                }
            }
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
            // What is called may write anything.
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
        // Without an `else`, the lanes that skip the first side are the second.
        let (written, dead) = open.side.unwrap_or((open.written, open.dead));
        self.written.add(&written);
        self.dead &= dead;
    }

    fn end_loop(&mut self) {
        let Some(open) = self.open.pop() else { return };
        self.dead = open.dead || !open.left;
    }
}

/// Says that the instruction at `at` reads `cell` unwritten.
fn report(code: &mut Code, at: usize, cell: Cell) {
    let instruction = code.instructions[at].range;
    let is_it = |name: &Name| match (name, cell) {
        (Name::Register(index), Cell::General(cell)) => *index == cell,
        (Name::Predicate(index), Cell::Predicate(cell)) => *index == cell,
        _ => false,
    };
    let mut names =
        code.names.iter().filter(|name| instruction.contains_range(name.range) && name.role != Role::Write);
    // The second register of a pair is not written out.
    let range = names.find(|name| is_it(&name.name)).map_or(instruction, |name| name.range);
    let kind = match cell {
        Cell::General(index) => ProblemKind::UnwrittenRegister(index),
        Cell::Predicate(index) => ProblemKind::UnwrittenPredicate(index),
    };
    code.problems.push(Problem { range, kind });
}
