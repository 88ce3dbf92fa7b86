//! Divergence where it is not allowed: finds the branches with `.uni` and the barriers, and asks whether lanes diverge there.
//!
//! Each distinct mnemonic is classified once. The uniformity analysis runs only if a `.uni` or a barrier depends on it.

use smol_str::SmolStr;
use warplens_hir::Variance;
use warplens_hir::cfg::{BlockEnd, Cfg};
use warplens_hir::ptx::{
    Function, Instruction, InstructionId, Mnemonic, Operand, ReferentId, RegisterQuery, Uniformity,
};
use warplens_ide_db::{Db, Item, Problem};

use crate::ptx::{divergent_barrier, uniform_promise};

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
        if interest == Interest::Barrier {
            barriers.push(instruction.id());
        }
        if interest == Interest::Barrier && divergent_barrier::counts_all(instruction)
            || interest == Interest::Promise
        {
            let register = decides(function, instruction);
            let question = |register| RegisterQuery { instruction: instruction.id(), register, after: false };
            questions.extend(register.map(question));
        }
    }
    let parts = || cfg.blocks().iter().any(|block| block.end == BlockEnd::Diverges);
    let may_be_apart =
        || !barriers.is_empty() && parts() && divergent_barrier::may_be_apart(function, cfg, &barriers);
    if questions.is_empty() && !may_be_apart() {
        return;
    }
    let analysis = Uniformity::of(function, cfg, &questions);
    for (index, question) in questions.iter().enumerate() {
        if analysis.answer(index) == Variance::Varies {
            let instruction = function.instruction(question.instruction);
            let links = analysis.reason(index);
            problems.push(match interests[instruction.mnemonic_id().index()] {
                Some(Interest::Barrier) => {
                    divergent_barrier::guarded(function, instruction, question.register, &links)
                }
                _ => uniform_promise::problem(db, item, function, instruction, question.register, &links),
            });
        }
    }
    if !barriers.is_empty() && parts() {
        divergent_barrier::check(function, cfg, &analysis, &barriers, problems);
    }
}

/// Reports the calls of functions that wait at a barrier, `waiting`, at which lanes may be apart.
pub(crate) fn check_calls(function: &Function, cfg: &Cfg, waiting: &[SmolStr]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let waits = |call: Instruction<'_>| {
        divergent_barrier::callee(function, call)
            .is_some_and(|callee| waiting.iter().any(|name| name == callee))
    };
    let is_barrier =
        |it: Instruction<'_>| Interest::of(it.mnemonic()) == Some(Interest::Barrier) || waits(it);
    let calls: Vec<Instruction<'_>> = function.instructions().filter(|it| waits(*it)).collect();
    let guards = calls.iter().filter_map(|call| {
        let register = function.name(call.guard()?.name).referent;
        Some(RegisterQuery { instruction: call.id(), register, after: false })
    });
    let questions: Vec<RegisterQuery> = guards.collect();
    let analysis = Uniformity::of(function, cfg, &questions);
    for (index, question) in questions.iter().enumerate() {
        if analysis.answer(index) == Variance::Varies {
            let call = function.instruction(question.instruction);
            problems.push(divergent_barrier::guarded(
                function,
                call,
                question.register,
                &analysis.reason(index),
            ));
        }
    }
    let barriers: Vec<InstructionId> =
        function.instructions().filter(|it| is_barrier(*it)).map(Instruction::id).collect();
    let mut apart = Vec::new();
    divergent_barrier::check(function, cfg, &analysis, &barriers, &mut apart);
    // The barriers of the function itself are checked with it.
    apart.retain(|problem| calls.iter().any(|call| call.opcode_range() == problem.range));
    problems.extend(apart);
    problems
}

/// Whether a function has a barrier at which all threads of the CTA wait, lanes of a warp together.
pub(crate) fn waits_at_barrier(function: &Function) -> bool {
    let is_barrier = |mnemonic: &Mnemonic| Interest::of(mnemonic) == Some(Interest::Barrier);
    function.mnemonics().iter().any(is_barrier)
        && function.instructions().any(|it| is_barrier(it.mnemonic()) && divergent_barrier::counts_all(it))
}

/// The rule that an instruction is checked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Interest {
    /// `.uni`: it asserts that the branch is uniform.
    Promise,
    /// All lanes of a warp must arrive together.
    Barrier,
}

impl Interest {
    fn of(mnemonic: &Mnemonic) -> Option<Interest> {
        let has = |word| mnemonic.has(word);
        match &*mnemonic.opcode {
            "bra" | "brx" | "call" | "ret" if has("uni") => Some(Interest::Promise),
            "bar" if !has("warp") => Some(Interest::Barrier),
            "barrier" if has("aligned") => Some(Interest::Barrier),
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
