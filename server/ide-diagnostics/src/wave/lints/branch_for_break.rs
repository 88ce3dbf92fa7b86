//! A predicated `break` or `continue` for an `if` around one.

use warplens_hir::wave::Link;

use crate::codes;
use crate::wave::dialect::Dialect;
use crate::wave::lints::kernel::{Branch, Kernel, written};
use warplens_ide_db::{ItemFix, Problem};

/// An `if` with a path that is only a `break` or `continue`.
pub(super) fn check(kernel: &Kernel<'_>, branch: &Branch) -> Option<Problem> {
    first_path(kernel, branch).or_else(|| other_path(kernel, branch))
}

/// The `break` or `continue` that a path consists of, and its predicate.
fn leave<'k>(kernel: &Kernel<'k>, path: std::ops::Range<usize>) -> Option<(&'k str, (u8, bool))> {
    let at = path.start;
    let word = kernel.instruction(at).name();
    let is_leave = path.len() == 1 && kernel.code.links[at].is_some() && matches!(word, "break" | "continue");
    (is_leave && kernel.is_alone_on_line(at)).then_some((word, kernel.predicate(at)?))
}

/// The path after `else`: the lanes on it exit before the others execute the first path.
fn other_path(kernel: &Kernel<'_>, branch: &Branch) -> Option<Problem> {
    let leaves = branch.otherwise? + 1;
    let (word, own) = leave(kernel, leaves..branch.end)?;
    if own != (branch.predicate, !branch.negated) || kernel.is_uniform(branch.at) {
        return None;
    }
    let write = format!("{word} {}", written(own));
    let message = format!(
        "`{word}` can be predicated: this `if` costs an entry of the divergence stack and 3 instructions more than `{write}` here"
    );
    let mut rewrite = kernel.rewrite();
    let range = |at: usize| kernel.range(at);
    rewrite.replace(range(branch.at), &write);
    for removed in branch.otherwise.into_iter().chain([leaves, branch.end]) {
        rewrite.remove(range(removed));
    }
    rewrite.dedent(range(branch.at), range(branch.end), range(leaves));
    let problem = Problem::hint(kernel.range(branch.at), codes::BRANCH_FOR_BREAK, message);
    Some(problem.with_fix(rewrite.fix(format!("Replace the `if` with `{write}`"))))
}

fn first_path(kernel: &Kernel<'_>, branch: &Branch) -> Option<Problem> {
    let leaves = branch.at + 1;
    let (word, own) = leave(kernel, branch.then())?;
    let outer = (branch.predicate, branch.negated);
    if kernel.is_uniform(branch.at) {
        return None;
    }
    let (write, fix) = if own == outer {
        (format!("{word} {}", written(own)), same(kernel, branch, leaves))
    } else {
        let target = both(kernel, branch, outer, own)?;
        let write = format!("{word} p{target}");
        let and = format!("and p{target}, {}, {}", written(outer), written(own));
        (format!("{and}` and `{write}"), apart(kernel, branch, leaves, &and, &write))
    };
    let more = match (own == outer, branch.otherwise) {
        (true, Some(_)) => "3 instructions",
        (true, None) => "2 instructions",
        (false, _) => "an instruction",
    };
    let message = format!(
        "`{word}` can be predicated: this `if` costs an entry of the divergence stack and {more} more than `{write}`"
    );
    let problem = Problem::hint(kernel.range(branch.at), codes::BRANCH_FOR_BREAK, message);
    Some(problem.with_fix(fix))
}

/// Removes the `if`; the remaining lanes execute its other path after the `break`.
fn same(kernel: &Kernel<'_>, branch: &Branch, leaves: usize) -> ItemFix {
    let mut rewrite = kernel.rewrite();
    let range = |at: usize| kernel.range(at);
    rewrite.remove(range(branch.at));
    branch.otherwise.iter().for_each(|otherwise| rewrite.remove(range(*otherwise)));
    rewrite.remove(range(branch.end));
    rewrite.dedent(range(branch.at), range(branch.end), range(leaves));
    let words = kernel.words(range(leaves));
    rewrite.fix(format!("Write `{words}` without the `if`"))
}

/// The predicate that can hold both conditions, if the dialect has logic instructions on predicates.
fn both(kernel: &Kernel<'_>, branch: &Branch, outer: (u8, bool), own: (u8, bool)) -> Option<u8> {
    if branch.otherwise.is_some() || kernel.dialect() != Dialect::Guide || outer.0 == own.0 {
        return None;
    }
    // Lanes that exit the loop read the previous value.
    let leaves = branch.at + 1;
    let open = match kernel.code.links[leaves] {
        Some(Link::Leave { open }) => open as usize,
        _ => return None,
    };
    let end = kernel.code.construct(open).into_iter().max()?;
    let unread = |index: u8| !kernel.is_live(branch.end + 1, index);
    let unread_by_leavers = |index: u8| !kernel.is_live(end + 1, index) && !kernel.is_live(open + 1, index);
    [own, outer]
        .into_iter()
        .find(|(index, negated)| unread(*index) && (!negated || unread_by_leavers(*index)))
        .map(|(index, _)| index)
}

/// `and`, then the predicated `break`.
fn apart(kernel: &Kernel<'_>, branch: &Branch, leaves: usize, and: &str, write: &str) -> ItemFix {
    let mut rewrite = kernel.rewrite();
    let range = |at: usize| kernel.range(at);
    rewrite.replace(range(branch.at), and);
    rewrite.replace(range(leaves), write);
    rewrite.remove(range(branch.end));
    rewrite.dedent(range(branch.at), range(branch.end), range(leaves));
    rewrite.fix(format!("Replace the `if` with `{and}`"))
}
