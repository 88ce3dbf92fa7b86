//! One `if` on both predicates for an `if` that is alone in another.

use warplens_hir::wave::{Link, Value};

use crate::codes;
use crate::wave::dialect::Dialect;
use crate::wave::lints::kernel::{Branch, Kernel, written};
use warplens_ide_db::Problem;

/// Two `if`s without `else`, the inner one alone in the outer except for its comparison.
pub(super) fn check(kernel: &Kernel<'_>, outer: &Branch) -> Option<Problem> {
    let is_if = |at: usize| matches!(kernel.code.links[at], Some(Link::If { .. }));
    let compares = !is_if(outer.at + 1) && is_comparison(kernel, outer);
    let inner = kernel.branch(outer.at + 1 + usize::from(compares))?;
    let is_alone_on_line =
        outer.otherwise.is_none() && inner.otherwise.is_none() && inner.end + 1 == outer.end;
    let has_body = inner.at + 1 < inner.end;
    // The toolchain has no logic instructions on predicates.
    if !is_alone_on_line
        || !has_body
        || kernel.dialect() != Dialect::Guide
        || inner.predicate == outer.predicate
    {
        return None;
    }
    if compares
        && (inner.predicate != compared(kernel, outer)? || kernel.is_live(outer.end + 1, inner.predicate))
    {
        return None;
    }
    if kernel.is_uniform(outer.at) || kernel.is_uniform(inner.at) {
        return None;
    }
    let both = [(outer.predicate, outer.negated), (inner.predicate, inner.negated)];
    let target = kernel.target(both, inner.at + 1, outer.end)?;
    let and = format!("and p{target}, {}, {}", written(both[0]), written(both[1]));
    let message = format!(
        "two nested `if`s cost 2 entries of the divergence stack and 4 instructions; `{and}` and one `if` cost 1 \
         and 3"
    );
    let range = |at: usize| kernel.range(at);
    let mut rewrite = kernel.rewrite();
    rewrite.remove(range(outer.at));
    let indentation = crate::lints::layout::indentation(kernel.text, range(outer.at));
    rewrite.replace(range(inner.at), format!("{and}\n{indentation}if p{target}"));
    rewrite.remove(range(outer.end));
    rewrite.dedent(range(outer.at), range(outer.end), range(inner.at));
    let problem = Problem::hint(range(outer.at), codes::NESTED_BRANCH, message);
    let problem = problem.with_related(range(inner.at), "the nested `if`");
    Some(problem.with_fix(rewrite.fix(format!("Join the conditions with `{and}`"))))
}

/// Whether the first instruction in an `if` is a comparison on a separate line that every lane may execute.
fn is_comparison(kernel: &Kernel<'_>, outer: &Branch) -> bool {
    let at = outer.at + 1;
    let instruction = kernel.instruction(at);
    instruction.name().contains("cmp.")
        && instruction.guard.is_none()
        && instruction.complete
        && at + 1 < outer.end
        && kernel.is_alone_on_line(at)
        && compared(kernel, outer) != Some(outer.predicate)
}

/// The predicate that this comparison writes.
fn compared(kernel: &Kernel<'_>, outer: &Branch) -> Option<u8> {
    match kernel.instruction(outer.at + 1).operands.first()?.value {
        Value::Predicate { index, .. } => Some(index),
        _ => None,
    }
}
