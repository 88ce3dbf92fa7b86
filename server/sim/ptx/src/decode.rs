//! Decodes a program's meaning (`hir`) into the form that a run needs ([`Program`](super::Program)).
//!
//! An instruction that cannot be decoded becomes one that stops the run and tells why: values are never made up.

mod arithmetic;
mod bits;
mod bulk;
mod cluster;
mod compare;
mod compress;
mod computed_addresses;
mod control;
mod convert;
mod exchange;
mod flow;
mod function;
mod instruction;
mod kernel;
mod matrix;
mod mbarrier;
mod memory;
mod mixed;
mod modifiers;
mod module;
mod multimem;
mod operands;
mod order;
mod passed_on;
mod passes;
mod patterns;
mod preconditions;
mod rounded_stores;
mod slot_table;
mod specials;
mod stack;
mod storage;
mod tensor;
mod tensor_memory;
mod updates;
mod value_flow;
mod video;
mod warpgroup;

pub use kernel::decode;
pub use module::{DecodeError, Lookup, Module};
pub(crate) use specials::{distinguishes_threads, is_workspace};

use smol_str::SmolStr;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Why(pub(crate) SmolStr);

type Result<T = (), E = Why> = std::result::Result<T, E>;

impl Why {
    fn new(text: &str) -> Why {
        Why(text.into())
    }

    fn operands() -> Why {
        Why::new("its operands are not of a simulated form")
    }

    fn form() -> Why {
        Why::new("this form of it is not simulated")
    }
}
