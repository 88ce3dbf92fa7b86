//! The interface of a function: parameters and the directives before its body.

use smol_str::SmolStr;
use text_size::TextRange;

use super::{Dimension, Space, Type, VectorLength};

/// The interface of a function, a prototype or a `.callprototype`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signature {
    /// The parameters before the name, which a call fills.
    pub returns: Box<[Parameter]>,
    /// The parameters after the name.
    pub params: Box<[Parameter]>,
    /// `.maxntid`, `.reqntid`, `.noreturn` …, in text order.
    pub directives: Box<[PerformanceDirective]>,
}

impl Signature {
    /// The last directive of this name (written without its dot).
    pub fn directive(&self, name: &str) -> Option<&PerformanceDirective> {
        self.directives.iter().rev().find(|directive| directive.name == name)
    }

    /// Three dimensions of `.maxntid`, `.reqntid`, `.reqnctapercluster`; omitted ones are 1. `None` where the directive
    /// is missing or holds no number.
    pub fn dimensions(&self, name: &str) -> Option<[u64; 3]> {
        let values = &self.directive(name)?.values;
        let at = |index: usize| values.get(index).copied().unwrap_or(1);
        (!values.is_empty()).then(|| [at(0), at(1), at(2)])
    }

    /// Whether calls never return.
    pub fn is_noreturn(&self) -> bool {
        self.directive("noreturn").is_some()
    }
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name; a `.callprototype` may say `_`, which is kept as it is.
    pub name: Option<SmolStr>,
    /// The range of the name.
    pub name_range: TextRange,
    /// The whole parameter.
    pub range: TextRange,
    /// `.param` or `.reg`.
    pub space: Space,
    /// `.align`, if given and a power of two.
    pub align: Option<u32>,
    /// `.v2` or `.v4`.
    pub vector: Option<VectorLength>,
    /// Element type; `None` where the text has none that is known.
    pub ty: Option<Type>,
    /// `.ptr`, with what it says of the pointed-to memory.
    pub pointer: Option<Pointer>,
    /// Array dimensions; empty for a scalar.
    pub dimensions: Box<[Dimension]>,
    /// `%r<n>` among `.reg` parameters.
    pub range_count: Option<u32>,
}

impl Parameter {
    /// Bytes that the parameter takes.
    pub fn bytes(&self) -> u64 {
        let dimensions = self.dimensions.iter().map(|dimension| dimension.0.unwrap_or(0));
        dimensions.fold(self.element_bytes(), u64::saturating_mul)
    }

    /// Bytes of one element.
    pub fn element_bytes(&self) -> u64 {
        let count = self.vector.map_or(1, VectorLength::count);
        u64::from(self.ty.map_or(0, Type::bytes)) * u64::from(count)
    }

    /// The alignment that holds: the one given, else an element's size.
    pub fn alignment(&self) -> u64 {
        self.align.map_or_else(|| self.element_bytes().max(1), u64::from)
    }
}

/// The `.ptr` attribute of a kernel parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// The space it points into; generic if omitted.
    pub space: Option<Space>,
    /// Alignment of what it points to.
    pub align: Option<u32>,
}

/// A directive between the parameters and the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerformanceDirective {
    /// Without the dot.
    pub name: SmolStr,
    /// Its numbers, in order.
    pub values: Box<[u64]>,
    /// Whether nothing but plain numbers follows it.
    pub is_plain: bool,
    /// The whole directive.
    pub range: TextRange,
}
