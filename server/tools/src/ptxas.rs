//! Runs ptxas on an open document and reads its output: messages and the resources of kernels.
//!
//! [`toolchain`](crate::toolchain) also runs ptxas, but to compare or show the machine code.

mod invocation;
mod output;

pub use invocation::{Invocation, Printed, PtxasError};
pub use output::{Message, Resources, messages, resources};
