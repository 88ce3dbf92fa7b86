//! Directed graphs over small numbers: dominators, strong components, and orders. The algorithms do not
//! depend on what the nodes mean.

mod adjacency;
mod components;
mod dominators;
mod weak_order;

pub use adjacency::Graph;
pub use components::strong_components;
pub use dominators::{Dominance, DominatorTree};
pub use weak_order::{Ordered, weak_order};
