//! WAVE: structured masks over waves of 1 to 64 lanes (the model `structured`).
//!
//! [`decode`] turns what `hir` knows of a kernel into a [`Program`]; [`run`] runs it. The rules are the guide's: lanes part at `if`,
//! `break` and `continue` and meet again at `endif` and `endloop`, a side that no lane takes is skipped, and lanes that broke,
//! continued, returned or halted stay away until the place they left for. `frames` says how.
//!
//! Where the texts leave something open, this is what happens here (the reference emulator agrees unless said): division by zero
//! gives 0; a float division by zero is IEEE's (the emulator always gives infinity); shuffles read lanes that are not running as
//! they stand; crossed bounds of a clamp give the upper one; `wave_ballot` shows lanes 0 to 31; a register that the kernel does not
//! have reads as 0; `@p0` is a guard like any other (the toolchain drops it); lanes that come to the end of the kernel end there.

mod alu;
mod control;
mod cross;
mod decode;
mod float;
mod frames;
mod lanes;
mod launch_config;
mod listing;
mod machine;
mod matrix;
mod meetings;
mod memory;
mod named;
mod operations;
mod probe;
mod program;
pub mod reference;
mod run;
mod scattered;
mod spin;
mod stage;
mod state;
mod straight;
#[cfg(test)]
mod tests;
mod told;
mod watch;

pub use decode::{decode, literal};
pub use launch_config::{LaunchConfig, MAX_WAVE_WIDTH};
pub use program::Program;
pub use run::run;
