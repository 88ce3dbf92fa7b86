//! Immediate dominators by the semi-NCA algorithm (Georgiadis and Tarjan), without recursion.

use super::Graph;

/// Computes dominator trees of one graph, reusing its buffers from one root to the next.
pub struct DominatorTree<'g> {
    graph: &'g Graph,
    /// The position of each node in the search, `NONE` for nodes that are not reached.
    number: Vec<u32>,
    order: Vec<u32>,
    /// This and the following tables are indexed by position in the search.
    parent: Vec<u32>,
    ancestor: Vec<u32>,
    semi: Vec<u32>,
    label: Vec<u32>,
    path: Vec<u32>,
}

const NONE: u32 = u32::MAX;

impl<'g> DominatorTree<'g> {
    /// Allocates the buffers; computes nothing yet.
    pub fn new(graph: &'g Graph) -> Self {
        DominatorTree {
            graph,
            number: vec![NONE; graph.len()],
            order: Vec::new(),
            parent: Vec::new(),
            ancestor: Vec::new(),
            semi: Vec::new(),
            label: Vec::new(),
            path: Vec::new(),
        }
    }

    /// The nodes that can be reached from `root` through nodes that `within` accepts, each with its immediate
    /// dominator (the root has none). A dominator comes before the nodes that it dominates.
    pub fn from_root(&mut self, root: u32, within: impl Fn(u32) -> bool) -> Vec<(u32, Option<u32>)> {
        self.search(root, within);
        self.semidominators();
        let mut immediate = std::mem::take(&mut self.parent);
        for index in 1..self.order.len() {
            let mut candidate = immediate[index];
            while candidate > self.semi[index] {
                candidate = immediate[candidate as usize];
            }
            immediate[index] = candidate;
        }
        let tree = self.order.iter().zip(&immediate).enumerate();
        let tree = tree
            .map(|(index, (&node, &dominator))| (node, (index > 0).then(|| self.order[dominator as usize])))
            .collect();
        self.parent = immediate;
        self.forget();
        tree
    }

    /// Numbers the nodes depth first.
    fn search(&mut self, root: u32, within: impl Fn(u32) -> bool) {
        let mut open = vec![(root, 0)];
        while let Some((node, parent)) = open.pop() {
            if self.number[node as usize] != NONE {
                continue;
            }
            let index = self.order.len() as u32;
            self.number[node as usize] = index;
            self.order.push(node);
            self.parent.push(parent);
            for &next in self.graph.successors(node).iter().rev() {
                if self.number[next as usize] == NONE && within(next) {
                    open.push((next, index));
                }
            }
        }
        self.ancestor.clone_from(&self.parent);
        self.semi.extend(0..self.order.len() as u32);
        self.label.extend(0..self.order.len() as u32);
    }

    fn semidominators(&mut self) {
        for index in (1..self.order.len()).rev() {
            let mut semi = self.parent[index];
            for &predecessor in self.graph.predecessors(self.order[index]) {
                let number = self.number[predecessor as usize];
                if number != NONE {
                    let best = self.best_above(number, index as u32 + 1);
                    semi = semi.min(self.semi[best as usize]);
                }
            }
            self.semi[index] = semi;
        }
    }

    /// The node with the least semidominator on the tree path down to `node`, within the part that is already
    /// linked. Compresses the path.
    fn best_above(&mut self, node: u32, linked: u32) -> u32 {
        let mut top = node;
        while self.ancestor[top as usize] >= linked {
            self.path.push(top);
            top = self.ancestor[top as usize];
        }
        let mut best = self.label[top as usize];
        while let Some(below) = self.path.pop() {
            self.ancestor[below as usize] = self.ancestor[top as usize];
            let own = self.label[below as usize];
            if self.semi[best as usize] < self.semi[own as usize] {
                self.label[below as usize] = best;
            } else {
                best = own;
            }
            top = below;
        }
        self.label[node as usize]
    }

