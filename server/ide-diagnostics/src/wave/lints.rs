//! The recommendations of the WAVE guide: `select` for short paths, flat conditions, predicated `break` and `continue`. Each
//! message has the cost of the code in entries of the divergence stack and in instructions.

mod branch_for_break;
mod branch_for_continue;
mod branch_for_select;
mod kernel;
mod nested_branch;
#[cfg(test)]
mod tests;

use warplens_hir::wave::{Accepts, Code, Link};
use warplens_ide_db::{Problem, Severity};

use crate::wave::lints::kernel::Kernel;

const MOST: usize = 50;

/// Adds the lints to the problems of a kernel without errors.
pub(crate) fn check(code: &Code, text: &str, accepts: Accepts, problems: &mut Vec<Problem>) {
    let is_wrong = || code.problems.iter().any(|problem| problem.severity() == Severity::Error);
    let is_if = |link: &Option<Link>| matches!(link, Some(Link::If { end: Some(_), .. }));
    if code.kernel.is_none() || !code.links.iter().any(is_if) || is_wrong() {
        return;
    }
    let kernel = Kernel::new(code, text, accepts);
    let branches = (0..code.links.len()).filter_map(|at| kernel.branch(at));
    let found = branches.filter_map(|branch| {
        branch_for_break::check(&kernel, &branch)
            .or_else(|| branch_for_select::check(&kernel, &branch))
            .or_else(|| nested_branch::check(&kernel, &branch))
            .or_else(|| branch_for_continue::check(&kernel, &branch))
    });
    problems.extend(found.take(MOST));
}
