//! WAVE kernels for callers that do not depend on the language.

use std::sync::Arc;

use warplens_sim_warp::trace::{Control, RunOptions, RunOutcome, StatementId};
use warplens_sim_warp::value_tracer::RegisterInfo;
use warplens_sim_warp::{BlockEnd, ControlFlow, Executable, LaunchConfig, ModelInfo, OrderEffect};

use super::op::{Action, Control as WaveControl};
use super::program::Program;
use super::reference;
use super::run::run;

/// The models of WAVE, the default first: the divergence stack of the guide, and the reference emulator
/// 0.1.2.
pub static MODELS: [ModelInfo; 2] = [
    ModelInfo {
        name: "structured",
        former_names: &[],
        rule: "the divergence stack of the guide; a path that no lane takes is skipped",
        forward_progress: false,
    },
    ModelInfo {
        name: "wave-emu",
        former_names: &[],
        rule: "the behavior of the reference emulator 0.1.2, its known faults included; for comparison",
        forward_progress: false,
    },
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    pub program: Arc<Program>,
    /// The program under the model `wave-emu`, which is compared with `structured`.
    pub emulated: Option<Arc<reference::Program>>,
}

impl Executable for Kernel {
    fn run(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        let Some(emulated) = &self.emulated else { return run(&self.program, config, options, control) };
        // All waves are compared.
        let options = RunOptions { one_warp: false, ..*options };
        let structured = run(&self.program, config.clone(), &options, control)?;
        let other = Some((MODELS[0].name, structured));
        reference::run(emulated, config, &options, control, other)
    }

    fn trace(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        match &self.emulated {
            Some(emulated) => reference::run(emulated, config, options, control, None),
            None => run(&self.program, config, options, control),
        }
    }

    fn order_effect(&self) -> Option<OrderEffect> {
        self.emulated.is_none().then(|| self.program.order_effect())
    }

    fn registers(&self, statement: StatementId) -> Vec<RegisterInfo> {
        self.program.registers_of(statement)
    }

    fn has_word_registers(&self) -> bool {
        true
    }

    fn shared_bytes(&self, config: &LaunchConfig) -> u64 {
        self.program.local_memory.unwrap_or(config.shared_memory).into()
    }

    fn control_flow(&self) -> ControlFlow {
        control_flow(&self.program)
    }
}

/// The control operations of the program. Lanes that wait in a construct continue at its parts, so these
/// start blocks.
fn control_flow(program: &Program) -> ControlFlow {
    let mut flow = ControlFlow::default();
    let id = StatementId;
    flow.starts.push(id(0));
    let loops: Vec<(u32, u32)> = (0..)
        .zip(&program.ops)
        .filter_map(|(pc, op)| match op.action {
            Action::Control(WaveControl::Loop { end }) => Some((pc, end)),
            _ => None,
        })
        .collect();
    let innermost = |pc: u32| loops.iter().rfind(|(start, end)| (*start..=*end).contains(&pc)).copied();
    let mut otherwise_ends = Vec::new();
    for (pc, op) in (0..).zip(&program.ops) {
        let Action::Control(control) = op.action else { continue };
        let (targets, continues) = match control {
            WaveControl::If { otherwise, end, .. } => {
                if let Some(otherwise) = otherwise {
                    otherwise_ends.push((otherwise, end));
                    flow.starts.extend([id(otherwise), id(otherwise + 1)]);
                }
                flow.starts.push(id(end));
                (vec![id(otherwise.unwrap_or(end))], true)
            }
            WaveControl::Else => {
                let end = otherwise_ends.iter().find(|(otherwise, _)| *otherwise == pc);
                (end.map(|(_, end)| id(*end)).into_iter().collect(), true)
            }
            WaveControl::Loop { end } => {
                flow.starts.extend([id(pc + 1), id(end)]);
                continue;
            }
            WaveControl::EndLoop => {
                (innermost(pc).map(|(start, _)| id(start + 1)).into_iter().collect(), true)
            }
            WaveControl::Break { .. } => {
                (innermost(pc).map(|(_, end)| id(end + 1)).into_iter().collect(), true)
            }
            WaveControl::Continue { .. } => {
                (innermost(pc).map(|(start, _)| id(start + 1)).into_iter().collect(), true)
            }
            WaveControl::Return | WaveControl::Halt => (Vec::new(), op.guard.is_some()),
            WaveControl::Barrier => {
                flow.barriers.push(id(pc));
                continue;
            }
            WaveControl::EndIf | WaveControl::Call { .. } | WaveControl::Refused { .. } => continue,
        };
        // Lanes pass `else` and `endloop` as an earlier condition decides.
        let has_sides = continues && !matches!(control, WaveControl::Else | WaveControl::EndLoop);
        flow.ends.push(BlockEnd { statement: id(pc), targets, continues, has_sides });
    }
    flow
}
