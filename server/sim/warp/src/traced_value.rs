//! The value of a register in a trace, before it has a name.

use smol_str::SmolStr;

use crate::ids::Mask;
use crate::values::TracedRegister;

/// A register after a visit.
#[derive(Clone, Debug, Default)]
pub struct TracedValue {
    /// The lanes that have written the register.
    pub known: Mask,
    /// The low 64 bits of each lane.
    pub low: Box<[u64]>,
    /// The high 64 bits of each lane if the register is wider, else empty.
    pub high: Box<[u64]>,
}

/// Name and width in bits of a register, and whether the statement writes it.
pub type RegisterInfo = (SmolStr, u16, bool);

impl TracedValue {
    pub fn set_low(&mut self, values: &[u64]) {
        match self.low.len() == values.len() {
            true => self.low.copy_from_slice(values),
            false => self.low = values.into(),
        }
    }

    pub(crate) fn register((value, (name, bits, written)): (TracedValue, RegisterInfo)) -> TracedRegister {
        let TracedValue { known, low, high } = value;
        TracedRegister { name, bits, written, known, low, high }
    }
}
