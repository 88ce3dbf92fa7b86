//! Divergence where it is not allowed: `.uni` on branches that may be divergent, barriers that only some lanes may reach.
//!
//! Each distinct mnemonic is classified once. The uniformity analysis runs only if a `.uni` or a barrier depends on it.

use std::cell::Cell;

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::Variance;
use warplens_hir::cfg::{BlockEnd, BlockId, Cfg};
use warplens_hir::post_dominators::PostDominators;
use warplens_hir::ptx::{
    Function, FunctionKind, Instruction, InstructionId, Link, Mnemonic, Operand, ReferentId, RegisterQuery,
    Uniformity,
};
use warplens_ide_db::ptx::variance;
use warplens_ide_db::{Db, Item, ItemFix, Problem};

use crate::codes;
use crate::ptx::statement_ranges::StatementRanges;

/// The maximum number of blocks searched for barriers. Barriers beyond it are not reported.
const BUDGET: usize = 1_000_000;

pub(super) fn check(
    db: &dyn Db,
    item: Item<'_>,
    function: &Function,
    cfg: &Cfg,
    problems: &mut Vec<Problem>,
) {
    let interests: Vec<Option<Interest>> = function.mnemonics().iter().map(Interest::of).collect();
    if interests.iter().all(Option::is_none) {
        return;
    }
    let mut questions = Vec::new();
    let mut barriers = Vec::new();
    for instruction in function.instructions() {
        let Some(interest) = interests[instruction.mnemonic_id().index()] else { continue };
        let is_barrier = interest == Interest::Barrier && counts_all(instruction);
        if is_barrier {
            barriers.push(instruction.id());
        }
        if is_barrier || interest == Interest::Promise {
            let register = decides(function, instruction);
            let question = |register| RegisterQuery { instruction: instruction.id(), register, after: false };
            questions.extend(register.map(question));
        }
    }
    let parts = || cfg.blocks().iter().any(|block| block.end == BlockEnd::Diverges);
    let may_be_apart = || !barriers.is_empty() && parts() && may_be_apart(function, cfg, &barriers);
    if questions.is_empty() && !may_be_apart() {
        return;
    }
    let analysis = Uniformity::of(function, cfg, &questions);
    for (index, question) in questions.iter().enumerate() {
        if analysis.answer(index) == Variance::Varies {
            let instruction = function.instruction(question.instruction);
            let links = analysis.reason(index);
            problems.push(match interests[instruction.mnemonic_id().index()] {
                Some(Interest::Barrier) => guarded_barrier(function, instruction, question.register, &links),
                _ => broken_promise(db, item, function, instruction, question.register, &links),
            });
        }
    }
    if !barriers.is_empty() && parts() {
        barriers_apart(function, cfg, &analysis, &barriers, problems);
    }
}

/// The rule that an instruction is checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interest {
    /// `.uni`: it asserts that the branch is uniform.
    Promise,
    /// It waits until all lanes of a warp arrive.
    Barrier,
}

impl Interest {
    fn of(mnemonic: &Mnemonic) -> Option<Interest> {
        let has = |word| mnemonic.has(word);
        match &*mnemonic.opcode {
            "bra" | "brx" | "call" | "ret" if has("uni") => Some(Interest::Promise),
            "bar" if !has("warp") && (has("sync") || has("red")) => Some(Interest::Barrier),
            "barrier" if has("aligned") && (has("sync") || has("red")) => Some(Interest::Barrier),
            "barrier" if has("cluster") && has("aligned") => Some(Interest::Barrier),
            _ => None,
        }
    }
}

/// The register that selects the target: the guard, the index of `brx`, the function of an indirect call.
fn decides(function: &Function, instruction: Instruction<'_>) -> Option<ReferentId> {
    let register = |operand: &Operand| match operand {
        Operand::Register { name, .. } => Some(function.name(*name).referent),
        _ => None,
    };
    let guard = instruction.guard().map(|guard| function.name(guard.name).referent);
    guard.or_else(|| match instruction.opcode() {
        "brx" | "call" => instruction.operands().iter().find_map(register),
        _ => None,
    })
}

