//! Names as the features see them: what a name refers to, and where an item uses it.

use smol_str::SmolStr;
use text_size::TextRange;

use crate::answer::Access;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A local name of an item, by its number in the lowered function.
    Local(u32),
    /// A name shared by the items of a file.
    Module(Namespace, SmolStr),
    Special(SmolStr),
}

/// A namespace of a module, numbered by its language. A name has a different meaning in each namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Namespace(pub u8);

/// The name at a position, with its range in the item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub range: TextRange,
    pub subject: Subject,
}

/// The occurrences of one module name in one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleUse {
    pub namespace: Namespace,
    pub name: SmolStr,
    /// In text order, relative to the item.
    pub uses: Box<[NameUse]>,
}

impl ModuleUse {
    pub fn declares(&self) -> bool {
        self.uses.iter().any(|place| place.access == Access::Declaration)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NameUse {
    pub range: TextRange,
    pub access: Access,
    pub requirement: Requirement,
}

/// Whether a name must be declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    Declared,
    /// Required unless braces are unbalanced, because then the label may be just outside of the body.
    DeclaredIfBalanced,
    /// Not required, because it is in debug information.
    Nothing,
}
