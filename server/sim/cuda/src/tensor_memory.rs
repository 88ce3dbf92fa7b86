//! Tensor memory: its cells, the operations on them that are in flight, and the log of their uses.

pub mod cells;
pub mod operation;
pub mod use_log;
