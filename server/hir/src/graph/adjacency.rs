//! A graph as the lists of each node's successors and predecessors.

use crate::lists::Lists;

/// A directed graph whose nodes are `0..len`. Edges keep the order in which they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    successors: Lists,
    predecessors: Lists,
}

impl Graph {
    pub fn new(len: usize, edges: &[(u32, u32)]) -> Graph {
        let reversed: Vec<(u32, u32)> = edges.iter().map(|&(from, to)| (to, from)).collect();
        Graph { successors: Lists::new(len, edges), predecessors: Lists::new(len, &reversed) }
    }

    pub fn len(&self) -> usize {
        self.successors.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn successors(&self, node: u32) -> &[u32] {
        self.successors.of(node)
    }

    pub fn predecessors(&self, node: u32) -> &[u32] {
        self.predecessors.of(node)
    }

    pub fn reversed(&self) -> Graph {
        Graph { successors: self.predecessors.clone(), predecessors: self.successors.clone() }
    }

    pub fn reachable(&self, root: u32) -> Vec<bool> {
        let mut seen = vec![false; self.len()];
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut seen[node as usize], true) {
                open.extend(self.successors(node).iter().filter(|&&next| !seen[next as usize]));
            }
        }
        seen
    }
}
