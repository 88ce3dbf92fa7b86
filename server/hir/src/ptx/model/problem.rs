//! What is wrong inside one function, as data. Whoever shows it words it.

use smol_str::SmolStr;
use text_size::TextRange;

use super::SymbolId;

/// Something wrong that needs no other item to be seen. Names that the function does not declare are not here: they are
/// its externals, and the module decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, relative to the item.
    pub range: TextRange,
    /// What.
    pub kind: ProblemKind,
}

/// What is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// A second declaration of a name in one scope.
    Duplicate {
        /// The one that stands first, and stays valid.
        first: SymbolId,
    },
    /// A type word that no type has, such as `.q32` after a state space.
    UnknownType(SmolStr),
    /// An alignment that is not a power of two.
    Alignment(u64),
    /// A constant expression divides by zero.
    DivisionByZero,
    /// A constant expression mixes integers and floats, or uses an operator that floats do not have.
    ConstantTypes,
    /// A name other than `WARP_SZ` inside a constant expression.
    NameInConstant(SmolStr),
    /// An expression with a name in it that is no operand: only constants may be added to a name.
    OperandExpression,
}
