//! The symbols of a function and their scopes.

use smol_str::SmolStr;
use text_size::TextRange;

use super::{
    Constant, Dimension, InstructionId, Linkage, NameId, ScopeId, Signature, Space, Type, VectorLength,
};

/// A block of a function in which names may be declared. Scope 0 is the function with its parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scope {
    /// The enclosing scope; `None` for the function.
    pub parent: Option<ScopeId>,
    /// The text it covers, braces included.
    pub range: TextRange,
}

/// A name that the function declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// The name; of a register range, the part before `<`.
    pub name: SmolStr,
    /// The range of the name in its declaration.
    pub range: TextRange,
    /// The scope it belongs to.
    pub scope: ScopeId,
    /// Its kind.
    pub kind: SymbolKind,
}

/// The kind of a symbol of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SymbolKind {
    /// `.reg .b32 x`
    Register {
        /// Type of the register or of its elements; `None` where the text has none that is known.
        ty: Option<Type>,
        /// `.v2` or `.v4`.
        vector: Option<VectorLength>,
    },
    /// `.reg .b32 %r<100>` declares `%r0` to `%r99`.
    RegisterRange {
        /// Type of each register.
        ty: Option<Type>,
        /// `.v2` or `.v4`.
        vector: Option<VectorLength>,
        /// How many.
        count: u32,
    },
    /// A variable in memory, or a `.param` variable for a call.
    Variable(Box<Variable>),
    /// A parameter in `.param`; the details are `signature.params[index]`, or `signature.returns[index]`. Parameters in
    /// `.reg` are registers; [`Function::param_symbol`](super::Function::param_symbol) finds both.
    Param {
        /// Whether it precedes the function's name.
        is_return: bool,
        /// Which one.
        index: u32,
    },
    /// `name:` before an instruction or at the end of a block.
    Label {
        /// The first instruction after the label; the number of instructions where none follows.
        target: InstructionId,
    },
    /// `name: .branchtargets …` or `name: .calltargets …`
    Table {
        /// Which of the two.
        kind: TableKind,
        /// Its targets, in order.
        targets: Box<[NameId]>,
    },
    /// `name: .callprototype …`
    Prototype(Box<Signature>),
}

/// The kind of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TableKind {
    /// `.branchtargets`: labels.
    Branch,
    /// `.calltargets`: functions.
    Call,
}

/// A variable in memory, of a module or of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// Where it lives.
    pub space: Space,
    /// The linkage word.
    pub linkage: Option<Linkage>,
    /// `.align`, if given and a power of two.
    pub align: Option<u32>,
    /// `.v2` or `.v4`.
    pub vector: Option<VectorLength>,
    /// Element type; `None` where the text has none that is known.
    pub ty: Option<Type>,
    /// Array dimensions from the outside in; empty for a scalar.
    pub dimensions: Box<[Dimension]>,
    /// `name<n>` declares `n` variables; `None` for the ordinary one.
    pub range_count: Option<u32>,
    /// The value after `=`.
    pub initializer: Option<Initializer>,
}

impl Variable {
    /// Bytes of one element, vectors whole.
    pub fn element_bytes(&self) -> u64 {
        let count = self.vector.map_or(1, VectorLength::count);
        u64::from(self.ty.map_or(0, Type::bytes)) * u64::from(count)
    }

    /// The dimensions after the first one; an omitted one, which is an error there, counts as 0.
    pub fn inner_dimensions(&self) -> impl Iterator<Item = u64> {
        self.dimensions.iter().skip(1).map(|dimension| dimension.0.unwrap_or(0))
    }

    /// Bytes of the whole variable. An omitted first dimension is the number of values of the initializer, or 0.
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

    /// The alignment that holds: the one given, else an element's size.
    pub fn alignment(&self) -> u64 {
        self.align.map_or_else(|| self.element_bytes().max(1), u64::from)
    }
}

/// The initial value of a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Initializer {
    /// A number.
    Constant(Constant),
    /// An address: `sym + 4`, `generic(sym)`, `0xff00(sym)`.
    Address {
        /// The variable or function.
        symbol: SmolStr,
        /// Added to it, in bytes.
        offset: i64,
        /// `generic( )`: the address in the generic space rather than in the symbol's own.
        generic: bool,
        /// `0xff00( )`: the bits of the address that are taken, shifted down.
        mask: Option<u64>,
    },
    /// `{ … }`
    List(Box<[Initializer]>),
    /// Something else, skipped by error recovery.
    Invalid,
}
