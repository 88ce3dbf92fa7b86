//! Checks of the control flow of a function: builds the graph, and runs the checks that it has enough text for.

pub(super) mod divergence;
#[cfg(test)]
pub(super) mod tests;

use warplens_hir::cfg::BlockEnd;
use warplens_hir::ptx::Function;
use warplens_ide_db::ptx::ptx_cfg;
use warplens_ide_db::{Db, File, Item, Problem};

use crate::ptx::{
    broken, missing_return, return_in_noreturn, unreachable_code, unwritten_carry, unwritten_result,
};

pub(super) fn check<'db>(
    db: &'db dyn Db,
    file: File,
    item: Item<'db>,
    function: &Function,
    problems: &mut Vec<Problem>,
) {
    let parse = item.parse(db);
    let Some(body) = function.body.filter(|_| broken::flow_is_known(&parse)) else { return };
    let cfg = ptx_cfg(db, file, item, function);
    if function.signature.is_noreturn() {
        problems.extend(return_in_noreturn::check(function));
    }
    if !cfg.blocks().iter().any(|block| block.end == BlockEnd::Unknown) {
        let reached = cfg.reachable();
        unreachable_code::check(function, &cfg, &reached, problems);
        let text = &item.text(db).0;
        problems.extend(missing_return::check(function, &cfg, &reached, body, text, parse.errors()));
        if parse.errors().is_empty() {
            unwritten_result::check(function, &cfg, problems);
            unwritten_carry::check(function, &cfg, problems);
        }
    }
    // It is unknown which registers a statement with a syntax error writes.
    if parse.errors().is_empty() {
        divergence::check(db, item, function, &cfg, problems);
    }
}
