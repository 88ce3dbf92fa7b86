//! Which instruction sets a scoreboard that another one waits for.

use super::control::Control;
use super::flow::FlowGraph;
use super::model::Function;

/// The instructions that set a scoreboard for which an instruction waits: the nearest ones on the paths to it.
#[must_use]
pub fn setters(function: &Function, flow: &FlowGraph, index: usize, scoreboard: u8) -> Vec<usize> {
    search(
        flow,
        flow.predecessors(index).collect(),
        |at| sets(function, at, scoreboard),
        |at| flow.predecessors(at).collect(),
    )
}

/// The instructions that wait for a scoreboard which an instruction sets: the nearest ones on the paths from it.
#[must_use]
pub fn waiters(function: &Function, flow: &FlowGraph, index: usize, scoreboard: u8) -> Vec<usize> {
    search(
        flow,
        flow.successors(index).collect(),
        |at| waits(function, at, scoreboard),
        |at| flow.successors(at).collect(),
    )
}

/// Whether an instruction sets a scoreboard.
#[must_use]
pub fn sets(function: &Function, index: usize, scoreboard: u8) -> bool {
    control(function, index).is_some_and(|control| {
        control.write_scoreboard() == Some(scoreboard) || control.read_scoreboard() == Some(scoreboard)
    })
}

fn waits(function: &Function, index: usize, scoreboard: u8) -> bool {
    control(function, index).is_some_and(|control| control.wait_mask() >> scoreboard & 1 != 0)
}

fn control(function: &Function, index: usize) -> Option<Control> {
    function.instructions.get(index)?.control
}

fn search(
    flow: &FlowGraph,
    mut open: Vec<usize>,
    is_found: impl Fn(usize) -> bool,
    next: impl Fn(usize) -> Vec<usize>,
) -> Vec<usize> {
    let mut seen = vec![false; flow.nodes()];
    let mut found = Vec::new();
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        if is_found(at) {
            found.push(at);
        } else {
            open.extend(next(at));
        }
    }
    found.sort_unstable();
    found
}
