//! The problems of a function or a module item, as data. Messages are worded elsewhere.

use smol_str::SmolStr;
use text_size::TextRange;

use super::{Space, SymbolId, Type};

/// An error that is visible in one item alone. Undeclared names are no problems here: they are externals of
/// the function, and the module decides about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Relative to the item.
    pub range: TextRange,
    pub kind: ProblemKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// A second declaration of a name in the same scope.
    Duplicate {
        /// The first declaration, which stays valid.
        first: SymbolId,
    },
    /// A type word that does not exist, such as `.q32` after a state space.
    UnknownType(SmolStr),
    /// An alignment that is not a power of two.
    Alignment(u64),
    DivisionByZero,
    /// A constant expression mixes integers and floats, or applies an operator that floats do not have.
    ConstantTypes,
    /// An integer that does not fit in 64 bits. The assembler uses this part of it.
    CutOff(u64),
    /// A name other than `WARP_SZ` inside a constant expression.
    NameInConstant(SmolStr),
    /// An expression with a name that is no valid operand: only constants may be added to a name.
    OperandExpression,
    /// `L.x`, where `L` is not a register.
    PartOfName,
    /// `name.x`, where the function does not declare `name`: a mistake if the module does.
    PartOfExternal,
    /// `(%r1)`
    NameInParentheses,
    /// `a - 4`: the assembler can only add, so it must be written `a + -4`.
    SubtractedOffset,
    StringOperand,
    AddressForm,
    FloatOffset,
    NoArray,
    Declaration(DeclarationMistake),
}

/// The rule that a variable or a parameter breaks. The problem's range is the offending word or number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclarationMistake {
    /// A linkage word in a function.
    LocalLinkage,
    CommonSpace,
    /// A `.common` texture, sampler or surface.
    CommonOpaque,
    /// A type that only instructions can have.
    InstructionType {
        ty: Type,
        /// The type of the registers that hold such values, with its dot.
        storage: &'static str,
    },
    /// A predicate that is not a register.
    PredicateInMemory,
    PredicateVector,
    /// `.v8`
    VectorLength,
    /// A vector of more than 128 bits.
    VectorTooWide {
        bits: u32,
    },
    VectorParameter,
    SpecialRegisterSpace,
    /// A texture, sampler or surface that is neither declared in the module nor a parameter of a kernel.
    OpaqueScope,
    /// A texture, sampler or surface outside `.global`.
    OpaqueSpace,
    /// An expression or a float where a plain number is required.
    NoNumber,
    /// `name<n>` with a size or an initial value, or as a parameter.
    ArrayOfNames,
    /// `name<n>` with a count beyond 32 bits.
    NameCount(u64),
    RegisterArray,
    /// A dimension other than the first that has no size, or size 0.
    InnerDimension,
    /// An array without a size that is neither `.extern` nor initialized.
    MissingSize,
    /// An initial value in a state space that allows none.
    NoInitializer(Space),
    ExternInitializer,
    /// An initial value of `.f16` or `.f16x2`.
    HalfInitializer(Type),
    TooManyValues {
        size: u64,
        values: u64,
    },
    VectorValues {
        /// The number of values that the vector needs.
        count: u32,
    },
    /// Braces around the value of a scalar.
    Braced,
    /// No braces around the values of an array or vector.
    Unbraced,
    /// An array parameter with more elements than 32 bits can count.
    TooManyElements(u64),
    /// A scalar `.f16x2` in `.param`.
    PackedParameter,
    IntegerValue(Type),
    FloatValue(Type),
    /// An address as the initial value of a type that cannot hold one.
    AddressValue(Type),
    /// An address with anything but numbers added to it.
    AddressForm,
    /// A mask that does not select exactly one byte.
    Mask(u64),
    StringValue,
    /// The address of something that has none at load time: a variable in this state space, or, if `None`, a
    /// register or label.
    AddressOf(Option<Space>),
    /// A parameter of a kernel that is not in `.param`.
    EntryParameter,
    /// A parameter of a function that is neither in `.param` nor in `.reg`.
    ParameterSpace,
    PointerParameter,
    /// `_` as the name of a parameter of a function.
    NamelessParameter,
    /// An array parameter without a size that is not the last one of a function.
    UnsizedParameter,
    ParameterDimensions,
    /// A parameter of a function with an alignment above 128 bytes.
    ParameterAlignment,
    /// Two or more results, one of which is not in `.reg`.
    SeveralResults,
}
