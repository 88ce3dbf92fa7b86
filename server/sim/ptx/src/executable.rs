//! PTX kernels behind the interface for callers that do not depend on the language.

use std::sync::Arc;

use smol_str::SmolStr;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::trace::{Control, Finding, RunOptions, RunOutcome, StatementId};
use warplens_sim_warp::value_tracer::RegisterInfo;
use warplens_sim_warp::{BlockEnd, ControlFlow, Correction, Executable, LaunchConfig, OrderEffect};

use super::correction::corrections;
use super::engine::{Model, register_infos, run};
use super::program::{Formal, Function, Guard, Op, Passing, Program, TensorMemoryOp, TensorOp};

/// A decoded kernel under a divergence model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    pub program: Arc<Program>,
    pub model: Model,
}

impl Executable for Kernel {
    fn run(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        run(&self.program, config, self.model, options, control)
    }

    fn registers(&self, statement: StatementId) -> Vec<RegisterInfo> {
        let Some((function, pc)) = self.program.locate(statement) else { return Vec::new() };
        register_infos(&self.program.functions[function], pc).collect()
    }

    fn function(&self, statement: StatementId) -> u32 {
        self.program.locate(statement).map_or(0, |(function, _)| function as u32)
    }

    fn function_name(&self, function: u32) -> String {
        let function = self.program.functions.get(function as usize);
        function.map_or_else(String::new, |function| function.name.to_string())
    }

    fn returns(&self, function: u32) -> Vec<Option<SmolStr>> {
        let Some(function) = self.program.functions.get(function as usize) else { return Vec::new() };
        let name = |formal: &Formal| {
            let Passing::Register(place) = formal.at else { return None };
            let mut named = function.frame.registers.iter();
            named.find(|register| register.place == place).map(|register| register.name.clone())
        };
        function.returns.iter().map(name).collect()
    }

    fn variables(&self) -> Vec<&DeviceMemory> {
        vec![&self.program.globals, &self.program.constants]
    }

    fn shared_bytes(&self, config: &LaunchConfig) -> u64 {
        u64::from(self.program.shared_size) + u64::from(config.shared_memory)
    }

    fn corrections(&self, finding: &Finding) -> Vec<Correction> {
        corrections(&self.program, finding)
    }

    fn subject_of_notes(&self, statement: StatementId) -> Option<&'static str> {
        let (function, pc) = self.program.locate(statement)?;
        subject_of_notes(&self.program.functions[function], pc)
    }

    fn order_effect(&self) -> Option<OrderEffect> {
        Some(self.program.order_effect())
    }

    fn control_flow(&self) -> ControlFlow {
        control_flow(&self.program)
    }
}

/// The subject that a run's notes on this statement describe.
fn subject_of_notes(function: &Function, pc: u32) -> Option<&'static str> {
    let instruction = function.code.get(pc as usize)?;
    match instruction.op {
        Op::Mbarrier(_) => Some("the phases of the mbarrier"),
        Op::Tensor(id) => match &function.tables[id] {
            TensorOp::Copy(_) => Some("the copied box"),
            TensorOp::Memory(TensorMemoryOp::Commit { .. }) => Some("the phases of the mbarrier"),
            TensorOp::Memory(
                TensorMemoryOp::Allocate { .. }
                | TensorMemoryOp::Free { .. }
                | TensorMemoryOp::Load(_)
                | TensorMemoryOp::Store(_)
                | TensorMemoryOp::Product(_)
                | TensorMemoryOp::Copy(_),
            ) => Some("a map of tensor memory"),
            _ => None,
        },
        _ => None,
    }
}

/// The program's branches, exits and barriers. A call does not end a block, because its lanes return.
fn control_flow(program: &Program) -> ControlFlow {
    let mut flow = ControlFlow::default();
    for function in program.functions.iter().filter(|function| !function.code.is_empty()) {
        let at = |pc: u32| StatementId(function.first_statement + pc);
        flow.starts.push(at(0));
        for (pc, instruction) in (0..).zip(&function.code) {
            if let Op::Barrier(_) = instruction.op {
                flow.barriers.push(at(pc));
            }
            let Some(targets) = function.targets_of(instruction) else { continue };
            let targets: Vec<_> = targets.into_iter().map(at).collect();
            let continues = instruction.guard != Guard::ALWAYS;
            let has_sides = continues && targets.len() <= 1;
            flow.ends.push(BlockEnd { statement: at(pc), targets, continues, has_sides });
        }
    }
    flow
}
