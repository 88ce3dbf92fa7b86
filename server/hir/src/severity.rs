//! The severity of a diagnostic.

/// The severity of a diagnostic. It is an *error* if and only if the assembler rejects the file because of
/// it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// The assembler rejects the file.
    Error,
    /// The assembler accepts the file, but this is most likely a mistake.
    Warning,
    Information,
    /// A suggestion, which editors show unobtrusively.
    Hint,
}