/// Whether all threads of the CTA participate in a barrier. With a count only some do, and lanes may arrive at different barriers.
fn counts_all(barrier: Instruction<'_>) -> bool {
    let operands = barrier.operands().len();
    if barrier.has("red") { operands <= 3 } else { operands <= 1 }
}

fn broken_promise(
    db: &dyn Db,
    item: Item<'_>,
    function: &Function,
    instruction: Instruction<'_>,
    register: ReferentId,
    links: &[Link],
) -> Problem {
    let text = function.referent_text(register);
    let opcode = instruction.opcode();
    let message = format!(
        "`.uni` asserts that this branch is uniform, but `{text}` may differ between the lanes of a warp ({}); \
         write `{opcode}` without `.uni`",
        variance::path(function, links)
    );
    let modifier = promise(db, item, instruction);
    let range = modifier.unwrap_or(instruction.opcode_range());
    let fix = modifier.map(|range| ItemFix::new("Remove `.uni`").delete(range).preferred());
    let problem = Problem::warning(range, codes::UNIFORM_PROMISE, message).with_fix(fix);
    because(problem, function, links)
}

/// The range of `.uni`.
fn promise(db: &dyn Db, item: Item<'_>, instruction: Instruction<'_>) -> Option<TextRange> {
    let index = instruction.modifiers().iter().position(|modifier| modifier == "uni")?;
    StatementRanges::new(item.parse(db)).modifier(instruction, index)
}

fn guarded_barrier(
    function: &Function,
    barrier: Instruction<'_>,
    register: ReferentId,
    links: &[Link],
) -> Problem {
    let message = format!(
        "only some lanes of the warp may arrive at this `{}`: its guard `{}` may differ between lanes ({}); \
         all lanes of a warp must arrive together",
        mnemonic(barrier),
        function.referent_text(register),
        variance::path(function, links)
    );
    because(Problem::warning(barrier.opcode_range(), codes::DIVERGENT_BARRIER, message), function, links)
}

/// Whether some barrier is between a branch and its reconvergence point: only then it matters which branches are divergent.
fn may_be_apart(function: &Function, cfg: &Cfg, barriers: &[InstructionId]) -> bool {
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

/// Barriers between a divergent branch and its reconvergence point.
fn barriers_apart(
    function: &Function,
    cfg: &Cfg,
    analysis: &Uniformity<'_>,
    barriers: &[InstructionId],
    problems: &mut Vec<Problem>,
) {
    let mut left: Vec<InstructionId> = barriers.to_vec();
    let is_divergent =
        |block: &BlockId| analysis.branch(*block) == Variance::Varies && !analysis.is_uniform_branch(*block);
    let mut branches = cfg.ids().filter(is_divergent).peekable();
    if branches.peek().is_none() {
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
            problems.push(barrier_apart(function, cfg, analysis, function.instruction(barrier), branch));
            false
        });
        if left.is_empty() || budget == 0 {
            return;
        }
    }
}

/// The blocks on the paths from a branch to its reconvergence point.
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

/// Whether lanes that reach a block exit at once.
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

fn barrier_apart(
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
        mnemonic(barrier),
        variance::path(function, &links)
    );
    let problem = Problem::warning(barrier.opcode_range(), codes::DIVERGENT_BARRIER, message);
    let last = cfg.block(branch).instructions.end.saturating_sub(1);
    let branch = function.instruction(InstructionId::new(last as usize));
    because(problem.with_related(branch.range(), "lanes diverge at this branch"), function, &links)
}

/// Opcode and modifiers.
fn mnemonic(instruction: Instruction<'_>) -> String {
    let words = instruction.modifiers().iter().map(SmolStr::as_str);
    std::iter::once(instruction.opcode()).chain(words).collect::<Vec<_>>().join(".")
}

/// The chain of reasons as related ranges.
fn because(problem: Problem, function: &Function, links: &[Link]) -> Problem {
    links.iter().fold(problem, |problem, link| {
        let range = function.instruction(link.instruction).range();
        problem.with_related(range, variance::sentence(function, link))
    })
}
