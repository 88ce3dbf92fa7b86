//! The model `wave-emu`: the reference emulator 0.1.2, instruction for instruction, including its bugs.
//!
//! `encode` encodes a file like the assembler of that version; `decode`, `wave`, `control` and `run` decode
//! and execute the words like its emulator. So bugs of the encoding need no special rules: a compare-and-swap
//! becomes an add, and its second word is executed as an instruction; the bits of a cache hint turn control
//! instructions and moves into other instructions; `@p0` is not a guard; a `call` in any kernel but the first
//! computes a wrong target; and a kernel without a `halt` continues into the next one.
//!
//! Visits follow the rules of all models: a visit has a nonempty mask. The emulator also steps with an empty
//! mask; such steps count towards its limit, change nothing and are not visits. If a second word is executed,
//! that is a visit of its statement. Instructions of another kernel have no statement here and are not
//! visits.
//!
//! Names of the guide's dialect for an instruction of the assembler (`icmp.lt`, `device_store.u32` with its
//! value first, a scope as a suffix, a short `.workgroup_size`) denote that instruction. A kernel with
//! anything else that the assembler rejects is not run: a finding names the line and the fix. In other
//! kernels, such a statement matters only if the run reaches it.
//!
//! Where the emulator itself would crash, the run ends with a finding.

mod comparison;
mod control;
mod decode;
mod encode;
mod frames;
mod program;
mod quirk;
mod run;
mod wave;

pub use program::{Program, Rejection, decode};
pub use run::run;
