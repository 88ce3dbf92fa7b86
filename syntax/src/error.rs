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
