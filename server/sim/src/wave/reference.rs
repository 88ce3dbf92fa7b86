//! The model `wave-emu`: the reference emulator 0.1.2, instruction for instruction, its faults included.
//!
//! A file is encoded as the assembler of that version encodes it (`encode`), and the words are decoded and stepped as its
//! emulator does (`decode`, `wave`, `control`, `run`). So the faults that come from the encoding need no rule of their own: a
//! compare-and-swap is an add, and its second word is executed as an instruction; the bits of a cache hint make other
//! instructions of control and moves; `@p0` is no guard; a `call` in any kernel but the first goes astray; and a kernel without
//! a `halt` runs on in the next one.
//!
//! What is shown follows the rules of all models: a statement is visited only with a mask that is not empty. The emulator also
//! steps under an empty mask; those steps count towards its limit and change nothing, and they are no visits. A second word
//! that is executed is a visit of its statement; what runs in another kernel has no statement here and is no visit.
//!
//! Names that are the guide's spelling of an instruction of the assembler (`icmp.lt`, `device_store.u32` with its value first,
//! a scope as a suffix, a short `.workgroup_size`) stand for that instruction. A kernel with anything else that the assembler
//! does not take is not run: a finding names the line and the mend. In other kernels that matters only to a run that comes there.
//!
//! Where the emulator itself would crash, the run ends with a finding.

mod control;
mod decode;
mod encode;
mod program;
mod quirk;
mod run;
mod wave;
mod witness;

pub use program::{Program, decode};
pub use run::run;
