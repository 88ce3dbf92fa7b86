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

/// A register that a statement names.
#[derive(Clone, Debug)]
pub struct RegisterInfo {
    pub name: SmolStr,
    /// Width in bits.
    pub bits: u16,
    /// Whether the statement may read it, as a guard for example.
    pub read: bool,
    pub written: bool,
}

impl TracedValue {
    pub fn set_low(&mut self, values: &[u64]) {
        match self.low.len() == values.len() {
            true => self.low.copy_from_slice(values),
            false => self.low = values.into(),
        }
    }

    pub(crate) fn register((value, info): (TracedValue, RegisterInfo)) -> TracedRegister {
        let TracedValue { known, low, high } = value;
        let RegisterInfo { name, bits, written, .. } = info;
        TracedRegister { name, bits, written, known, low, high }
    }
}
