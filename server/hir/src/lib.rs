//! The semantics of programs: names, types, basic blocks, post-dominators, static uniformity.

mod bit_set;
pub mod cfg;
pub mod graph;
pub mod half;
mod lists;
pub mod post_dominators;
pub mod ptx;
pub mod sass;
mod severity;
mod variance;
pub mod wave;

pub use severity::Severity;
pub use variance::Variance;
