//! What a module item shows to other items: names, types, sizes and signatures, without its body.

use smol_str::SmolStr;
use text_size::TextRange;

use super::{FunctionKind, Linkage, Problem, Signature, Variable};

/// The outside of a module item. It stays equal while only a body is edited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// The declared names in text order: one for a function, two for `.global .u32 a, b;`.
    pub declarations: Box<[Declaration]>,
    /// The names of the module that the item uses outside a body, in initializers and aliases.
    pub uses: Box<[ModuleUse]>,
    pub directive: Option<Directive>,
    /// The problems of the item. A function's problems are all in
    /// [`Function::problems`](super::Function::problems).
    pub problems: Box<[Problem]>,
}

impl Header {
    /// Whether the item only declares functions or kernels of this module, of which nothing but the names
    /// needs checking.
    pub fn is_plain_function(&self) -> bool {
        let is_plain = |declaration: &Declaration| {
            matches!(
                declaration.kind,
                DeclarationKind::Function { linkage: None | Some(Linkage::Visible), .. }
            )
        };
        self.directive.is_none() && self.uses.is_empty() && self.declarations.iter().all(is_plain)
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    pub name: SmolStr,
    /// Relative to the item.
    pub name_range: TextRange,
    pub kind: DeclarationKind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclarationKind {
    Variable(Box<Variable>),
    Function {
        kind: FunctionKind,
        linkage: Option<Linkage>,
        /// `false` for a prototype.
        has_body: bool,
        signature: Box<Signature>,
    },
    /// `.alias name, target;` The name must also be declared as a prototype, which the alias defines.
    Alias {
        /// The function that is called instead.
        target: SmolStr,
    },
    /// A label in a `.section`, used by debug information.
    SectionLabel,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleUse {
    pub name: SmolStr,
    /// Relative to the item.
    pub range: TextRange,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    Version(Option<Version>),
    Target(Target),
    AddressSize(Option<AddressSize>),
    File {
        /// The number by which `.loc` refers to the file.
        index: Option<u64>,
        /// The path without quotes.
        path: SmolStr,
    },
    Pragma(Box<[SmolStr]>),
    /// Any other directive, by its word without the dot: `section`, `alias`, `language` …
    Other(SmolStr),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// The architecture, such as `sm_90a`, with its range.
    pub architecture: Option<(SmolStr, TextRange)>,
    /// `debug`, `texmode_independent` …, with their ranges.
    pub options: Box<[(SmolStr, TextRange)]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressSize {
    Bits32,
    Bits64,
}
