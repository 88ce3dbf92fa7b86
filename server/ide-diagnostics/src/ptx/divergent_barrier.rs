//! `divergent-barrier`: a barrier at which only some lanes of a warp may arrive. `flow::divergence` finds the barriers.

use std::cell::Cell;

use warplens_hir::Variance;
use warplens_hir::cfg::{BlockEnd, BlockId, Cfg};
use warplens_hir::post_dominators::PostDominators;
use warplens_hir::ptx::{Function, FunctionKind, Instruction, InstructionId, Link, ReferentId, Uniformity};
use warplens_ide_db::Problem;
use warplens_ide_db::ptx::variance;

use crate::codes;
use crate::ptx::divergence_reason::because;

/// The maximum number of blocks searched for barriers. Barriers beyond it are not reported.
const BUDGET: usize = 1_000_000;

pub(super) fn guarded(
    function: &Function,
    barrier: Instruction<'_>,
    register: ReferentId,
    links: &[Link],
) -> Problem {
    let message = format!(
        "only some lanes of the warp may arrive at this `{}`: its guard `{}` may differ between lanes ({}); \
         all lanes of a warp must arrive together",
        barrier.mnemonic(),
        function.referent_text(register),
        variance::path(function, links)
    );
    because(Problem::warning(barrier.opcode_range(), codes::DIVERGENT_BARRIER, message), function, links)
}

/// Whether some barrier is between a branch and its reconvergence point. If none is, it does not matter which branches
/// are divergent.
pub(super) fn may_be_apart(function: &Function, cfg: &Cfg, barriers: &[InstructionId]) -> bool {
    let has_choice = Cell::new(false);
    let post_dominators = PostDominators::by_primary_end(cfg, |_| {
        has_choice.set(true);
        false
    });
    // The reconvergence points follow from which branches are uniform.
    if has_choice.get() {
        return true;
    }
    let mut waits = vec![false; cfg.blocks().len()];
    for barrier in barriers {
        waits[cfg.block_of(barrier.index() as u32).index()] = true;
    }
    // By block: the last branch that it was seen after.
    let mut seen = vec![None; cfg.blocks().len()];
    let mut budget = 8 * cfg.blocks().len();
    let mut open = Vec::new();
    for branch in cfg.ids().filter(|block| cfg.block(*block).end == BlockEnd::Diverges) {
        let Some(reconvergence) = post_dominators.immediate(branch) else { continue };
        if leaves_at_once(function, cfg, reconvergence) {
            continue;
        }
        open.extend(cfg.successors(branch));
        while let Some(block) = open.pop() {
            if block == reconvergence || seen[block.index()].replace(branch) == Some(branch) {
                continue;
            }
            if waits[block.index()] || budget == 0 {
                return true;
            }
            budget -= 1;
            open.extend(cfg.successors(block));
        }
    }
    false
}

/// Reports the barriers between a divergent branch and its reconvergence point.
pub(super) fn check(
    function: &Function,
    cfg: &Cfg,
    analysis: &Uniformity<'_>,
    barriers: &[InstructionId],
    problems: &mut Vec<Problem>,
) {
    let mut left: Vec<InstructionId> = barriers.to_vec();
    let is_divergent =
        |block: &BlockId| analysis.branch(*block) == Variance::Varies && !analysis.is_uniform_branch(*block);
    let branches: Vec<BlockId> = cfg.ids().filter(is_divergent).collect();
    if branches.is_empty() {
        return;
    }
    let post_dominators = PostDominators::by_primary_end(cfg, |block| analysis.is_uniform_branch(block));
    let mut budget = BUDGET;
    for branch in branches {
        let Some(reconvergence) = post_dominators.immediate(branch) else { continue };
        // Lanes that only exit there are not waited for.
        if leaves_at_once(function, cfg, reconvergence) {
            continue;
        }
        let apart = between(cfg, branch, reconvergence, &mut budget);
        left.retain(|&barrier| {
            let block = cfg.block_of(barrier.index() as u32);
            if !apart[block.index()] {
                return true;
            }
            let barrier = function.instruction(barrier);
            problems.push(between_branch_and_reconvergence(function, cfg, analysis, barrier, branch));
            false
        });
        if left.is_empty() || budget == 0 {
            return;
        }
    }
}

fn between(cfg: &Cfg, branch: BlockId, reconvergence: BlockId, budget: &mut usize) -> Vec<bool> {
    let mut apart = vec![false; cfg.blocks().len()];
    let mut open: Vec<BlockId> = cfg.successors(branch).collect();
    while let Some(block) = open.pop() {
        if block != reconvergence && *budget > 0 && !std::mem::replace(&mut apart[block.index()], true) {
            *budget -= 1;
            open.extend(cfg.successors(block));
        }
    }
    apart
}

