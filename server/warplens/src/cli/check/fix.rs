//! `check --fix`: applies the fixes that are safe without review.

use anyhow::{Result, anyhow, ensure};
use warplens_ide::{Diagnostic, SafeFixes, edited, safe_fixes};

use crate::cli::files::Input;
use crate::cli::input::{InputText, STANDARD_INPUT};
use warplens_system::disk::replace_file::replace;

/// A fix may make another one possible, so the text is fixed repeatedly, up to this limit.
const MAX_ROUNDS: usize = 10;

/// A text after its fixes.
pub(super) struct Fixed {
    pub(super) text: String,
    /// The remaining problems.
    pub(super) found: Vec<Diagnostic>,
    /// The number of applied fixes.
    pub(super) count: usize,
}

/// Applies the fixes to the text and its file, and returns the remaining problems.
pub(super) fn fix(
    file: &Input,
    input: InputText,
    check: impl Fn(&str) -> Result<Vec<Diagnostic>>,
) -> Result<Fixed> {
    ensure!(file.path.as_os_str() != STANDARD_INPUT, "standard input cannot be fixed; name a file");
    let mut fixed = Fixed { found: check(&input.text)?, text: input.text.clone(), count: 0 };
    for _ in 0..MAX_ROUNDS {
        let SafeFixes { edits, count } = safe_fixes(&fixed.found);
        if count == 0 {
            break;
        }
        input.check_editable()?;
        let text = edited(&fixed.text, &edits);
        fixed = Fixed { found: check(&text)?, text, count: fixed.count + count };
    }
    if fixed.count > 0 {
        replace(&file.target, input.text.as_bytes(), fixed.text.as_bytes())
            .map_err(|error| anyhow!("cannot be written: {error}"))?;
    }
    Ok(fixed)
}
