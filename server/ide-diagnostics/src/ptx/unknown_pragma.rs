//! `unknown-pragma`: a `.pragma` with a string that the assembler does not know.

use text_size::TextRange;
use warplens_ide_db::{ItemFix, Problem, did_you_mean, nearest};
use warplens_isa::ptx as isa;
use warplens_isa::ptx::{Pragma, PragmaScope};

use crate::codes;

/// An unknown string. The assembler warns of it in a kernel; in a module its code generation fails.
pub(super) fn string(range: TextRange, text: &str, scope: PragmaScope) -> Problem {
    let name = text.split_whitespace().next().unwrap_or_default();
    let is_spaced = isa::pragma(text.trim()).is_some();
    let names = isa::pragmas().iter().map(|known| known.name);
    let meant = if is_spaced { Some(text.trim()) } else { nearest(name, names) };
    let consequence = match scope {
        PragmaScope::Module => "code generation fails",
        _ => "the assembler ignores it",
    };
    let message = format!("unknown pragma `{text}`: {consequence}{}", did_you_mean(meant));
    let problem = Problem::warning(range, codes::UNKNOWN_PRAGMA, message);
    problem.with_fix(meant.map(|meant| {
        let fixed = if is_spaced { meant.to_owned() } else { text.replacen(name, meant, 1) };
        ItemFix::replacement(range, &format!("\"{fixed}\""))
    }))
}

/// A known pragma, which takes nothing, with something after its name.
pub(super) fn with_argument(range: TextRange, known: &Pragma) -> Problem {
    let name = known.name;
    let message = format!("`{name}` takes nothing after its name; write `\"{name}\"`");
    let fix = ItemFix::replacement(range, &format!("\"{name}\"")).preferred();
    Problem::warning(range, codes::UNKNOWN_PRAGMA, message).with_fix(fix)
}
