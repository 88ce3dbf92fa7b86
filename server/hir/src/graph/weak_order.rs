//! A weak topological order (Bourdoncle): every node precedes the targets of its edges, except for edges back
//! to the head of a loop. The nodes of a loop are contiguous, its head first, and nested loops are contiguous
//! inside it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Graph, strong_components};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ordered {
    pub node: u32,
    /// The number of nodes from here on that form the loop with this head; 1 if the node is not a head.
    pub extent: u32,
}

/// The nodes that are reachable from `root`, in a weak topological order. Ties are broken in favor of lower
/// numbers.
pub fn weak_order(graph: &Graph, root: u32) -> Vec<Ordered> {
    let reachable = graph.reachable(root);
    let nodes: Vec<u32> = (0..graph.len() as u32).filter(|&node| reachable[node as usize]).collect();
    let mut order = Vec::with_capacity(nodes.len());
    let mut open = vec![Task::Nodes(nodes)];
    while let Some(task) = open.pop() {
        match task {
            Task::Node(node) => order.push(Ordered { node, extent: 1 }),
            Task::EndOfLoop(head) => order[head].extent = (order.len() - head) as u32,
            Task::Loop(mut nodes) => {
                let head = head(graph, &nodes, root);
                nodes.retain(|&node| node != head);
                open.push(Task::EndOfLoop(order.len()));
                open.push(Task::Nodes(nodes));
                open.push(Task::Node(head));
            }
            Task::Nodes(nodes) => {
                let components = sorted_components(graph, &nodes);
                open.extend(components.into_iter().rev().map(|component| match component[..] {
                    [node] => Task::Node(node),
                    _ => Task::Loop(component),
                }));
            }
        }
    }
    order
}

enum Task {
    Nodes(Vec<u32>),
    /// A strong component of more than one node.
    Loop(Vec<u32>),
    Node(u32),
    /// The loop whose head is at this position of the order is complete.
    EndOfLoop(usize),
}

/// The head of a loop: the lowest node with a predecessor outside the loop.
fn head(graph: &Graph, nodes: &[u32], root: u32) -> u32 {
    let inside: FxHashSet<u32> = nodes.iter().copied().collect();
    let is_entered =
        |node: u32| node == root || !graph.predecessors(node).iter().all(|from| inside.contains(from));
    let entered = nodes.iter().copied().filter(|&node| is_entered(node)).min();
    entered.or(nodes.iter().copied().min()).unwrap_or(root)
}

/// The strong components of the subgraph over `nodes`, in topological order.
fn sorted_components(graph: &Graph, nodes: &[u32]) -> Vec<Vec<u32>> {
    let mut components = strong_components(nodes, |node| graph.successors(node).to_vec());
    let mut component_of = FxHashMap::default();
    for (index, component) in components.iter().enumerate() {
        component_of.extend(component.iter().map(|&node| (node, index)));
    }
    let leads_to = |index: usize, component: &[u32]| -> Vec<usize> {
        let successors = component.iter().flat_map(|&node| graph.successors(node));
        let led_to = successors.filter_map(|next| component_of.get(next).copied());
        led_to.filter(|&other| other != index).collect()
    };
    let edges: Vec<Vec<usize>> =
        components.iter().enumerate().map(|(index, component)| leads_to(index, component)).collect();
    let mut before = vec![0u32; components.len()];
    edges.iter().flatten().for_each(|&to| before[to] += 1);
    let lowest: Vec<u32> = components.iter().map(|nodes| nodes.iter().copied().min().unwrap_or(0)).collect();
    let free = (0..components.len()).filter(|&index| before[index] == 0);
    let mut free: BinaryHeap<_> = free.map(|index| Reverse((lowest[index], index))).collect();
    let mut sorted = Vec::with_capacity(components.len());
    while let Some(Reverse((_, index))) = free.pop() {
        sorted.push(std::mem::take(&mut components[index]));
        for &to in &edges[index] {
            before[to] -= 1;
            if before[to] == 0 {
                free.push(Reverse((lowest[to], to)));
            }
        }
    }
    sorted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order(len: usize, edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
        weak_order(&Graph::new(len, edges), 0).iter().map(|place| (place.node, place.extent)).collect()
    }

    #[test]
    fn a_loop_is_contiguous_even_if_its_exit_is_numbered_between_its_nodes() {
        // 0 -> 1 -> 3 -> 1, and out of the loop from 1 to 2.
        assert_eq!(order(4, &[(0, 1), (1, 2), (1, 3), (3, 1)]), [(0, 1), (1, 2), (3, 1), (2, 1)]);
    }

    #[test]
    fn loops_in_loops() {
        let edges = [(0, 1), (1, 2), (2, 3), (3, 2), (3, 4), (4, 1), (4, 5)];
        assert_eq!(order(6, &edges), [(0, 1), (1, 4), (2, 2), (3, 1), (4, 1), (5, 1)]);
    }

    #[test]
    fn the_root_may_be_in_a_loop_and_a_loop_may_have_two_entries() {
        assert_eq!(order(2, &[(0, 1), (1, 0)]), [(0, 2), (1, 1)]);
        assert_eq!(order(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]), [(0, 1), (1, 2), (2, 1), (3, 1)]);
    }

    proptest! {
        #[test]
        fn only_edges_into_a_loop_s_head_lead_back(edges in prop::collection::vec((0u32..12, 0u32..12), 0..40)) {
            let graph = Graph::new(12, &edges);
            let order = weak_order(&graph, 0);
            let place = |node: u32| order.iter().position(|ordered| ordered.node == node);
            let reachable = graph.reachable(0);
            prop_assert_eq!(order.len(), reachable.iter().filter(|reachable| **reachable).count());
            for (from, to) in edges.into_iter().filter(|(from, _)| reachable[*from as usize]) {
                let (from, to) = (place(from).unwrap(), place(to).unwrap());
                let within = (to..to + order[to].extent as usize).contains(&from);
                prop_assert!(from < to || within);
            }
            // Extents nest.
            for (start, a) in order.iter().enumerate() {
                for (at, b) in order.iter().enumerate().skip(start).take(a.extent as usize) {
                    prop_assert!(at + b.extent as usize <= start + a.extent as usize);
                }
            }
        }
    }
}
