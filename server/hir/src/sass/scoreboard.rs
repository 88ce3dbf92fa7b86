//! Pairs instructions that set a scoreboard with the instructions that wait for it.

use std::ops::Range;

use super::control::Control;
use super::flow::FlowGraph;
use super::model::Function;
use crate::graph::Graph;

/// The nearest instructions on the paths to an instruction that set a scoreboard it waits for.
pub fn setters(function: &Function, flow: &FlowGraph, index: usize, scoreboard: u8) -> Vec<usize> {
    let sets = |at| sets(function, at, scoreboard);
    flow.search(index, Graph::predecessors, sets, sets)
}

/// The nearest instructions on the paths from an instruction that wait for a scoreboard it sets.
pub fn waiters(function: &Function, flow: &FlowGraph, index: usize, scoreboard: u8) -> Vec<usize> {
    let waits = |at| waits(function, at, scoreboard);
    flow.search(index, Graph::successors, waits, waits)
}

/// The longest chain of waits in a block. A chain consists of pairs of an instruction that sets a scoreboard
/// and an instruction that waits for it, in which each setter issues no earlier than the previous wait.
/// Instructions issue in order, so the latencies of a chain add up. `DEPBAR` does not count, because it may
/// leave operations pending.
pub fn longest_wait_chain(function: &Function, block: Range<usize>) -> Vec<(usize, usize)> {
    // The waits so far: the pair, the index of the previous wait in the chain, and the length of the chain
    // that ends here.
    let mut waits: Vec<((usize, usize), Option<usize>, usize)> = Vec::new();
    // For each scoreboard, the setter and the longest chain before it.
    let mut set: [Option<(usize, Option<usize>)>; 6] = [None; 6];
    let mut longest: Option<usize> = None;
    let length = |waits: &[(_, _, usize)], chain: Option<usize>| chain.map_or(0, |at| waits[at].2);
    for index in block {
        let Some(control) = control(function, index) else { continue };
        for scoreboard in control.waits() {
            let Some((setter, before)) = set[usize::from(scoreboard)].take() else { continue };
            let with_it = length(&waits, before) + 1;
            if with_it > length(&waits, longest) {
                waits.push(((setter, index), before, with_it));
                longest = Some(waits.len() - 1);
            }
        }
        let sets = [control.write_scoreboard(), control.read_scoreboard()];
        for scoreboard in sets.into_iter().flatten() {
            if let Some(place) = set.get_mut(usize::from(scoreboard)) {
                *place = Some((index, longest));
            }
        }
    }
    let mut chain: Vec<_> = std::iter::successors(longest, |at| waits[*at].1).map(|at| waits[at].0).collect();
    chain.reverse();
    chain
}

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
