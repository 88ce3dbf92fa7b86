//! The severity of a diagnostic.

/// The severity of a diagnostic. *Error* if and only if the assembler rejects the file for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The assembler rejects it.
    Error,
    /// The assembler accepts it, but it is most likely a mistake.
    Warning,
    /// A note.
    Information,
    /// A suggestion, which editors show unobtrusively.
    Hint,
}
