//! The interface of a module item to the others: names, types, sizes and signatures without its body.

use smol_str::SmolStr;
use text_size::TextRange;

use super::{FunctionKind, Linkage, Problem, Signature, Variable};

/// The outside of one module item. Equal as long as only a body is edited.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Header {
    /// The names it declares, in text order: one of a function, several of `.global .u32 a, b;`.
    pub declarations: Box<[Declaration]>,
    /// The names of the module that it uses outside a body: in initialisers and aliases.
    pub uses: Box<[ModuleUse]>,
    /// The directive, if it is one.
    pub directive: Option<Directive>,
    /// Its problems. A function's problems are all in [`Function::problems`](super::Function::problems).
    pub problems: Box<[Problem]>,
}

impl Header {
    /// Whether it declares functions or kernels of this module only, which have nothing to check but their names.
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

/// A name that a module item declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// The name.
    pub name: SmolStr,
    /// Its range, relative to the item.
    pub name_range: TextRange,
    /// Its kind.
    pub kind: DeclarationKind,
}

/// The declaration of a module item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeclarationKind {
    /// A variable.
    Variable(Box<Variable>),
    /// A function or kernel.
    Function {
        /// Kernel or function.
        kind: FunctionKind,
        /// The linkage word.
        linkage: Option<Linkage>,
        /// `false` for a prototype.
        has_body: bool,
        /// Parameters and directives.
        signature: Box<Signature>,
    },
    /// `.alias name, target;` The name must also be declared as a prototype, and the alias is its definition.
    Alias {
        /// The function that is called instead.
        target: SmolStr,
    },
    /// A label in a `.section`, which debug information names.
    SectionLabel,
}

/// A name that a module item uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleUse {
    /// The name.
    pub name: SmolStr,
    /// Where, relative to the item.
    pub range: TextRange,
}

/// A module-level directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directive {
    /// `.version 8.5`
    Version(Option<Version>),
    /// `.target sm_90a, debug`
    Target(Target),
    /// `.address_size 64`
    AddressSize(Option<AddressSize>),
    /// `.file 1 "a.cu"`
    File {
        /// The number that `.loc` uses.
        index: Option<u64>,
        /// The path without quotes.
        path: SmolStr,
    },
    /// `.pragma "…";`
    Pragma(Box<[SmolStr]>),
    /// Any other, by its word without the dot: `section`, `alias`, `language` …
    Other(SmolStr),
}

/// A PTX version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Before the point.
    pub major: u32,
    /// After it.
    pub minor: u32,
}

/// The words of `.target`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// The architecture, `sm_90a`, with its place.
    pub architecture: Option<(SmolStr, TextRange)>,
    /// `debug`, `texmode_independent` …, with their places.
    pub options: Box<[(SmolStr, TextRange)]>,
}

/// How wide pointers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AddressSize {
    /// 4 bytes.
    Bits32,
    /// 8 bytes.
    Bits64,
}
