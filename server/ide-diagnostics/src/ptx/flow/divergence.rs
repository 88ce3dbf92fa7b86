//! Lanes that part where they must not: `.uni` where they may go different ways, barriers that only some of them reach.
//!
//! What an opcode asks for is found out once for each distinct mnemonic; which values lanes share is asked only where a
//! promise or a barrier depends on it.

use smol_str::SmolStr;
use text_size::TextRange;
use warplens_hir::Variance;
use warplens_hir::cfg::{BlockEnd, BlockId, Cfg};
use warplens_hir::post_dominators::PostDominators;
use warplens_hir::ptx::{
    Function, FunctionKind, Instruction, InstructionId, Link, Mnemonic, Operand, Question, ReferentId,
    Uniformity,
};
use warplens_ide_db::db::{Db, Item};
use warplens_ide_db::position::token_covering;
use warplens_ide_db::variance;
use warplens_syntax::ast::AstNode;
use warplens_syntax::ptx::ast;

use crate::codes;
use crate::problem::{ItemFix, Problem};

/// Blocks that may be looked at for barriers; beyond it no more are found.
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
            let question = |register| Question { instruction: instruction.id(), register, after: false };
            questions.extend(register.map(question));
        }
    }
    let parts = || cfg.blocks().iter().any(|block| block.end == BlockEnd::Parts);
    if questions.is_empty() && (barriers.is_empty() || !parts()) {
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

/// Why an instruction is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interest {
    /// `.uni`: it promises that all lanes go the same way.
    Promise,
    /// It waits until all lanes of a warp are there.
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

/// The register that decides where a lane goes: the guard, the index of `brx`, the function of an indirect call.
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

/// Whether a barrier is for all threads of the CTA. One with a count is for some of them, and lanes may come to several.
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
        "`.uni` promises that all lanes of the warp go the same way, but `{text}` varies from lane to lane ({}); \
         write `{opcode}` without `.uni`",
        variance::path(function, links)
    );
    let modifier = promise(db, item, instruction);
    let range = modifier.unwrap_or(instruction.opcode_range());
    let fix = modifier.map(|range| ItemFix::new("Remove `.uni`").delete(range).preferred());
    let problem = Problem::warning(range, codes::UNIFORM_PROMISE, message).with_fix(fix);
    because(problem, function, links)
}

/// Where `.uni` stands.
fn promise(db: &dyn Db, item: Item<'_>, instruction: Instruction<'_>) -> Option<TextRange> {
    let opcode = token_covering(&item.parse(db).syntax(), instruction.opcode_range().start())?;
    let node = ast::Instruction::cast(opcode.parent()?)?;
    Some(node.modifiers().find(|modifier| modifier.text() == ".uni")?.text_range())
}

fn guarded_barrier(
    function: &Function,
    barrier: Instruction<'_>,
    register: ReferentId,
    links: &[Link],
) -> Problem {
    let message = format!(
        "only some lanes of the warp wait at this `{}`: its guard `{}` varies from lane to lane ({}); \
         all lanes of a warp have to come to it together",
        spelt(barrier),
        function.referent_text(register),
        variance::path(function, links)
    );
    because(Problem::warning(barrier.opcode_range(), codes::DIVERGENT_BARRIER, message), function, links)
}

/// Barriers between a branch at which lanes part and where they meet again.
fn barriers_apart(
    function: &Function,
    cfg: &Cfg,
    analysis: &Uniformity<'_>,
    barriers: &[InstructionId],
    problems: &mut Vec<Problem>,
) {
    let mut left: Vec<InstructionId> = barriers.to_vec();
    let is_parting =
        |block: &BlockId| analysis.branch(*block) == Variance::Varies && !analysis.is_uniform_branch(*block);
    let mut branches = cfg.ids().filter(is_parting).peekable();
    if branches.peek().is_none() {
        return;
    }
    let meets = PostDominators::leaving_lanes(cfg, |block| analysis.is_uniform_branch(block));
    let mut budget = BUDGET;
    for branch in branches {
        let Some(meeting) = meets.immediate(branch) else { continue };
        // Lanes that go there only to end are not waited for.
        if leaves_at_once(function, cfg, meeting) {
            continue;
        }
        let apart = between(cfg, branch, meeting, &mut budget);
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

/// The blocks on the ways from a branch to where its lanes meet.
fn between(cfg: &Cfg, branch: BlockId, meeting: BlockId, budget: &mut usize) -> Vec<bool> {
    let mut apart = vec![false; cfg.blocks().len()];
    let mut open: Vec<BlockId> = cfg.successors(branch).collect();
    while let Some(block) = open.pop() {
        if block != meeting && *budget > 0 && !std::mem::replace(&mut apart[block.index()], true) {
            *budget -= 1;
            open.extend(cfg.successors(block));
        }
    }
    apart
}

/// Whether lanes that come to a block end there without doing anything more.
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
        "only some lanes of the warp may come to this `{}`: they part at a branch before it ({}) and have not met again; \
         move it to where they have, since all lanes of a warp have to come to it together",
        spelt(barrier),
        variance::path(function, &links)
    );
    let problem = Problem::warning(barrier.opcode_range(), codes::DIVERGENT_BARRIER, message);
    let last = cfg.block(branch).instructions.end.saturating_sub(1);
    let parting = function.instruction(InstructionId::new(last as usize));
    because(problem.with_related(parting.range(), "lanes part at this branch"), function, &links)
}

/// Opcode and modifiers.
fn spelt(instruction: Instruction<'_>) -> String {
    let words = instruction.modifiers().iter().map(SmolStr::as_str);
    std::iter::once(instruction.opcode()).chain(words).collect::<Vec<_>>().join(".")
}

/// The chain of reasons as places.
fn because(problem: Problem, function: &Function, links: &[Link]) -> Problem {
    links.iter().fold(problem, |problem, link| {
        let range = function.instruction(link.instruction).range();
        problem.with_related(range, variance::sentence(function, link))
    })
}
