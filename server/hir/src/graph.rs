//! Directed graphs over small numbers, dominators and strong components in them. Nothing here knows what a node is.

mod adjacency;
mod components;
mod dominators;

pub use adjacency::Graph;
pub use components::strong_components;
pub use dominators::DominatorTree;
