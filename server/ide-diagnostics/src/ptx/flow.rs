//! Control flow: unreachable code, function bodies without a final `ret`, results that are not written, divergence where it is
//! not allowed.

mod divergence;
mod results;
#[cfg(test)]
mod tests;

use text_size::{TextRange, TextSize};
use warplens_hir::cfg::{BlockEnd, Cfg};
use warplens_hir::ptx::{Function, FunctionKind, InstructionId};
use warplens_ide_db::ptx::ptx_cfg;
use warplens_ide_db::{Db, File, Item, ItemFix, Problem, Tag};

use crate::codes;
use crate::ptx::broken;

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
        problems.extend(returns(function));
    }
    if !cfg.blocks().iter().any(|block| block.end == BlockEnd::Unknown) {
        let reached = cfg.reachable();
        unreachable(function, &cfg, &reached, problems);
        problems.extend(falls_off(function, &cfg, &reached, body, &item.text(db).0));
        if parse.errors().is_empty() {
            results::check(function, &cfg, problems);
        }
    }
    // It is unknown which registers a statement with a syntax error writes.
    if parse.errors().is_empty() {
        divergence::check(db, item, function, &cfg, problems);
    }
}

/// Each range of unreachable instructions.
fn unreachable(function: &Function, cfg: &Cfg, reached: &[bool], problems: &mut Vec<Problem>) {
    let mut dead = cfg.ids().filter(|block| !reached[block.index()]).peekable();
    while let Some(first) = dead.next() {
        let mut last = first;
        while let Some(next) = dead.next_if(|next| next.index() == last.index() + 1) {
            last = next;
        }
        let (start, end) = (cfg.block(first).instructions.start, cfg.block(last).instructions.end);
        let at = |index: u32| function.instruction(InstructionId::new(index as usize));
        let (Some(before), Some(end)) = (start.checked_sub(1), end.checked_sub(1)) else { continue };
        if start > end {
            continue;
        }
        let range = TextRange::new(at(start).range().start(), at(end).range().end());
        let message = format!(
            "unreachable code: control does not continue after `{}`, and no reachable branch jumps here",
            at(before).opcode()
        );
        let problem = Problem::hint(range, codes::UNREACHABLE_CODE, message);
        let related = format!("control does not continue after this `{}`", at(before).opcode());
        problems.push(problem.with_related(at(before).opcode_range(), related).with_tag(Tag::Unnecessary));
    }
}

/// Control that reaches the brace at the end of the body.
fn falls_off(
    function: &Function,
    cfg: &Cfg,
    reached: &[bool],
    body: TextRange,
    text: &str,
) -> Option<Problem> {
    let end = cfg.ids().next_back().filter(|block| cfg.block(*block).instructions.is_empty())?;
    // An empty body is a stub, not a mistake.
    let last = function.instructions().next_back().filter(|_| reached[end.index()])?;
    let brace = TextRange::new(body.end() - TextSize::of('}'), body.end());
    let leave = match function.kind {
        _ if function.signature.is_noreturn() => "exit",
        FunctionKind::Entry => "exit",
        FunctionKind::Func => "ret",
    };
    let starts_line = text[..usize::from(brace.start())].ends_with('\n');
    let insert = if starts_line { format!("    {leave};\n") } else { format!("{leave}; ") };
    let message = format!("control reaches the end of the function body; end it with `{leave};`");
    let problem = Problem::warning(brace, codes::MISSING_RETURN, message);
    let fix = ItemFix::new(format!("Add `{leave};`")).insert(brace.start(), insert).preferred();
    Some(problem.with_related(last.opcode_range(), "control continues after this").with_fix(fix))
}

/// `ret` in a `.noreturn` function.
fn returns(function: &Function) -> impl Iterator<Item = Problem> + '_ {
    let promise = function.signature.directive("noreturn").map(|directive| directive.range);
    function.instructions().filter(|instruction| instruction.opcode() == "ret").map(move |ret| {
        let message = "a `.noreturn` function must not return: its callers rely on that; \
                       end it with `exit;` or `trap;`, or remove `.noreturn`";
        let problem = Problem::warning(ret.opcode_range(), codes::RETURN_IN_NORETURN, message);
        promise.into_iter().fold(problem, |problem, range| problem.with_related(range, "declared here"))
    })
}
