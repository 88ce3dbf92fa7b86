//! Tensor memory: its cells, the operations on them that are in flight, and the log of their uses.

pub(crate) mod cells;
pub(crate) mod operation;
pub(crate) mod use_log;
