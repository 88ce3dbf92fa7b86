//! The problems of one function, as data. Messages are worded elsewhere.

use smol_str::SmolStr;
use text_size::TextRange;

use super::{Space, SymbolId, Type};

/// Something wrong that needs no other item to be seen. Names that the function does not declare are not here: they are
/// its externals, and the module decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where, relative to the item.
    pub range: TextRange,
    /// What.
    pub kind: ProblemKind,
}

/// The kind of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProblemKind {
    /// A second declaration of a name in one scope.
    Duplicate {
        /// The first one, which stays valid.
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
    /// An integer that does not fit in 64 bits; the assembler takes this part of it.
    CutOff(u64),
    /// A name other than `WARP_SZ` inside a constant expression.
    NameInConstant(SmolStr),
    /// An expression with a name that is not an operand: only constants may be added to a name.
    OperandExpression,
    /// `a - 4`: the assembler only adds, so that `a + -4` must be written.
    SubtractedOffset,
    /// A string where an operand is required.
    StringOperand,
    /// Brackets whose content is not an address.
    AddressForm,
    /// A float that is added to an address.
    FloatOffset,
    /// An index into something that is not an array.
    NoArray,
    /// A variable or parameter that breaks a rule.
    Declaration(DeclarationMistake),
}

/// The rule that a variable or a parameter breaks. The problem's range is the word or number that does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclarationMistake {
    /// A linkage word in a function.
    LocalLinkage,
    /// `.common` outside of `.global`.
    CommonSpace,
    /// `.common` texture, sampler or surface.
    CommonOpaque,
    /// A type that only instructions name.
    InstructionType {
        /// The type.
        ty: Type,
        /// The type of the registers that hold it, with its dot.
        storage: &'static str,
    },
    /// A predicate that is not a register.
    PredicateInMemory,
    /// A vector of predicates.
    PredicateVector,
    /// `.v8`
    VectorLength,
    /// A vector of more than 128 bits.
    VectorTooWide {
        /// How many it has.
        bits: u32,
    },
    /// A vector in `.param`.
    VectorParameter,
    /// A variable in `.sreg`.
    SpecialRegisterSpace,
    /// A texture, sampler or surface that is neither of the module nor a parameter of a kernel.
    OpaqueScope,
    /// A texture, sampler or surface outside of `.global`.
    OpaqueSpace,
    /// An expression, or a float, where a plain number is required.
    NoNumber,
    /// `name<n>` with a size or an initial value, or as a parameter.
    ArrayOfNames,
    /// `name<n>` with a count beyond 32 bits.
    NameCount(u64),
    /// An array of registers.
    RegisterArray,
    /// A dimension other than the first without a size, or with the size 0.
    InnerDimension,
    /// An array without a size that is neither `.extern` nor initialised.
    MissingSize,
    /// An initial value in a space that takes none.
    NoInitializer(Space),
    /// An initial value of an `.extern`.
    ExternInitializer,
    /// An initial value of `.f16` or `.f16x2`.
    HalfInitializer(Type),
    /// More values than elements.
    TooManyValues {
        /// How many elements there are.
        size: u64,
        /// How many values there are.
        values: u64,
    },
    /// Too few or too many values for a vector.
    VectorValues {
        /// How many it takes.
        count: u32,
    },
    /// Braces around the value of a scalar.
    Braced,
    /// No braces around the values of an array or vector.
    Unbraced,
    /// More elements than the 32 bits that count those of a parameter.
    TooManyElements(u64),
    /// A scalar `.f16x2` in `.param`.
    PackedParameter,
    /// An integer for a float.
    IntegerValue(Type),
    /// A float for an integer.
    FloatValue(Type),
    /// An address for a type that holds none.
    AddressValue(Type),
    /// An address with more than numbers added to it.
    AddressForm,
    /// A mask that is not one byte.
    Mask(u64),
    /// A string.
    StringValue,
    /// The address of something that has none while the module is loaded: of a variable in this space, or, without one, of
    /// a register or label.
    AddressOf(Option<Space>),
    /// A parameter of a kernel that is not in `.param`.
    EntryParameter,
    /// A parameter of a function that is neither in `.param` nor in `.reg`.
    ParameterSpace,
    /// `.ptr` at a function.
    PointerParameter,
    /// An array parameter without a size that is not the last one of a function.
    UnsizedParameter,
    /// A parameter of more than one dimension.
    ParameterDimensions,
    /// A parameter of a function that is aligned to more than 128 bytes.
    ParameterAlignment,
    /// Several results of which one is not in `.reg`.
    SeveralResults,
}
