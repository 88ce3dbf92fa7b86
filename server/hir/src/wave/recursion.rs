//! Recursive functions. The maximum call depth is 8, so most recursion exceeds it.

use super::functions::{Functions, Segment};
use super::model::{Code, Instruction};
use super::problem::{Problem, ProblemKind};

/// Adds the calls that close a cycle to the problems of a kernel.
pub(crate) fn check(code: &mut Code) {
    let is_call = |instruction: &Instruction| instruction.name() == "call";
    if code.labels.is_empty() || !code.instructions.iter().any(is_call) {
        return;
    }
    let functions = Functions::of(code);
    let segments = functions.segments(code);
    let mut search = Search { functions: &functions, segments: &segments, closing: Vec::new() };
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

struct Visit {
    segment: usize,
    /// The call that led here, as an index of the calls; `None` if lanes fell through from the segment above.
    by: Option<usize>,
    /// The next call of the segment to visit; after the last one comes the segment that it falls through to.
    next: usize,
}

/// A depth-first search through calls and fall-through.
struct Search<'f> {
    functions: &'f Functions,
    segments: &'f [Segment],
    /// The calls that close a cycle, with the label that they name.
    closing: Vec<(usize, usize)>,
}

impl Search<'_> {
    fn run(&mut self) {
        let mut state = vec![State::New; self.segments.len()];
        for root in 0..self.segments.len() {
            if state[root] == State::New {
                self.visit(root, &mut state);
            }
        }
    }

    fn visit(&mut self, root: usize, state: &mut [State]) {
        let mut path = vec![self.enter(root, None, state)];
        while let Some(visit) = path.last_mut() {
            let segment = &self.segments[visit.segment];
            let call = visit.next;
            visit.next += 1;
            let (to, by) = if call < segment.calls.end {
                let Some(label) = self.functions.calls()[call].label else { continue };
                (label + 1, Some(call))
            } else if call == segment.calls.end && segment.falls {
                (visit.segment + 1, None)
            } else {
                state[visit.segment] = State::Done;
                path.pop();
                continue;
            };
            match state[to] {
                State::New => path.push(self.enter(to, by, state)),
                // If lanes fall through to an open segment, the last call on the path closed the cycle.
                State::Open => self.close(by.or_else(|| path.iter().rev().find_map(|visit| visit.by))),
                State::Done => {}
            }
        }
    }

    fn enter(&self, segment: usize, by: Option<usize>, state: &mut [State]) -> Visit {
        state[segment] = State::Open;
        Visit { segment, by, next: self.segments[segment].calls.start }
    }

    fn close(&mut self, call: Option<usize>) {
        let Some(call) = call.map(|call| self.functions.calls()[call]) else { return };
        if let Some(label) = call.label {
            self.closing.push((call.at, label));
        }
    }
}
