//! Directed graphs over small numbers, and dominators in them. Nothing here knows what a node is.

mod adjacency;
mod dominators;

pub use adjacency::Graph;
pub use dominators::DominatorTree;
