//! Simulates WAVE: structured masks over waves of 1 to 64 lanes (the model `structured`).
//!
//! [`decode`](fn@decode) lowers the `hir` of a kernel to a [`Program`], and [`run`](fn@run) runs it. The rules come from the
//! guide: lanes diverge at `if`, `break` and `continue` and reconverge at `endif` and `endloop`, a path that
//! no lane enters is skipped, and lanes that broke, continued, returned or halted stay inactive until the
//! statement where they continue. `frames` implements them.
//!
//! The specification leaves some behavior open. The reference emulator agrees with these choices except
//! where noted: integer division by zero returns 0; float division by zero follows IEEE 754 (the emulator
//! always returns infinity); shuffles read the current registers of inactive lanes; a clamp with crossed
//! bounds returns the upper bound; `wave_ballot` covers lanes 0 to 31; a register that the kernel does not
//! declare reads as 0; `@p0` is an ordinary guard (the toolchain drops it); lanes that reach the end of the
//! kernel exit.

mod alu;
mod compute;
mod control;
mod decisive;
pub mod decode;
mod edits;
mod executable;
mod float;
mod frames;
mod further_faults;
mod interpreter_loop;
mod lanes;
pub mod launch_config;
pub mod launch_rules;
mod launch_state;
mod listing;
mod loop_efficiency;
mod machine;
mod matrix;
mod memory;
mod named_registers;
mod op;
mod operations;
mod order_points;
mod program;
mod quick;
mod reconvergences;
mod recorded_accesses;
pub mod reference;
mod reports;
pub mod run;
mod sanitizer;
mod skipped_accesses;
mod spin;
mod state;
#[cfg(test)]
mod tests;
mod value_tracer;
mod wave_ops;

pub use decode::decode;
pub use executable::{Kernel, MODELS};
pub use launch_config::{
    DEFAULT_DEVICE_MEMORY, DEFAULT_LOCAL_MEMORY, DEFAULT_WAVE_WIDTH, device_memory, launch_config,
};
pub(crate) use operations::distinguishes_threads;
pub use program::Program;
pub use run::run;
