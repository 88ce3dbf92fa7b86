//! PTX: a kernel decoded into compact operations, and the warps that run them.

mod correction;
pub mod decode;
pub mod engine;
mod executable;
pub mod launch_rules;
pub mod meaning;
pub mod program;
pub(crate) mod sanitizer;
pub mod tensor;
pub mod tensor_memory;

pub use decode::{DecodeError, Module, decode};
pub use engine::{MODELS, Model, run};
pub use executable::Kernel;
pub use program::Program;
