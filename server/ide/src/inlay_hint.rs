//! Hints between the words, as data.

use text_size::TextSize;

/// The enabled kinds of hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct InlayHintKinds {
    /// The type of a register where it is written, unless its name shows the type.
    pub register_types: bool,
    /// The names of the callee's parameters at the arguments of a call.
    pub parameter_names: bool,
}

/// A hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlayHint {
    /// Its position.
    pub offset: TextSize,
    /// Its text.
    pub label: String,
    /// Its kind.
    pub kind: InlayHintKind,
}

/// The kinds of hints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InlayHintKind {
    /// The type of the name before it.
    Type,
    /// The parameter name of the argument after it.
    Parameter,
}
