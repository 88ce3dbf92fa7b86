//! A graph as two flat tables: where each node's edges start in the second table, and the node at the other
//! end of each edge.

/// A directed graph whose nodes are `0..len`. Edges keep the order in which they were given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    successors: Adjacency,
    predecessors: Adjacency,
}

impl Graph {
    pub fn new(len: usize, edges: &[(u32, u32)]) -> Graph {
        let reversed: Vec<(u32, u32)> = edges.iter().map(|&(from, to)| (to, from)).collect();
        Graph { successors: Adjacency::new(len, edges), predecessors: Adjacency::new(len, &reversed) }
    }

    pub fn len(&self) -> usize {
        self.successors.starts.len() - 1
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

    /// The graph with every edge reversed.
    pub fn reversed(&self) -> Graph {
        Graph { successors: self.predecessors.clone(), predecessors: self.successors.clone() }
    }

    /// For each node, whether it can be reached from `root`.
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

#[derive(Debug, Clone, PartialEq, Eq)]
struct Adjacency {
    starts: Box<[u32]>,
    targets: Box<[u32]>,
}

impl Adjacency {
    fn new(len: usize, edges: &[(u32, u32)]) -> Adjacency {
        let mut starts = vec![0u32; len + 1];
        for &(from, _) in edges {
            starts[from as usize + 1] += 1;
        }
        for index in 0..len {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut targets = vec![0; edges.len()];
        for &(from, to) in edges {
            let slot = &mut next[from as usize];
            targets[*slot as usize] = to;
            *slot += 1;
        }
        Adjacency { starts: starts.into(), targets: targets.into() }
    }

    fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.targets[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}
