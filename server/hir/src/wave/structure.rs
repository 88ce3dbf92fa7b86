//! Matches `if`, `else` and `endif`, and `loop`, `break`, `continue` and `endloop`, and finds those without a
//! partner.
//!
//! An instruction that closes the outer of two open constructs is still linked with it. If the inner one is
//! closed later, the two are improperly nested, which is one mistake; if it is never closed, only that is
//! reported.

use super::model::{Code, Instruction, Link};
use super::problem::{Construct, Problem, ProblemKind};

/// The maximum nesting depth, which is the number of entries of the divergence stack.
pub const MAX_DEPTH: usize = 32;

/// How many of the innermost open constructs are searched. A valid program never has so many open.
const REACH: usize = 2 * MAX_DEPTH;

/// Fills the links and parents of `code`.
pub(crate) fn join(code: &mut Code) {
    let count = code.instructions.len();
    let mut joiner = Joiner {
        instructions: &code.instructions,
        links: vec![None; count],
        parents: vec![None; count],
        open: Vec::new(),
        problems: &mut code.problems,
        deep: false,
    };
    for at in 0..count {
        joiner.step(at);
    }
    joiner.finish();
    let Joiner { links, parents, .. } = joiner;
    (code.links, code.parents) = (links, parents);
}

struct Open {
    construct: Construct,
    at: usize,
    /// The first instruction that closed something around this construct.
    crossed_by: Option<usize>,
    /// For a loop: whether a lane can leave it by `break`.
    left: bool,
    ended: bool,
}

struct Joiner<'c> {
    instructions: &'c [Instruction],
    links: Vec<Option<Link>>,
    parents: Vec<Option<u32>>,
    open: Vec<Open>,
    problems: &'c mut Vec<Problem>,
    deep: bool,
}

impl Joiner<'_> {
    fn step(&mut self, at: usize) {
        self.parents[at] = self.open.last().map(|open| open.at as u32);
        let Some(entry) = self.instructions[at].entry else { return };
        match entry.mnemonic {
            "if" => self.push(at, Construct::If, Link::If { otherwise: None, end: None }),
            "loop" => self.push(at, Construct::Loop, Link::Loop { end: None }),
            "else" => self.otherwise(at),
            "endif" => self.close(at, Construct::If),
            "endloop" => self.close(at, Construct::Loop),
            "break" | "continue" => self.leave(at, entry.mnemonic),
            "halt" | "return" => self.end_lanes(),
            _ => {}
        }
    }

    fn say(&mut self, at: usize, kind: ProblemKind) {
        self.problems.push(Problem { range: self.instructions[at].mnemonic_range, kind });
    }

    fn push(&mut self, at: usize, construct: Construct, link: Link) {
        if self.open.len() >= MAX_DEPTH && !self.deep {
            self.deep = true;
            self.say(at, ProblemKind::TooDeep);
        }
        self.links[at] = Some(link);
        self.open.push(Open { construct, at, crossed_by: None, left: false, ended: false });
    }

    /// The innermost open construct of this kind. Constructs nested in it are recorded as crossed by `at`.
    fn innermost(&mut self, at: usize, construct: Construct) -> Option<usize> {
        let far = self.open.len().saturating_sub(REACH);
        let place = far + self.open[far..].iter().rposition(|open| open.construct == construct)?;
        for inner in &mut self.open[place + 1..] {
            inner.crossed_by.get_or_insert(at);
        }
        Some(place)
    }

    fn otherwise(&mut self, at: usize) {
        let Some(place) = self.innermost(at, Construct::If) else {
            return self.say(at, ProblemKind::Unmatched(Construct::If));
        };
        let opener = self.open[place].at;
        self.parents[at] = self.parents[opener];
        match &mut self.links[opener] {
            Some(Link::If { otherwise: Some(first), .. }) => {
                let first = self.instructions[*first as usize].mnemonic_range;
                self.say(at, ProblemKind::SecondElse { first });
            }
            Some(Link::If { otherwise, .. }) => {
                *otherwise = Some(at as u32);
                self.links[at] = Some(Link::Else { open: opener as u32, end: None });
            }
            _ => {}
        }
    }

    fn close(&mut self, at: usize, construct: Construct) {
        let Some(place) = self.innermost(at, construct) else {
            return self.say(at, ProblemKind::Unmatched(construct));
        };
        let closed = self.open.remove(place);
        let opener = closed.at;
        self.parents[at] = self.parents[opener];
        if let Some(by) = closed.crossed_by {
            let open = self.instructions[opener].mnemonic_range;
            self.say(by, ProblemKind::Crossed { open, construct });
        }
        match &mut self.links[opener] {
            Some(Link::If { otherwise, end }) => {
                *end = Some(at as u32);
                let otherwise = *otherwise;
                self.links[at] = Some(Link::EndIf { open: opener as u32 });
                if let Some(other) = otherwise
                    && let Some(Link::Else { end, .. }) = &mut self.links[other as usize]
                {
                    *end = Some(at as u32);
                }
            }
            Some(Link::Loop { end }) => {
                *end = Some(at as u32);
                self.links[at] = Some(Link::EndLoop { open: opener as u32 });
                if !closed.left && !closed.ended {
                    self.say(opener, ProblemKind::EndlessLoop);
                }
            }
            _ => {}
        }
    }

    fn leave(&mut self, at: usize, mnemonic: &'static str) {
        match self.open.iter_mut().rev().take(REACH).find(|open| open.construct == Construct::Loop) {
            Some(open) => {
                open.left |= mnemonic == "break";
                self.links[at] = Some(Link::Leave { open: open.at as u32 });
            }
            None => self.say(at, ProblemKind::OutsideLoop(mnemonic.into())),
        }
    }

    /// Records that lanes may end here, in all open constructs. If a construct is already marked, so are its
    /// parents.
    fn end_lanes(&mut self) {
        self.open.iter_mut().rev().take_while(|open| !open.ended).for_each(|open| open.ended = true);
    }

    fn finish(&mut self) {
        for open in std::mem::take(&mut self.open) {
            self.say(open.at, ProblemKind::Unclosed(open.construct));
        }
    }
}
