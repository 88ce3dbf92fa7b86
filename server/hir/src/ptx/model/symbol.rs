//! The symbols of a function and their scopes.

use smol_str::SmolStr;
use text_size::TextRange;

use super::{
    Constant, Dimension, InstructionId, Linkage, NameId, ScopeId, Signature, Space, Type, VectorLength,
};

/// A block of a function that can declare names. Scope 0 is the function with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// The enclosing scope; `None` for the function.
    pub parent: Option<ScopeId>,
    /// The text of the scope, including its braces.
    pub range: TextRange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name; for a register range, the part before `<`.
    pub name: SmolStr,
    pub range: TextRange,
    pub scope: ScopeId,
    pub kind: SymbolKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolKind {
    Register {
        /// The type of the register or of its elements; `None` if the text has no known type.
        ty: Option<Type>,
        /// `.v2` or `.v4`.
        vector: Option<VectorLength>,
    },
    /// `.reg .b32 %r<100>` declares `%r0` to `%r99`.
    RegisterRange {
        ty: Option<Type>,
        /// `.v2` or `.v4`.
        vector: Option<VectorLength>,
        count: u32,
    },
    /// A variable in memory, or a `.param` variable for a call.
    Variable(Box<Variable>),
    /// A parameter in `.param`; the details are `signature.params[index]` or `signature.returns[index]`.
    /// Parameters in `.reg` are registers. [`Function::param_symbol`](super::Function::param_symbol) finds
    /// both.
    Param {
        /// Whether the parameter precedes the function's name.
        is_return: bool,
        index: u32,
    },
    /// `name:` before an instruction or at the end of a block.
    Label {
        /// The first instruction after the label. If none follows, the number of instructions.
        target: InstructionId,
    },
    /// `name: .branchtargets …` or `name: .calltargets …`
    Table { kind: TableKind, targets: Box<[NameId]> },
    /// `name: .callprototype …`
    Prototype(Box<Signature>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableKind {
    /// `.branchtargets`, whose targets are labels.
    Branch,
    /// `.calltargets`, whose targets are functions.
    Call,
}

/// A variable in memory, of a module or of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    pub space: Space,
    pub linkage: Option<Linkage>,
    /// `.align`, if present and a power of two.
    pub align: Option<u32>,
    /// `.v2` or `.v4`.
    pub vector: Option<VectorLength>,
    /// The element type; `None` if the text has no known type.
    pub ty: Option<Type>,
    /// The array dimensions, outermost first; empty for a scalar.
    pub dimensions: Box<[Dimension]>,
    /// The `n` of `name<n>`, which declares `n` variables.
    pub range_count: Option<u32>,
    pub initializer: Option<Initializer>,
}

impl Variable {
    /// The size of one element in bytes; a vector is one element.
    pub fn element_bytes(&self) -> u64 {
        let count = self.vector.map_or(1, VectorLength::count);
        u64::from(self.ty.map_or(0, Type::bytes)) * u64::from(count)
    }

    /// The dimensions after the first one. An omitted one, which is an error, counts as 0.
    pub fn inner_dimensions(&self) -> impl Iterator<Item = u64> {
        self.dimensions.iter().skip(1).map(|dimension| dimension.0.unwrap_or(0))
    }

    /// The size of the whole variable in bytes. An omitted first dimension is the number of initial values,
    /// or 0.
    pub fn bytes(&self) -> u64 {
        let inner = self.inner_dimensions().fold(1, u64::saturating_mul);
        let outer = match self.dimensions.first() {
            None => 1,
            Some(Dimension(Some(count))) => *count,
            Some(Dimension(None)) => match &self.initializer {
                Some(Initializer::List(values)) => values.len() as u64,
                _ => 0,
            },
        };
        self.element_bytes().saturating_mul(inner).saturating_mul(outer)
    }

    /// The effective alignment: the declared one, or else the size of an element.
    pub fn alignment(&self) -> u64 {
        self.align.map_or_else(|| self.element_bytes().max(1), u64::from)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Initializer {
    Constant(Constant),
    /// An address: `sym + 4`, `generic(sym)`, `0xff00(sym)`.
    Address {
        symbol: SmolStr,
        /// The number of bytes added to the address.
        offset: i64,
        /// `generic( )`: a generic address rather than one in the symbol's own state space.
        generic: bool,
        /// `0xff00( )`: the bits of the address to use, shifted down.
        mask: Option<u64>,
    },
    /// `{ … }`
    List(Box<[Initializer]>),
    /// Anything else; error recovery skipped it.
    Invalid,
}
