//! Asynchronous operations, once for all instructions that start one.
//!
//! An operation has sources, destinations, and a signal that it gives when it is complete. It is in the [`Queue`] of its cluster
//! from its issue on. A wait for groups completes the operations of these groups; all others complete when no thread of the
//! cluster can continue, oldest first: as late as the waits of the program allow, so that a missing wait shows. If the run is
//! eager, they complete at issue. A correct program has the same results both ways.
//!
//! What an instruction reads and writes is in its own module.

pub(crate) mod complete;
pub mod copy_log;
mod describe_copy;
pub mod operation;
pub mod phase_log;
pub mod queue;
