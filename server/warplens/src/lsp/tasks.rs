//! Work for a request that runs external tools or whole comparisons: each has a thread of its own, and a flag that stops it.
//!
//! The client cancels a task with its request or with its progress. When the server ends, the tasks are stopped and awaited, so that
//! no process and no temporary folder of them is left.

mod control;
pub(crate) mod progress;
pub(crate) mod running;
