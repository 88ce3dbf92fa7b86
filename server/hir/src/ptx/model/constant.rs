//! Values of constant expressions.

/// A constant as the assembler sees it before an instruction truncates it to the size of its operand. Floats
/// are kept as bits, so that constants compare and hash exactly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Constant {
    /// A 64-bit signed integer, the default.
    Signed(i64),
    /// A 64-bit unsigned integer: because of a `U` suffix, a value that needs it, or an operator.
    Unsigned(u64),
    /// The bits of an exact single-precision float: `0f3F800000`.
    Single(u32),
    /// The bits of a double: `1.5` or `0d3FF0000000000000`.
    Double(u64),
    /// An expression without a value, because it divides by zero or mixes integers and floats. A problem
    /// gives the reason.
    Invalid,
}

impl Constant {
    /// The 64 bits of an integer; `None` for floats and invalid expressions.
    pub fn as_integer(self) -> Option<u64> {
        match self {
            Constant::Signed(value) => Some(value as u64),
            Constant::Unsigned(value) => Some(value),
            Constant::Single(_) | Constant::Double(_) | Constant::Invalid => None,
        }
    }

    /// The value of a float, widened to a double; `None` for integers and invalid expressions.
    pub fn as_float(self) -> Option<f64> {
        match self {
            Constant::Single(bits) => Some(f64::from(f32::from_bits(bits))),
            Constant::Double(bits) => Some(f64::from_bits(bits)),
            Constant::Signed(_) | Constant::Unsigned(_) | Constant::Invalid => None,
        }
    }
}
