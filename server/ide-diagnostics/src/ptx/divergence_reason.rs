//! Why a value differs between lanes, as related ranges.

use warplens_hir::ptx::{Function, Link};
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::variance;

pub(super) fn because(problem: Problem, function: &Function, links: &[Link]) -> Problem {
    links.iter().fold(problem, |problem, link| {
        let range = function.instruction(link.instruction).range();
        problem.with_related(range, variance::sentence(function, link))
    })
}
