//! Statements that correct a finding when inserted, for findings that one statement corrects.

mod common_path;
mod initialization;
mod paths;
mod race;

use warplens_sim_cuda::sanitizer::copies::CopyFamily;
use warplens_sim_warp::Correction;
use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Finding, StatementId};

use crate::program::{CopyGroup, Function, Instruction, Op, Program, TensorMemoryOp, TensorOp};

/// Findings that one fixed statement corrects in any program: `false` inserts it before the finding's statement, `true`
/// after the related one.
const ALWAYS: [(FindingKind, &str, bool); 4] = [
    (FindingKind::WgmmaFence, "wgmma.fence.sync.aligned;", false),
    (FindingKind::PrerequisiteGrid, "griddepcontrol.wait;", false),
    // A release orders the operations before it, so only the fence after the synchronization can be missing.
    (FindingKind::Tcgen05Order, "tcgen05.fence::after_thread_sync;", false),
    (FindingKind::ProxyFence, "fence.proxy.async;", true),
];

/// The statements of which one may correct a finding, the most likely one first.
pub(super) fn corrections(program: &Program, finding: &Finding) -> Vec<Correction> {
    match finding.kind {
        FindingKind::DataRace | FindingKind::WarpSynchronous => race::corrections(program, finding),
        FindingKind::UninitializedRead => initialization::corrections(program, finding),
        _ => correction(program, finding).into_iter().collect(),
    }
}

/// The only statement that corrects a finding.
fn correction(program: &Program, finding: &Finding) -> Option<Correction> {
    let here = finding.statement?;
    let related = finding.related.first().map(|related| related.statement);
    if let Some((_, text, after)) = ALWAYS.iter().find(|(kind, ..)| *kind == finding.kind) {
        return match after {
            false => Some(Correction::insertion(text, here, false)),
            true => Some(Correction { guarded: true, ..Correction::insertion(text, related?, true) }),
        };
    }
    if finding.kind == FindingKind::MbarrierInit {
        return Some(Correction::insertion(
            "bar.sync 0;",
            common_path::after_initialization(program, here, related?)?,
            false,
        ));
    }
    if !matches!(finding.kind, FindingKind::AsyncResult | FindingKind::AsyncSource) {
        return None;
    }
    let (started, written) = (related?, finding.kind == FindingKind::AsyncSource);
    let (function, instruction) = instruction(program, started)?;
    let is_tracked = match instruction.op {
        Op::Tensor(id) => match &function.tables[id] {
            TensorOp::Product(_) if !is_committed(program, started, here) => {
                return Some(Correction::insertion("wgmma.commit_group.sync.aligned;", started, true));
            }
            TensorOp::Product(_) => {
                return Some(Correction::insertion("wgmma.wait_group.sync.aligned 0;", here, false));
            }
            TensorOp::Memory(TensorMemoryOp::Load(_)) => {
                return Some(Correction::insertion("tcgen05.wait::ld.sync.aligned;", started, true));
            }
            TensorOp::Memory(TensorMemoryOp::Store(_)) => {
                return Some(Correction::insertion("tcgen05.wait::st.sync.aligned;", started, true));
            }
            TensorOp::Copy(copy) => copy.completion.is_some(),
            _ => return None,
        },
        Op::BulkCopy(id) => function.tables[id].completion.is_some(),
        _ => return None,
    };
    if is_tracked { None } else { wait_of_copy(program, started, here, written) }
}

/// The commit or wait that a copy lacks, guarded like the copy, its commit, or the insufficient wait. If the copy's source
/// is written to, it is enough that its reads are complete; otherwise the whole copy must be.
fn wait_of_copy(
    program: &Program,
    started: StatementId,
    here: StatementId,
    written: bool,
) -> Option<Correction> {
    let guarded = |text, at| Some(Correction { guarded: true, ..Correction::insertion(text, at, true) });
    if here < started {
        return None;
    }
    let last = |is: &dyn Fn(CopyGroup) -> bool| {
        let mut statements = (started.0..here.0).rev().map(StatementId);
        statements.find(|at| matches!(instruction(program, *at), Some((_, Instruction { op: Op::CopyGroup(group), .. })) if is(*group)))
    };
    let Some(committed) = last(&|group| group == CopyGroup::Commit(CopyFamily::Bulk)) else {
        return guarded("cp.async.bulk.commit_group;", started);
    };
    let wait = |read| last(&|group| group == CopyGroup::Wait { family: CopyFamily::Bulk, all: false, read });
    let (read, complete) = (wait(true), wait(false));
    match (written, read, complete) {
        (true, None, None) => guarded("cp.async.bulk.wait_group.read 0;", committed),
        (false, None, None) => guarded("cp.async.bulk.wait_group 0;", committed),
        (false, Some(read), None) => guarded("cp.async.bulk.wait_group 0;", read),
        // The wait leaves groups in flight, or the missing part is synchronization with the thread that waits.
        _ => None,
    }
}

/// Whether warpgroup products are committed between two statements.
fn is_committed(program: &Program, from: StatementId, to: StatementId) -> bool {
    (from.0.min(to.0)..from.0.max(to.0)).any(|at| {
        instruction(program, StatementId(at)).is_some_and(|(function, instruction)| match instruction.op {
            Op::Tensor(id) => matches!(function.tables[id], TensorOp::CommitProducts),
            _ => false,
        })
    })
}

fn instruction(program: &Program, at: StatementId) -> Option<(&Function, &Instruction)> {
    let (function, pc) = program.locate(at)?;
    let function = &program.functions[function];
    Some((function, function.code.get(pc as usize)?))
}
