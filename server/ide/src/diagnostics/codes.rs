//! The stable names of diagnostics. A name, once released, keeps its meaning.

/// The text does not follow the grammar.
pub(crate) const SYNTAX: &str = "syntax-error";
/// No instruction has this opcode.
pub(crate) const UNKNOWN_INSTRUCTION: &str = "unknown-instruction";
/// No form of the instruction takes this modifier.
pub(crate) const UNKNOWN_MODIFIER: &str = "unknown-modifier";
/// The special register has no such component.
pub(crate) const UNKNOWN_COMPONENT: &str = "unknown-component";
/// No directive has this name.
pub(crate) const UNKNOWN_DIRECTIVE: &str = "unknown-directive";
/// No type has this name.
pub(crate) const UNKNOWN_TYPE: &str = "unknown-type";
/// Nothing of this name is declared.
pub(crate) const UNRESOLVED_NAME: &str = "unresolved-name";
/// What is named is declared only further down.
pub(crate) const USE_BEFORE_DECLARATION: &str = "use-before-declaration";
/// A second declaration of a name.
pub(crate) const DUPLICATE_NAME: &str = "duplicate-name";
/// An alignment that is no power of two.
pub(crate) const INVALID_ALIGNMENT: &str = "invalid-alignment";
/// A constant expression without a value.
pub(crate) const INVALID_CONSTANT: &str = "invalid-constant";
/// An expression that is no operand.
pub(crate) const INVALID_OPERAND: &str = "invalid-operand";
/// Two declarations of a name that differ in linkage.
pub(crate) const LINKAGE_CLASH: &str = "linkage-clash";
/// Stands after the diagnostics that are listed when there are more.
pub(crate) const TOO_MANY: &str = "too-many-problems";
