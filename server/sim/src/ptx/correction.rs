//! The statement whose insertion corrects a finding, where one statement is enough.

use crate::ptx::program::{CopyGroup, Instruction, Op, Program, TensorMemoryOp, TensorOp};
use crate::trace::{Finding, StatementId};
use crate::warp::Correction;

/// Findings that one statement corrects whatever the program is: before the finding, or after the related statement.
const ALWAYS: [(&str, &str, bool); 3] = [
    ("wgmma-fence", "wgmma.fence.sync.aligned;", false),
    ("prerequisite-grid", "griddepcontrol.wait;", false),
    ("proxy-fence", "fence.proxy.async;", true),
];

/// The correction of a finding about a program.
pub(super) fn correction(program: &Program, finding: &Finding) -> Option<Correction> {
    let here = finding.statement?;
    let related = finding.related.first().map(|related| related.statement);
    if let Some((_, text, after)) = ALWAYS.iter().find(|(code, ..)| *code == finding.code) {
        return match after {
            false => Some(insert(text, here, false)),
            true => Some(Correction { guarded: true, ..insert(text, related?, true) }),
        };
    }
    if !matches!(finding.code, "async-result" | "async-source") {
        return None;
    }
    let started = related?;
    match instruction(program, started)?.op {
        Op::Tensor => match tensor(program, started)? {
            TensorOp::Product(_) if !between(program, started, here, is_commit_of_products) => {
                Some(insert("wgmma.commit_group.sync.aligned;", started, true))
            }
            TensorOp::Product(_) => Some(insert("wgmma.wait_group.sync.aligned 0;", here, false)),
            TensorOp::Memory(TensorMemoryOp::Load(_)) => {
                Some(insert("tcgen05.wait::ld.sync.aligned;", started, true))
            }
            TensorOp::Memory(TensorMemoryOp::Store(_)) => {
                Some(insert("tcgen05.wait::st.sync.aligned;", started, true))
            }
            TensorOp::Copy(copy) if copy.completion.is_none() => commit_of_copy(program, started, here),
            _ => None,
        },
        Op::BulkCopy => {
            let (function, pc) = program.locate(started)?;
            let function = &program.functions[function];
            let copy = &function.tables.bulk_copies[function.code[pc as usize].s.a as usize];
            copy.completion.is_none().then(|| commit_of_copy(program, started, here)).flatten()
        }
        _ => None,
    }
}

fn insert(text: &'static str, at: StatementId, after: bool) -> Correction {
    Correction { text, at, after, guarded: false }
}

/// A copy that the wait does not cover because it was not committed.
fn commit_of_copy(program: &Program, started: StatementId, here: StatementId) -> Option<Correction> {
    let commits =
        |_: &Program, _, instruction: &Instruction| instruction.op == Op::CopyGroup(CopyGroup::CloseBulk);
    let correction = Correction { guarded: true, ..insert("cp.async.bulk.commit_group;", started, true) };
    (!between(program, started, here, commits)).then_some(correction)
}

fn is_commit_of_products(program: &Program, at: StatementId, instruction: &Instruction) -> bool {
    instruction.op == Op::Tensor && matches!(tensor(program, at), Some(TensorOp::CommitProducts))
}

/// Whether a statement between two others is of a kind.
fn between(
    program: &Program,
    from: StatementId,
    to: StatementId,
    is: impl Fn(&Program, StatementId, &Instruction) -> bool,
) -> bool {
    let (first, last) = (from.0.min(to.0), from.0.max(to.0));
    let mut statements = (first..last).map(StatementId);
    statements.any(|at| instruction(program, at).is_some_and(|instruction| is(program, at, instruction)))
}

fn instruction(program: &Program, at: StatementId) -> Option<&Instruction> {
    let (function, pc) = program.locate(at)?;
    program.functions[function].code.get(pc as usize)
}

fn tensor(program: &Program, at: StatementId) -> Option<&TensorOp> {
    let (function, pc) = program.locate(at)?;
    let function = &program.functions[function];
    function.tables.tensors.get(function.code[pc as usize].s.a as usize)
}
