//! Why a lane holds a value: the chain of writes that it came through, computed from a recording.

mod chain;
mod instruction;
mod meaning;
mod shuffle;

pub use chain::{Link, LinkOperand, Question};
pub use instruction::without_comment;
