//! `continue` for an `if` around the rest of a loop's body.

use text_size::{TextRange, TextSize};
use warplens_hir::wave::{Accepts, Cell, Instruction, Link};

use crate::codes;
use crate::wave::dialect::Dialect;
use crate::wave::lints::kernel::{Branch, Kernel, written};
use warplens_ide_db::Problem;

/// An `if` without `else` that ends where the iteration ends.
pub(super) fn check(kernel: &Kernel<'_>, branch: &Branch) -> Option<Problem> {
    let ends_trip = matches!(kernel.code.links.get(branch.end + 1), Some(Some(Link::EndLoop { .. })));
    let has_body = branch.at + 1 < branch.end;
    // Toolchain 0.1.2 loses the lanes of a `continue`.
    let loses = kernel.accepts == Accepts::Toolchain;
    if !ends_trip
        || !has_body
        || branch.otherwise.is_some()
        || loses
        || kernel.has_label(branch.end, branch.end + 1)
    {
        return None;
    }
    if kernel.is_uniform(branch.at) {
        return None;
    }
    let inverse = (branch.predicate, !branch.negated);
    let turned = match (kernel.dialect(), branch.negated) {
        (Dialect::Guide, _) | (_, true) => None,
        (Dialect::Toolchain, false) => Some(turned_comparison(kernel, branch)?),
    };
    let write = match turned {
        Some(_) => format!("continue p{}", branch.predicate),
        None => format!("continue {}", written(inverse)),
    };
    let message = format!(
        "this `if` spans the rest of the iteration: it costs an entry of the divergence stack and 2 instructions per iteration, `{write}` none \
         and 1"
    );
    let range = |at: usize| kernel.range(at);
    let mut rewrite = kernel.rewrite();
    if let Some((comparison, text)) = turned {
        rewrite.replace(comparison, text);
    }
    rewrite.replace(range(branch.at), &*write);
    rewrite.remove(range(branch.end));
    rewrite.dedent(range(branch.at), range(branch.end), range(branch.at + 1));
    let problem = Problem::hint(range(branch.at), codes::BRANCH_FOR_CONTINUE, message);
    Some(problem.with_fix(rewrite.fix(format!("Replace the `if` with `{write}`"))))
}

/// The comparison that only the `if` reads, and its text for the opposite condition.
fn turned_comparison(kernel: &Kernel<'_>, branch: &Branch) -> Option<(TextRange, String)> {
    let cell = Cell::Predicate(branch.predicate);
    let parent = kernel.code.parents[branch.at];
    let mut at = branch.at;
    let comparison = loop {
        at = at.checked_sub(1)?;
        let instruction = kernel.instruction(at);
        let beside = kernel.code.parents[at] == parent && kernel.code.links[at].is_none();
        if !beside || kernel.has_label(at + 1, at + 1) || instruction.name() == "call" {
            return None;
        }
        if instruction.writes().any(|written| written == cell) {
            break instruction;
        }
        if instruction.reads().any(|read| read == cell) {
            return None;
        }
    };
    let read_on =
        kernel.is_live(branch.at + 1, branch.predicate) || kernel.is_live(branch.end, branch.predicate);
    if read_on || comparison.guard.is_some() || !comparison.complete {
        return None;
    }
    inverse(kernel, comparison)
}

/// The text of a comparison from its mnemonic on, and that of the opposite in the toolchain's dialect. A comparison of
/// floats has an opposite only if it treats NaN the opposite way.
fn inverse(kernel: &Kernel<'_>, comparison: &Instruction) -> Option<(TextRange, String)> {
    let (write, swaps) = match comparison.name() {
        "icmp.eq" => ("icmp_ne", false),
        "icmp.ne" => ("icmp_eq", false),
        "icmp.lt" => ("icmp_ge", false),
        "icmp.ge" => ("icmp_lt", false),
        "icmp.le" => ("icmp_gt", false),
        "icmp.gt" => ("icmp_le", false),
        "ucmp.lt" => ("ucmp_le", true),
        "ucmp.le" => ("ucmp_lt", true),
        "fcmp.eq" => ("fcmp_ne", false),
        "fcmp.ne" => ("fcmp_eq", false),
        "fcmp.ord" => ("fcmp_unord", false),
        "fcmp.unord" => ("fcmp_ord", false),
        _ => return None,
    };
    let [predicate, first, second] = &comparison.operands[..] else { return None };
    let words = |range: TextRange| kernel.words(range);
    let (first, second) = if swaps { (second, first) } else { (first, second) };
    let text = format!("{write} {}, {}, {}", words(predicate.range), words(first.range), words(second.range));
    let range = comparison.range;
    Some((TextRange::at(range.start(), TextSize::of(kernel.words(range))), text))
}
