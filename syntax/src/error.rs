//! What the parser says about text that does not fit.

use rowan::TextRange;
use smol_str::SmolStr;

/// One mistake in the text: where it is, and what is wrong and how to mend it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxError {
    /// Where a person would look; never empty unless the text is.
    pub range: TextRange,
    /// One sentence that names the cause and the mend.
    pub message: SmolStr,
}

impl SyntaxError {
    /// The token to be inserted right after the range, where that is all that is missing: what a message names that
    /// starts with ``missing `;` ``.
    pub fn missing_token(&self) -> Option<&str> {
        let (token, _) = self.message.strip_prefix("missing `")?.split_once('`')?;
        // A point belongs to the word after it.
        (token.len() == 1 && token != ".").then_some(token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_missing_token() {
        let missing = |message: &str| {
            let error = SyntaxError { range: TextRange::default(), message: message.into() };
            error.missing_token().map(str::to_owned)
        };
        assert_eq!(missing("missing `;` after this instruction").as_deref(), Some(";"));
        assert_eq!(missing("missing `.` before `u32`"), None);
        assert_eq!(missing("missing name of this function"), None);
        assert_eq!(missing("expected an operand"), None);
    }
}
