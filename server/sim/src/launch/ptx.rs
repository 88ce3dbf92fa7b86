//! Launches of PTX entries: their requirements, inferred launches, and the parameters of a run.

mod infer;
mod kernel;
mod pointers;
mod resolve;
mod shape;

pub use kernel::{Parameter, PtxKernel};
pub use shape::Shape;
