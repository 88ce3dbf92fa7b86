//! Asynchronous operations, with one implementation for all instructions that start one.
//!
//! An operation has sources, destinations, and a signal that it gives on completion. From its issue on it is in the
//! [`Queue`](queue::Queue) of its cluster. A wait for groups completes the operations of those groups. All other operations complete
//! when no thread of the cluster can continue, oldest first: as late as the program's waits allow, so that a missing
//! wait shows. In an eager run they complete at issue. A correct program has the same results either way.
//!
//! What each instruction reads and writes is in the module of that instruction.

pub(crate) mod complete;
pub mod copy_log;
mod describe_copy;
pub mod operation;
pub mod phase_log;
pub mod queue;
