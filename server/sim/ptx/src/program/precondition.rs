//! What an instruction requires of its operands although it would run without it: behavior is undefined if it does not hold.

use smol_str::SmolStr;
use warplens_sim_cuda::address::{Address, Space};
use warplens_sim_cuda::slot::{RegisterSlot, Slot};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Precondition {
    /// The opcode and the operation, for messages.
    pub name: SmolStr,
    pub requires: Requirement,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Requirement {
    /// The address is in one of these state spaces.
    In(Address, Space, Window),
    /// All lanes give the same value for an operand.
    Same { what: &'static str, operand: LaneOperand },
    /// The operand is at most this.
    AtMost { what: &'static str, operand: RegisterSlot, limit: u32 },
    /// The operand is a multiple of this, and if `positive` not zero.
    MultipleOf { what: &'static str, operand: RegisterSlot, unit: u32, positive: bool },
    /// The address, and the address of each further line at this stride, are multiples of these numbers of bytes.
    Aligned { address: Address, start: u32, line: u32, stride: Option<Slot>, element_bits: u32 },
    /// The data and the mbarrier that tracks them are in one block of the cluster; if `elsewhere`, in another than the running one.
    OneBlock { data: (Address, Space), mbarrier: (Address, Space), elsewhere: bool },
}

/// An operand that each lane has a value of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneOperand {
    Register(RegisterSlot),
    Address(Address),
}

/// The state spaces in which an address may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Window {
    /// `.shared::cta`
    OwnShared,
    Global,
    /// `.global` and `.shared` of all blocks of the cluster
    GlobalOrShared,
    /// `.global`, `.const` and `.param`
    TensorMap,
}
