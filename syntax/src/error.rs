//! Syntax errors.

use rowan::TextRange;
use smol_str::SmolStr;

/// An error in the text: where it is, its cause and its fix.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// The range to underline; empty only if the text is empty.
    pub range: TextRange,
    /// One sentence that names the cause and the fix.
    pub message: SmolStr,
    /// Whether the error has a diagnostic code of its own.
    pub kind: SyntaxErrorKind,
}

/// Kinds of syntax errors. All but [`SyntaxErrorKind::Grammar`] have a diagnostic code of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyntaxErrorKind {
    /// The text fits no rule of the grammar.
    Grammar,
    /// `@p { … }`: a guard before a block.
    GuardedBlock,
}

impl SyntaxError {
    pub(crate) fn new(range: TextRange, message: impl Into<SmolStr>) -> SyntaxError {
        SyntaxError { range, message: message.into(), kind: SyntaxErrorKind::Grammar }
    }

    /// The token to insert right after the range, if nothing else is missing. It is taken from a message that
    /// starts with ``missing `;` ``.
    pub fn missing_token(&self) -> Option<&str> {
        let (token, _) = self.message.strip_prefix("missing `")?.split_once('`')?;
        // A dot belongs to the word after it.
        (token.len() == 1 && token != ".").then_some(token)
    }
}

/// Merges the errors of the lexer and of the parser in text order.
pub(crate) fn in_order(mut errors: Vec<SyntaxError>, found: Vec<SyntaxError>) -> Vec<SyntaxError> {
    errors.extend(found);
    errors.sort_by_key(|error| error.range.start());
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_token() {
        let missing = |message: &str| {
            let error = SyntaxError::new(TextRange::default(), message);
            error.missing_token().map(str::to_owned)
        };
        assert_eq!(missing("missing `;` after this instruction").as_deref(), Some(";"));
        assert_eq!(missing("missing `.` before `u32`"), None);
        assert_eq!(missing("missing name of this function"), None);
        assert_eq!(missing("expected an operand"), None);
    }
}
