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

/// All codes, each with what it means in a few words.
pub const CODES: &[(&str, &str)] = &[
    (SYNTAX, "the text does not follow the grammar"),
    (UNKNOWN_INSTRUCTION, "no instruction has this opcode"),
    (UNKNOWN_MODIFIER, "no form of the instruction takes this modifier"),
    (UNKNOWN_COMPONENT, "the special register has no such component"),
    (UNKNOWN_DIRECTIVE, "no directive has this name"),
    (UNKNOWN_TYPE, "no type has this name"),
    (UNRESOLVED_NAME, "nothing of this name is declared"),
    (USE_BEFORE_DECLARATION, "the name is declared only further down"),
    (DUPLICATE_NAME, "the name is declared a second time"),
    (INVALID_ALIGNMENT, "the alignment is no power of two"),
    (INVALID_CONSTANT, "the constant expression has no value"),
    (INVALID_OPERAND, "the expression is no operand"),
    (LINKAGE_CLASH, "two declarations of the name differ in linkage"),
    (TOO_MANY, "more problems than are listed"),
];
