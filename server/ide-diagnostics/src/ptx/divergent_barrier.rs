//! `divergent-barrier`: a barrier at which only some lanes of a warp may arrive. `flow::divergence` finds the barriers.

use std::cell::{Cell, LazyCell};

use warplens_hir::Variance;
use warplens_hir::cfg::{BlockEnd, BlockId, Cfg};
use warplens_hir::post_dominators::PostDominators;
use warplens_hir::ptx::{
    Function, FunctionKind, Instruction, InstructionId, Link, Operand, ReferentId, Resolution, Uniformity,
};
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
        "only some lanes of the warp may arrive at {}: its guard `{}` may differ between lanes ({}); \
         all lanes of a warp must arrive together",
        described(function, barrier),
        function.referent_text(register),
        variance::path(function, links)
    );
    because(Problem::warning(barrier.opcode_range(), codes::DIVERGENT_BARRIER, message), function, links)
}

/// Whether lanes may be apart at some barrier. If not, it does not matter which branches are divergent.
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
    // By block: the last path that it was seen on.
    let mut seen = vec![None; cfg.blocks().len()];
    let mut budget = 8 * cfg.blocks().len();
    let mut open = Vec::new();
    for branch in cfg.ids().filter(|block| cfg.block(*block).end == BlockEnd::Diverges) {
        let Some(reconvergence) = post_dominators.immediate(branch) else { continue };
        let mut waiting_paths = 0;
        for path in cfg.successors(branch) {
            open.push(path);
            while let Some(block) = open.pop() {
                let mark = Some((branch, path));
                if block == reconvergence || std::mem::replace(&mut seen[block.index()], mark) == mark {
                    continue;
                }
                if budget == 0 {
                    return true;
                }
                if waits[block.index()] {
                    waiting_paths += 1;
                    open.clear();
                    break;
                }
                budget -= 1;
                open.extend(cfg.successors(block));
            }
        }
        if waiting_paths > usize::from(leaves_at_once(function, cfg, reconvergence)) {
            return true;
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
    let exits: Vec<usize> =
        cfg.ids().filter(|block| cfg.block(*block).end == BlockEnd::Exits).map(BlockId::index).collect();
    for branch in branches {
        let Some(reconvergence) = post_dominators.immediate(branch) else { continue };
        let paths = Paths::new(cfg, branch, Some(reconvergence), barriers, &mut budget);
        // Lanes that exit never reach the reconvergence point, so each path is followed to its end.
        let whole = paths.leave(&exits).then(|| Paths::new(cfg, branch, None, barriers, &mut budget));
        let whole = whole.as_ref().unwrap_or(&paths);
        // Lanes that only exit are not waited for.
        let is_awaited = !leaves_at_once(function, cfg, reconvergence);
        let splits_warps = LazyCell::new(|| splits_warps(function, &analysis.branch_reason(branch)));
        left.retain(|&barrier| {
            let counted = !counts_all(function.instruction(barrier));
            let elsewhere = whole.others_wait_elsewhere(cfg, barrier) && (!counted || *splits_warps);
            let alone = !counted && is_awaited && paths.leads_to(cfg, barrier);
            if !alone && !elsewhere {
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

/// Whether all threads of the CTA participate in a barrier. With a count only some do: other lanes may not arrive at all. A call that leads
/// to a barrier is only checked if that one counts all.
pub(super) fn counts_all(barrier: Instruction<'_>) -> bool {
    if barrier.opcode() == "call" {
        return true;
    }
    let operands = barrier.operands().len();
    if barrier.has("red") { operands <= 3 } else { operands <= 1 }
}

/// The barrier, or that of the function that is called.
fn described(function: &Function, barrier: Instruction<'_>) -> String {
    match callee(function, barrier) {
        Some(callee) => format!("the barrier of `{callee}`, which is called here"),
        None => format!("this `{}`", barrier.mnemonic()),
    }
}

/// The function that a direct call names.
pub(super) fn callee<'f>(function: &'f Function, call: Instruction<'f>) -> Option<&'f str> {
    if call.opcode() != "call" {
        return None;
    }
    let target = call.operands().iter().find(|operand| !matches!(operand, Operand::Arguments(_)))?;
    match *target {
        Operand::Symbol(name) | Operand::Register { name, .. } => match function.name(name).resolution {
            Resolution::External(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Whether a branch surely separates lanes of one warp. A comparison with an unknown number may separate whole warps.
fn splits_warps(function: &Function, links: &[Link]) -> bool {
    links.iter().map(|link| function.instruction(link.instruction)).all(|instruction| {
        let has_constant = instruction.operands().iter().any(|operand| function.integer(*operand).is_some());
        !matches!(instruction.opcode(), "setp" | "set") || has_constant
    })
}

/// The blocks on each path from a branch to its end.
struct Paths {
    blocks: Vec<Vec<bool>>,
    /// For each barrier, the paths that lead to it, without duplicates.
    waiting: Vec<Vec<bool>>,
}

impl Paths {
    fn new(
        cfg: &Cfg,
        branch: BlockId,
        end: Option<BlockId>,
        barriers: &[InstructionId],
        budget: &mut usize,
    ) -> Paths {
        let blocks = cfg.successors(branch).map(|path| before(cfg, path, branch, end, budget));
        let mut paths = Paths { blocks: blocks.collect(), waiting: Vec::new() };
        paths.waiting = barriers.iter().map(|barrier| paths.to(cfg, *barrier)).collect();
        paths.waiting.sort_unstable();
        paths.waiting.dedup();
        paths
    }

    /// For each path, whether it leads to a barrier.
    fn to(&self, cfg: &Cfg, barrier: InstructionId) -> Vec<bool> {
        let block = cfg.block_of(barrier.index() as u32).index();
        self.blocks.iter().map(|path| path[block]).collect()
    }

    /// Whether a path leads to one of these blocks.
    fn leave(&self, exits: &[usize]) -> bool {
        exits.iter().any(|exit| self.blocks.iter().any(|path| path[*exit]))
    }

    fn leads_to(&self, cfg: &Cfg, barrier: InstructionId) -> bool {
        self.to(cfg, barrier).contains(&true)
    }

    /// Whether one path leads to this barrier and not to another one, and a second path to that one and not to this.
    fn others_wait_elsewhere(&self, cfg: &Cfg, barrier: InstructionId) -> bool {
        let here = self.to(cfg, barrier);
        let only =
            |some: &[bool], others: &[bool]| some.iter().zip(others).any(|(some, other)| *some && !other);
        self.waiting.iter().any(|there| only(&here, there) && only(there, &here))
    }
}

/// The blocks from the start of a path to its ends, before `end`. A path that returns to the branch ends there.
fn before(cfg: &Cfg, path: BlockId, branch: BlockId, end: Option<BlockId>, budget: &mut usize) -> Vec<bool> {
    let mut reached = vec![false; cfg.blocks().len()];
    let mut open = vec![path];
    while let Some(block) = open.pop() {
        if Some(block) != end && *budget > 0 && !std::mem::replace(&mut reached[block.index()], true) {
            *budget -= 1;
            if block != branch {
                open.extend(cfg.successors(block));
            }
        }
    }
    reached
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
        "only some lanes of the warp may arrive at {}: they diverge at a branch before it ({}) and have not reconverged; \
         move it after the reconvergence point, since all lanes of a warp must arrive together",
        described(function, barrier),
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

    use crate::ptx::flow::tests::{LANE, check_body, found_in_body};

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
        // With a count on one path, not aligned, on a side by itself that all take, for lanes that the others have left.
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

    const APART: &str = "they diverge at a branch before it (`%p1` ← `setp` ← `%r1` ← `%tid.x`) and have not reconverged; move it after the reconvergence point, since all lanes of a warp must arrive together";

    /// The barriers that are reported, by their lines.
    fn check_lines(statements: &str, lines: &[usize]) {
        let reported = |line: &usize| {
            let mnemonic = statements
                .lines()
                .nth(line - 3)
                .unwrap()
                .split(' ')
                .find(|word| word.contains("bar"))
                .unwrap();
            let opcode = mnemonic.split('.').next().unwrap();
            format!(
                "{line}:`{opcode}` Warning divergent-barrier: only some lanes of the warp may arrive at this `{mnemonic}`: {APART}\n"
            )
        };
        let found: String = found_in_body(statements)
            .lines()
            .filter(|line| !line.starts_with(' '))
            .map(|line| format!("{line}\n"))
            .collect();
        assert_eq!(found, lines.iter().map(reported).collect::<String>(), "{statements}");
    }

    #[test]
    fn barriers_on_several_paths_to_the_end() {
        let check = |statements: &str, lines: &[usize]| check_lines(&format!("{LANE}{statements}"), lines);
        check("@%p1 bra L;\nbar.sync 0;\nbra END;\nL: bar.sync 0;\nEND: ret;", &[6, 8]);
        check("@%p1 bra L;\nbar.sync 0;\nbra END;\nL: bar.sync 0;\nEND: exit;", &[6, 8]);
        check(
            "@%p1 bra L;\nbar.red.popc.u32 %r2, 0, %p2;\nbra END;\nL: bar.red.popc.u32 %r2, 0, %p2;\nEND: ret;",
            &[6, 8],
        );
        check("@%p1 bra L;\nbar.sync 14, 32;\nbra END;\nL: bar.sync 14, 32;\nEND: ret;", &[6, 8]);
        check(
            "@%p1 bra L;\n@%p2 bra M;\nbar.sync 0;\nbra END;\nL: bar.sync 0;\nbra END;\nM: bar.sync 0;\nEND: ret;",
            &[7, 9, 11],
        );
        check("@%p1 bra L;\nbar.sync 0;\nret;\nL: bar.sync 0;\nret;", &[6, 8]);
        check("@%p1 bra L;\nbar.arrive 1, 64;\nbra END;\nL: bar.sync 1, 64;\nEND: ret;", &[6, 8]);
        check("@%p1 bra L;\nbar.arrive 1, 64;\nbra END;\nL: bar.arrive 1, 64;\nEND: ret;", &[6, 8]);
        check(
            "@%p1 bra L;\nbarrier.arrive.aligned 1, 64;\nret;\nL: barrier.cta.arrive.aligned 2, 64;\nret;",
            &[6, 8],
        );
        for (first, second) in [("bar.sync 14, 32", "bar.sync 14, 32"), ("bar.sync 1, 32", "bar.sync 2, 32")]
        {
            for leave in ["ret", "exit", "st.shared.u32 [8], %r1; ret"] {
                check(&format!("@%p1 bra L;\n{first};\n{leave};\nL: {second};\nret;"), &[6, 8]);
            }
        }
    }

    #[test]
    fn paths_to_the_end_that_are_fine() {
        for fine in [
            // One barrier for both paths, which some lanes of one path leave before.
            "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nst.shared.u32 [8], %r1;\nbra J;\nL: setp.eq.u32 %p2, %r1, 5;\n@%p2 bra END;\nJ: bar.sync 0;\nEND: ret;",
            // Whole warps on each path.
            "setp.lt.u32 %p1, %r1, 64;\n@%p1 bra L;\nbar.sync 1, 64;\nbra END;\nL: bar.sync 2, 64;\nEND: ret;",
            "mov.u32 %r2, 64;\nsetp.lt.u32 %p1, %r1, %r2;\n@%p1 bra L;\nbar.sync 1, 64;\nbra END;\nL: bar.sync 2, 64;\nEND: ret;",
            // `int(t) / 64 == 0`.
            "add.s32 %r2, %r1, 63;\nsetp.lt.u32 %p1, %r2, 127;\n@%p1 bra L;\nbar.sync 1, 64;\nbra END;\nL: bar.sync 2, 64;\nEND: ret;",
            // Producers and consumers.
            "setp.lt.u32 %p1, %r1, 64;\n@%p1 bra L;\nbar.sync 1, 128;\nbra END;\nL: bar.arrive 1, 128;\nEND: ret;",
            // Lanes that arrive need not be together without `.aligned`, nor where each path has one or none.
            "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nbarrier.arrive 1, 64;\nbra END;\nL: barrier.arrive 2, 64;\nEND: ret;",
            "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra END;\nbar.arrive 1, 64;\nEND: ret;",
            "setp.lt.u32 %p1, %r1, 64;\n@%p1 bra L;\nbar.arrive 1, 128;\nbar.sync 2, 128;\nret;\nL: bar.sync 1, 128;\nbar.arrive 2, 128;\nret;",
            // Whole warps on each path, which each leave.
            "setp.lt.u32 %p1, %r1, 64;\n@%p1 bra L;\nbar.sync 1, 64;\nret;\nL: bar.sync 2, 64;\nret;",
            // Lanes that leave inside one path, and one barrier for all others.
            "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nsetp.eq.u32 %p2, %r1, 5;\n@%p2 bra OUT;\nst.shared.u32 [8], %r1;\nL: st.shared.u32 [4], %r1;\nbar.sync 1, 32;\nret;\nOUT: st.shared.u32 [8], %r1;\nret;",
            // One path waits, the other one exits.
            "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nbar.sync 0;\nbar.sync 0;\nbra END;\nL: st.shared.u32 [8], %r1;\nEND: ret;",
        ] {
            check_lines(&format!("mov.u32 %r1, %tid.x;\n{fine}"), &[]);
        }
    }
}
