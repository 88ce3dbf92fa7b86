//! The interface of a function: its parameters, and the directives before its body.

use smol_str::SmolStr;
use text_size::TextRange;

use super::{Dimension, Space, Type, VectorLength};

/// The interface of a function, a prototype or a `.callprototype`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Signature {
    /// The parameters before the name, which receive the results of a call.
    pub returns: Box<[Parameter]>,
    pub params: Box<[Parameter]>,
    /// `.maxntid`, `.reqntid`, `.noreturn` …, in text order.
    pub directives: Box<[PerformanceDirective]>,
}

impl Signature {
    /// The last directive with this name, given without its dot.
    pub fn directive(&self, name: &str) -> Option<&PerformanceDirective> {
        self.directives.iter().rev().find(|directive| directive.name == name)
    }

    /// The three dimensions of `.maxntid`, `.reqntid` or `.reqnctapercluster`; omitted ones are 1. `None` if
    /// the directive is missing or has no numbers.
    pub fn dimensions(&self, name: &str) -> Option<[u64; 3]> {
        let values = &self.directive(name)?.values;
        let at = |index: usize| values.get(index).copied().unwrap_or(1);
        (!values.is_empty()).then(|| [at(0), at(1), at(2)])
    }

    pub fn is_noreturn(&self) -> bool {
        self.directive("noreturn").is_some()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The name. A `_` in a `.callprototype` is kept as the name.
    pub name: Option<SmolStr>,
    pub name_range: TextRange,
    pub range: TextRange,
    /// `.param` or `.reg`.
    pub space: Space,
    /// `.align`, if present and a power of two.
    pub align: Option<u32>,
    /// `.v2` or `.v4`.
    pub vector: Option<VectorLength>,
    /// The element type; `None` if the text has no known type.
    pub ty: Option<Type>,
    /// `.ptr`, with the properties of the pointed-to memory.
    pub pointer: Option<Pointer>,
    /// The array dimensions; empty for a scalar.
    pub dimensions: Box<[Dimension]>,
    /// `%r<n>` among `.reg` parameters.
    pub range_count: Option<u32>,
}

impl Parameter {
    pub fn bytes(&self) -> u64 {
        let dimensions = self.dimensions.iter().map(|dimension| dimension.0.unwrap_or(0));
        dimensions.fold(self.element_bytes(), u64::saturating_mul)
    }

    pub fn element_bytes(&self) -> u64 {
        let count = self.vector.map_or(1, VectorLength::count);
        u64::from(self.ty.map_or(0, Type::bytes)) * u64::from(count)
    }

    /// The effective alignment: the declared one, or else the size of an element.
    pub fn alignment(&self) -> u64 {
        self.align.map_or_else(|| self.element_bytes().max(1), u64::from)
    }
}

/// The `.ptr` attribute of a kernel parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// The state space that it points into; generic if omitted.
    pub space: Option<Space>,
    pub align: Option<u32>,
}

/// A directive between the parameters and the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerformanceDirective {
    /// The name without the dot.
    pub name: SmolStr,
    pub values: Box<[u64]>,
    /// Whether only plain numbers follow the name.
    pub is_plain: bool,
    pub range: TextRange,
}