fn leaves_at_once(function: &Function, cfg: &Cfg, block: BlockId) -> bool {
    let block = cfg.block(block);
    let ends = |index: u32| match function.instruction(InstructionId::new(index as usize)).opcode() {
        "exit" => true,
        "ret" => function.kind == FunctionKind::Entry,
        _ => false,
    };
    block.instructions.len() == 1 && block.instructions.clone().all(ends)
        || block.instructions.is_empty() && function.kind == FunctionKind::Entry
}

fn between_branch_and_reconvergence(
    function: &Function,
    cfg: &Cfg,
    analysis: &Uniformity<'_>,
    barrier: Instruction<'_>,
    branch: BlockId,
) -> Problem {
    let links = analysis.branch_reason(branch);
    let message = format!(
        "only some lanes of the warp may arrive at this `{}`: they diverge at a branch before it ({}) and have not reconverged; \
         move it after the reconvergence point, since all lanes of a warp must arrive together",
        barrier.mnemonic(),
        variance::path(function, &links)
    );
    let problem = Problem::warning(barrier.opcode_range(), codes::DIVERGENT_BARRIER, message);
    let last = cfg.block(branch).instructions.end.saturating_sub(1);
    let branch = function.instruction(InstructionId::new(last as usize));
    because(problem.with_related(branch.range(), "lanes diverge at this branch"), function, &links)
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::ptx::flow::tests::{LANE, check_body};

    #[test]
    fn barriers() {
        check_body(
            &format!("{LANE}@%p1 bra L;\nbar.sync 0;\nL: bar.sync 0;\nst.shared.u32 [8], %r1;\nret;"),
            expect![[r#"
                6:`bar` Warning divergent-barrier: only some lanes of the warp may arrive at this `bar.sync`: they diverge at a branch before it (`%p1` ← `setp` ← `%r1` ← `%tid.x`) and have not reconverged; move it after the reconvergence point, since all lanes of a warp must arrive together
                    5:`@%p1 bra L;` lanes diverge at this branch
                    4:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                    3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
            "#]],
        );
        check_body(
            &format!("{LANE}@%p1 bar.sync 0;\nbarrier.sync.aligned 1;\nret;"),
            expect![[r#"
                5:`bar` Warning divergent-barrier: only some lanes of the warp may arrive at this `bar.sync`: its guard `%p1` may differ between lanes (`%p1` ← `setp` ← `%r1` ← `%tid.x`); all lanes of a warp must arrive together
                    4:`setp.eq.u32 %p1, %r1, 0;` `%p1` is computed here from a value that varies by lane
                    3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
            "#]],
        );
        check_body(
            "mov.u32 %r1, %tid.x;\nTOP: add.u32 %r1, %r1, 64;\nbar.sync 0;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra TOP;\nst.shared.u32 [8], %r1;\nret;",
            expect![[r#"
                5:`bar` Warning divergent-barrier: only some lanes of the warp may arrive at this `bar.sync`: they diverge at a branch before it (`%p1` ← `setp` ← `%r1` ← `add` ← `%r1` ← `%tid.x`) and have not reconverged; move it after the reconvergence point, since all lanes of a warp must arrive together
                    7:`@%p1 bra TOP;` lanes diverge at this branch
                    6:`setp.lt.u32 %p1, %r1, 1000;` `%p1` is computed here from a value that varies by lane
                    4:`add.u32 %r1, %r1, 64;` `%r1` is computed here from a value that varies by lane
                    3:`mov.u32 %r1, %tid.x;` `%r1` is read here from `%tid.x`
            "#]],
        );
    }

    #[test]
    fn barriers_that_are_fine() {
        // With a count, not aligned, on a side by itself that all take, for lanes that the others have left.
        check_body(
            &format!("{LANE}@%p1 bra L;\nbar.sync 1, 64;\nbarrier.sync 0;\nL: ret;"),
            expect![[r#""#]],
        );
        check_body(
            "ld.param.u32 %r2, [size]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L; bar.sync 0;\nL: ret;",
            expect![[r#""#]],
        );
        check_body(&format!("{LANE}@%p1 exit;\nbar.sync 0;\nret;"), expect![[r#""#]]);
        check_body(&format!("{LANE}@%p1 bra DONE;\nbar.sync 0;\nDONE: ret;"), expect![""]);
        check_body(
            "mov.u32 %r1, %tid.x;\nTOP: add.u32 %r1, %r1, 64;\nbar.sync 0;\nsetp.lt.u32 %p1, %r1, 1000;\n@%p1 bra TOP;\nret;",
            expect![[r#""#]],
        );
    }
}
