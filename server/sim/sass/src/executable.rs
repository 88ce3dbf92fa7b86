//! SASS kernels for callers that do not depend on the language.

use std::sync::Arc;

use warplens_sim_warp::trace::{Control, RunOptions, RunOutcome, StatementId};
use warplens_sim_warp::value_tracer::RegisterInfo;
use warplens_sim_warp::{BlockEnd, ControlFlow, Executable, LaunchConfig, ModelInfo, OrderEffect};

use super::launch::shared_bytes;
use super::program::{CcTest, Cell, Control as SassControl, Op, Program};
use super::registers::Condition;
use super::run::run;
use super::value_tracer::register_info;

/// The default model of targets from sm_70 on.
pub const BARRIERS: ModelInfo = ModelInfo {
    name: "barriers",
    former_names: &[],
    rule: "convergence barriers, `BSSY` and `BSYNC`",
    forward_progress: false,
};

/// The default model of older targets.
pub const TOKENS: ModelInfo = ModelInfo {
    name: "tokens",
    former_names: &[],
    rule: "tokens on a stack, `SSY` and `SYNC`",
    forward_progress: false,
};

/// The target determines the default model of a kernel.
pub static MODELS: [ModelInfo; 2] = [BARRIERS, TOKENS];

/// A decoded kernel under a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    pub program: Arc<Program>,
    /// Whether the model is `barriers` or `tokens`.
    pub barriers: bool,
}

impl Executable for Kernel {
    fn run(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        run(&self.program, config, self.barriers, options, control)
    }

    fn order_effect(&self) -> Option<OrderEffect> {
        Some(self.program.order_effect())
    }

    fn registers(&self, statement: StatementId) -> Vec<RegisterInfo> {
        let named = self.program.named.get(statement.index()).into_iter().flatten();
        named.map(register_info).collect()
    }

    fn written_words(&self, statement: StatementId, register: usize) -> Option<u16> {
        let Cell::Rows(first, _) = self.program.named.get(statement.index())?.get(register)?.cell else {
            return None;
        };
        let uses = self.program.uses.get(statement.index())?.iter().filter(|it| it.is_write);
        let words = uses.filter_map(|it| match it.cell {
            Cell::Rows(row, words) if row == first => Some(words),
            _ => None,
        });
        words.max()
    }

    fn shared_bytes(&self, config: &LaunchConfig) -> u64 {
        shared_bytes(&self.program, config.shared_memory).into()
    }

    fn has_word_registers(&self) -> bool {
        true
    }

    fn control_flow(&self) -> ControlFlow {
        control_flow(&self.program)
    }
}

/// The branches, exits and barriers of the program. A call does not end a block, because its lanes return.
/// Lanes that wait for others continue at the statement after the wait, or at the statement of a token.
fn control_flow(program: &Program) -> ControlFlow {
    let mut flow = ControlFlow::default();
    flow.starts.extend(program.functions.iter().map(|function| StatementId(function.first)));
    for (at, operation) in (0..).zip(&program.code) {
        let Op::Control(control) = &operation.op else { continue };
        let targets = match control {
            SassControl::Branch(target, _) => vec![StatementId(*target)],
            SassControl::Push(_, resume) => {
                flow.starts.push(StatementId(*resume));
                continue;
            }
            SassControl::BarrierWait(_) => {
                flow.starts.push(StatementId(at + 1));
                continue;
            }
            SassControl::Block { .. } | SassControl::Cluster { .. } => {
                flow.barriers.push(StatementId(at));
                continue;
            }
            SassControl::Indirect(..) => program.targets_of(at).iter().copied().map(StatementId).collect(),
            SassControl::PopReturn
            | SassControl::Return(_)
            | SassControl::Pop(_)
            | SassControl::Exit
            | SassControl::Trap => Vec::new(),
            _ => continue,
        };
        let guarded = operation.guard != Condition::ALWAYS || operation.test != CcTest::ALWAYS;
        let has_sides = guarded && targets.len() <= 1;
        flow.ends.push(BlockEnd { statement: StatementId(at), targets, continues: guarded, has_sides });
    }
    flow
}
