//! Functions that call themselves. A machine has room for eight calls, so hardly any recursion ends well.

use super::functions::{Functions, Stretch};
use super::model::{Code, Instruction};
use super::problem::{Problem, ProblemKind};

/// Adds the calls that close a circle to the problems of a kernel.
pub(crate) fn check(code: &mut Code) {
    let is_call = |instruction: &Instruction| instruction.name() == "call";
    if code.labels.is_empty() || !code.instructions.iter().any(is_call) {
        return;
    }
    let functions = Functions::of(code);
    let stretches = functions.stretches(code);
    let mut search = Search { functions: &functions, stretches: &stretches, closing: Vec::new() };
    search.run();
    let problems = search.closing.iter().map(|&(at, label)| {
        let range = code.instructions[at].operands[0].range;
        Problem { range, kind: ProblemKind::Recursion(code.labels[label].name.clone()) }
    });
    let problems: Vec<Problem> = problems.collect();
    code.problems.extend(problems);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

/// A stretch that is being looked at.
struct Visit {
    stretch: usize,
    /// The call that led here, as a number of the calls; `None` where lanes ran here from the stretch above.
    by: Option<usize>,
    /// The next of its calls; behind the last, what it runs into.
    next: usize,
}

/// Depth first through what stretches call and run into.
struct Search<'f> {
    functions: &'f Functions,
    stretches: &'f [Stretch],
    /// The calls that close a circle, with the label that they name.
    closing: Vec<(usize, usize)>,
}

impl Search<'_> {
    fn run(&mut self) {
        let mut state = vec![State::New; self.stretches.len()];
        for root in 0..self.stretches.len() {
            if state[root] == State::New {
                self.visit(root, &mut state);
            }
        }
    }

    fn visit(&mut self, root: usize, state: &mut [State]) {
        let mut path = vec![self.enter(root, None, state)];
        while let Some(visit) = path.last_mut() {
            let stretch = &self.stretches[visit.stretch];
            let call = visit.next;
            visit.next += 1;
            let (to, by) = if call < stretch.calls.end {
                let Some(label) = self.functions.calls()[call].label else { continue };
                (label + 1, Some(call))
            } else if call == stretch.calls.end && stretch.falls {
                (visit.stretch + 1, None)
            } else {
                state[visit.stretch] = State::Done;
                path.pop();
                continue;
            };
            match state[to] {
                State::New => path.push(self.enter(to, by, state)),
                // Where lanes run into what is open, the last call on the way closed the circle.
                State::Open => self.close(by.or_else(|| path.iter().rev().find_map(|visit| visit.by))),
                State::Done => {}
            }
        }
    }

    fn enter(&self, stretch: usize, by: Option<usize>, state: &mut [State]) -> Visit {
        state[stretch] = State::Open;
        Visit { stretch, by, next: self.stretches[stretch].calls.start }
    }

    fn close(&mut self, call: Option<usize>) {
        let Some(call) = call.map(|call| self.functions.calls()[call]) else { return };
        if let Some(label) = call.label {
            self.closing.push((call.at, label));
        }
    }
}
