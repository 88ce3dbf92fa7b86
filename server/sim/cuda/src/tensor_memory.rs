//! Tensor memory: its cells, the layouts and descriptors of products, the operations that are in flight, and the log of uses with its picture.

pub mod cells;
pub mod instruction_descriptor;
pub mod layout;
pub mod map_text;
pub mod operation;
pub mod use_log;