    fn forget(&mut self) {
        for node in self.order.drain(..) {
            self.number[node as usize] = NONE;
        }
        self.parent.clear();
        self.ancestor.clear();
        self.semi.clear();
        self.label.clear();
    }
}

/// Answers in constant time whether one node dominates another.
pub struct Dominance {
    /// Numbers the nodes in a preorder walk of the dominator tree. The range of a node covers the node and
    /// all nodes that it dominates; it is empty for unreachable nodes.
    spans: Vec<std::ops::Range<u32>>,
}

impl Dominance {
    /// Considers the part of the graph that is reachable from `root`.
    pub fn new(graph: &Graph, root: u32) -> Dominance {
        let mut spans = vec![0..0; graph.len()];
        let tree = DominatorTree::new(graph).from_root(root, |_| true);
        let mut sizes = vec![1; graph.len()];
        for &(node, dominator) in tree.iter().rev() {
            if let Some(dominator) = dominator {
                sizes[dominator as usize] += sizes[node as usize];
            }
        }
        // The number for the next node below each dominator.
        let mut next = vec![0; graph.len()];
        for &(node, dominator) in &tree {
            let start = dominator.map_or(0, |dominator| next[dominator as usize]);
            let end = start + sizes[node as usize];
            spans[node as usize] = start..end;
            next[node as usize] = start + 1;
            if let Some(dominator) = dominator {
                next[dominator as usize] = end;
            }
        }
        Dominance { spans }
    }

    /// Whether all paths from the root to `node` pass through `dominator`; a node dominates itself.
    pub fn dominates(&self, dominator: u32, node: u32) -> bool {
        let below = &self.spans[node as usize];
        !below.is_empty() && self.spans[dominator as usize].contains(&below.start)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn immediate(graph: &Graph, root: u32) -> Vec<Option<u32>> {
        let mut all = vec![None; graph.len()];
        for (node, dominator) in DominatorTree::new(graph).from_root(root, |_| true) {
            all[node as usize] = dominator;
        }
        all
    }

    /// Computes dominators by definition: `a` dominates `b` if `b` cannot be reached without `a`.
    fn by_definition(graph: &Graph, root: u32) -> Vec<Option<u32>> {
        let reachable = graph.reachable(root);
        let dominates = |a: u32, b: u32| {
            let mut seen = vec![false; graph.len()];
            let mut open = if a == root { vec![] } else { vec![root] };
            while let Some(node) = open.pop() {
                if !std::mem::replace(&mut seen[node as usize], true) {
                    open.extend(graph.successors(node).iter().filter(|&&next| next != a));
                }
            }
            a == b || !seen[b as usize]
        };
        let nodes = 0..graph.len() as u32;
        nodes
            .clone()
            .map(|node| {
                let strict: Vec<u32> = nodes
                    .clone()
                    .filter(|&a| a != node && reachable[a as usize] && dominates(a, node))
                    .collect();
                let closest = strict.iter().find(|&&a| strict.iter().all(|&b| dominates(b, a)));
                closest.copied().filter(|_| reachable[node as usize])
            })
            .collect()
    }

    #[test]
    fn irreducible_loop_is_dominated_by_its_fork() {
        let graph = Graph::new(5, &[(0, 1), (0, 2), (1, 2), (2, 1), (1, 3), (4, 3)]);
        assert_eq!(immediate(&graph, 0), [None, Some(0), Some(0), Some(1), None]);
    }

    #[test]
    fn a_path_of_a_million_nodes_needs_no_stack() {
        let edges: Vec<_> = (0..1_000_000).map(|node| (node, node + 1)).collect();
        let graph = Graph::new(1_000_001, &edges);
        assert_eq!(immediate(&graph, 0)[1_000_000], Some(999_999));
    }

    proptest! {
        #[test]
        fn agrees_with_the_definition(edges in prop::collection::vec((0u32..9, 0u32..9), 0..24)) {
            let graph = Graph::new(9, &edges);
            prop_assert_eq!(immediate(&graph, 0), by_definition(&graph, 0));
        }
    }
}
