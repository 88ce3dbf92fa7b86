//! Strong components by Tarjan's algorithm, without recursion.

use rustc_hash::FxHashMap;

/// The strong components of the subgraph over these nodes, in reverse topological order: a component comes
/// after those that its edges lead to. Edges to other nodes are ignored.
pub fn strong_components<I: IntoIterator<Item = u32>>(
    nodes: &[u32],
    successors: impl Fn(u32) -> I,
) -> Vec<Vec<u32>> {
    let index: FxHashMap<u32, usize> = nodes.iter().enumerate().map(|(index, node)| (*node, index)).collect();
    let within = |node: u32| -> Vec<usize> {
        successors(node).into_iter().filter_map(|next| index.get(&next).copied()).collect()
    };
    let mut search = Search {
        number: vec![None; nodes.len()],
        low: vec![0; nodes.len()],
        is_open: vec![false; nodes.len()],
        open: Vec::new(),
        found: 0,
    };
    let mut components = Vec::new();
    for root in 0..nodes.len() {
        if search.number[root].is_some() {
            continue;
        }
        search.enter(root);
        let mut path = vec![(root, within(nodes[root]))];
        while let Some((node, rest)) = path.last_mut() {
            let node = *node;
            match rest.pop() {
                Some(next) if search.number[next].is_none() => {
                    search.enter(next);
                    path.push((next, within(nodes[next])));
                }
                Some(next) if search.is_open[next] => {
                    search.low[node] = search.low[node].min(search.number[next].unwrap_or(0));
                }
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some((above, _)) = path.last() {
                        search.low[*above] = search.low[*above].min(search.low[node]);
                    }
                    let component = search.close(node);
                    if !component.is_empty() {
                        components.push(component.into_iter().map(|index| nodes[index]).collect());
                    }
                }
            }
        }
    }
    components
}

struct Search {
    number: Vec<Option<usize>>,
    /// The earliest open node that each node is known to reach.
    low: Vec<usize>,
    is_open: Vec<bool>,
    /// Nodes whose component is not complete yet.
    open: Vec<usize>,
    found: usize,
}

impl Search {
    fn enter(&mut self, node: usize) {
        self.number[node] = Some(self.found);
        self.low[node] = self.found;
        self.is_open[node] = true;
        self.open.push(node);
        self.found += 1;
    }

    /// Returns the component whose first node is `node`, which is finished; empty if `node` belongs to the
    /// component of an earlier node.
    fn close(&mut self, node: usize) -> Vec<usize> {
        if self.number[node] != Some(self.low[node]) {
            return Vec::new();
        }
        let start = self.open.iter().rposition(|open| *open == node).unwrap_or(0);
        let component = self.open.split_off(start);
        for node in &component {
            self.is_open[*node] = false;
        }
        component
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::graph::Graph;

    proptest! {
        #[test]
        fn agrees_with_the_definition(edges in prop::collection::vec((0u32..9, 0u32..9), 0..24)) {
            let graph = Graph::new(9, &edges);
            let nodes: Vec<u32> = (0..9).collect();
            let components = strong_components(&nodes, |node| graph.successors(node).to_vec());
            let place = |node: u32| components.iter().position(|component| component.contains(&node)).unwrap();
            prop_assert_eq!(components.iter().map(Vec::len).sum::<usize>(), 9);
            for a in 0..9 {
                let from_a = graph.reachable(a);
                for b in 0..9 {
                    let is_mutual = from_a[b as usize] && graph.reachable(b)[a as usize];
                    prop_assert_eq!(place(a) == place(b), is_mutual);
                    prop_assert!(!from_a[b as usize] || place(b) <= place(a));
                }
            }
        }
    }
}
