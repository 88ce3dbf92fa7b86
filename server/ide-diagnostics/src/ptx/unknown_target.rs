//! `unknown-target`: a target, or an option of `.target`, that does not exist.

use text_size::TextRange;
use warplens_ide_db::{ItemFix, Problem};
use warplens_isa::ptx as isa;
use warplens_syntax::Node;
use warplens_syntax::SyntaxKind::IDENT;

use crate::codes;

/// A word in the position of the target that is not one. A second `.target` may begin with an option.
pub(super) fn architecture(name: &str, range: TextRange, is_second: bool) -> Option<Problem> {
    if is_option(name) {
        let message = "the target must precede its options: `.target sm_80, texmode_independent`";
        return (!is_second).then(|| Problem::error(range, codes::UNKNOWN_TARGET, message));
    }
    let message = format!("unknown target `{name}`");
    let targets = isa::targets().iter().map(|target| target.name);
    Some(Problem::unknown(range, codes::UNKNOWN_TARGET, &message, name, targets))
}

pub(super) fn other_name(name: &str, target: &isa::Target, range: TextRange) -> Option<Problem> {
    if name.trim_start_matches("compute_") == target.name.trim_start_matches("sm_") || name == target.name {
        return None;
    }
    let message = format!("the assembler reads `{name}` as `{}`; write that instead", target.name);
    let fix = ItemFix::replacement(range, target.name).preferred();
    Some(Problem::warning(range, codes::UNKNOWN_TARGET, message).with_fix(fix))
}

pub(super) fn option(word: &str, range: TextRange) -> Problem {
    let options = isa::target_options().iter().map(|option| option.name);
    let message = format!("unknown option `{word}` of `.target`");
    Problem::unknown(range, codes::UNKNOWN_TARGET, &message, word, options)
}

/// Checks a `.target` between statements, which has no effect. `texmode_independent` there conflicts with the module's
/// prologue.
pub(super) fn between_statements(target: Node<'_>) -> Option<Problem> {
    target.tokens_of([IDENT]).find_map(|word| {
        if isa::target(word.text).is_some() || word.text == "texmode_unified" {
            return None;
        }
        let message =
            format!("`{}` is not allowed here; remove this `.target`, which has no effect", word.text);
        Some(Problem::error(word.range(), codes::UNKNOWN_TARGET, message))
    })
}

fn is_option(word: &str) -> bool {
    isa::target_options().iter().any(|option| option.name == word)
}
