//! What the command line and the language server share besides the analysis: comparisons of two kernels, and
//! NVIDIA's assembler and disassemblers, which run as separate processes with limits.
//!
//! Nothing here knows the protocol, the async runtime or the command line. The crate reads and writes only
//! the temporary files of a process; callers pass in the texts.

pub mod comparison;
pub mod listing;
mod open_text;
mod process;
mod ptx_target;
pub mod ptxas;
pub mod source;
pub mod toolchain;

pub use open_text::{LargeItem, open};
