//! Slots: where registers, formal parameters and arguments are.

pub type Slot = u32;

/// No register: `_` or an omitted operand.
pub const NO_SLOT: Slot = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterSlot {
    /// Up to 32 bits.
    Word(Slot),
    Double(Slot),
    /// 128 bits: this slot and the next one.
    Quad(Slot),
    Predicate(Slot),
}

impl RegisterSlot {
    pub fn slot(self) -> Slot {
        match self {
            RegisterSlot::Word(slot)
            | RegisterSlot::Double(slot)
            | RegisterSlot::Quad(slot)
            | RegisterSlot::Predicate(slot) => slot,
        }
    }

    /// Element `index` of a vector register whose first element is `self`.
    pub fn element(self, index: u32) -> RegisterSlot {
        match self {
            RegisterSlot::Word(slot) => RegisterSlot::Word(slot + index),
            RegisterSlot::Double(slot) => RegisterSlot::Double(slot + index),
            RegisterSlot::Quad(slot) => RegisterSlot::Quad(slot + 2 * index),
            RegisterSlot::Predicate(slot) => RegisterSlot::Predicate(slot + index),
        }
    }
}

/// The slots of an instruction's operands; the operation determines the register file of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Slots {
    pub d: Slot,
    pub a: Slot,
    pub b: Slot,
    pub c: Slot,
    /// A fourth source or a second destination.
    pub e: Slot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Formal {
    pub at: Passing,
    /// The size in bytes.
    pub size: u32,
}

/// Where an argument or a formal parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Passing {
    /// In the frame's local memory, starting at this byte.
    Local(u32),
    Register(RegisterSlot),
    /// Not passed (`_`).
    Nowhere,
}
