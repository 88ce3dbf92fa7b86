//! Divergence and reconvergence: which lanes of a warp run together.
//!
//! Each divergence model has a file here, and no other code depends on which model is active. How a group executes its
//! instructions is up to `exec`.

mod calls;
mod frontier;
pub(super) mod group;
pub(super) mod groups;
mod its;
pub(super) mod model;
mod order;
mod patience;
pub(super) mod reconvergences;
mod regions;
mod stack;
