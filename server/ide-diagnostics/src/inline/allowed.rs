//! `warplens: allow(code, code2)` in a comment of the host: at the end of a line, or alone on the line before.

use warplens_ide_db::Diagnostic;

use crate::allow::OPENING;
use crate::rules::rule;

/// Whether a comment switches a diagnostic off.
pub(super) fn is_allowed(text: &str, found: &Diagnostic) -> bool {
    let start = text[..usize::from(found.range.start())].rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let before = text[..start].lines().next_back().unwrap_or_default().trim_start();
    let is_alone = ["//", "/*", "#"].iter().any(|comment| before.starts_with(comment));
    allows(line, found.code) || is_alone && allows(before, found.code)
}

fn allows(line: &str, code: &str) -> bool {
    let Some((_, list)) = line.split_once(OPENING) else { return false };
    let list = list.split(')').next().unwrap_or_default();
    list.split(',').any(|name| rule(name.trim()) == Some(code))
}

#[cfg(test)]
mod tests {
    use super::allows;

    #[test]
    fn lists_of_codes() {
        assert!(allows("asm(…); // warplens: allow(asm-label, asm-volatile)", "asm-volatile"));
        assert!(!allows("asm(…); // warplens: allow(asm-label)", "asm-volatile"));
        assert!(!allows("asm(…);", "asm-volatile"));
    }
}
