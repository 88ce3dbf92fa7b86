//! Syntax errors.

use rowan::TextRange;
use smol_str::SmolStr;

/// One error in the text: where it is, the cause and the fix.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// The range to underline; empty only if the text is.
    pub range: TextRange,
    /// One sentence that names the cause and the fix.
    pub message: SmolStr,
    /// The kind of the error.
    pub kind: SyntaxErrorKind,
}

/// Kinds of syntax errors. Errors with a kind of their own have a dedicated diagnostic code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyntaxErrorKind {
    /// The text fits no rule of the grammar.
    Grammar,
    /// `@p { … }`: a guard before a block.
    GuardedBlock,
}

impl SyntaxError {
    /// An error of kind [`SyntaxErrorKind::Grammar`].
    pub(crate) fn new(range: TextRange, message: impl Into<SmolStr>) -> SyntaxError {
        SyntaxError { range, message: message.into(), kind: SyntaxErrorKind::Grammar }
    }

    /// The token to insert right after the range, if nothing else is missing: the token in a message that
    /// starts with ``missing `;` ``.
    pub fn missing_token(&self) -> Option<&str> {
        let (token, _) = self.message.strip_prefix("missing `")?.split_once('`')?;
        // A dot belongs to the word after it.
        (token.len() == 1 && token != ".").then_some(token)
    }
}

/// The errors of the lexer and of the parser in the order of the text.
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
