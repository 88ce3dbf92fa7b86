//! `unknown-directive`: a directive that does not exist.

use warplens_ide_db::{ItemFix, Problem, did_you_mean, nearest};
use warplens_isa::ptx as isa;
use warplens_syntax::Token;

use crate::codes;

pub(super) fn check(word: Token<'_>) -> Option<Problem> {
    let name = word.text;
    if isa::directive(name).is_some() {
        return None;
    }
    // The PTX manual shows `.function` in a grammar; the assembler has never accepted it.
    let is_described = name == ".function";
    let names = isa::directives().iter().map(|directive| directive.name);
    let meant = if is_described { Some(".func") } else { nearest(name, names) };
    let message = match is_described {
        true => "`.function` is not a directive; write `.func` for a function, `.entry` for a kernel".into(),
        false => format!("`{name}` is not a directive{}", did_you_mean(meant)),
    };
    let problem = Problem::error(word.range(), codes::UNKNOWN_DIRECTIVE, message);
    Some(problem.with_fix(meant.map(|meant| ItemFix::replacement(word.range(), meant))))
}
