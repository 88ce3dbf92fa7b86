//! The interface between a language's simulator and its callers: the language's divergence models, and a kernel decoded
//! for one of them.

use std::fmt::Debug;

use smol_str::SmolStr;

use super::control_flow::ControlFlow;
use super::correction::Correction;
use super::dyn_eq::DynEq;
use super::launch_config::LaunchConfig;
use crate::memory::DeviceMemory;
use crate::trace::{Control, Finding, RunOptions, RunOutcome, StatementId};
use crate::traced_value::RegisterInfo;

/// A divergence model. A language lists its models in a table, the default first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModelInfo {
    /// The name in settings, launches and reports.
    pub name: &'static str,
    /// Former names, which stay accepted.
    pub former_names: &'static [&'static str],
    /// How lanes diverge and reconverge, in one line for lists of models.
    pub rule: &'static str,
    /// Whether every lane is guaranteed to make progress, so that a lane can wait for another lane of its warp.
    pub forward_progress: bool,
}

impl ModelInfo {
    /// Whether `name` is the current name or a former one.
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.former_names.contains(&name)
    }
}

/// What the order of threads can change in the result of a kernel without races.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderEffect {
    None,
    /// What atomics and other statements that synchronize read and leave.
    Synchronization,
    /// Also what the kernel reads from a clock.
    Time,
}

/// A kernel of any language, decoded for a divergence model. Equal executables give equal results for every launch.
pub trait Executable: DynEq + Debug + Send + Sync {
    /// Runs a launch on the calling thread.
    fn run(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome;

    /// Runs a launch only for its value trace, without comparing it with another model.
    fn trace(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        self.run(config, options, control)
    }

    /// The statements of which one may fix the finding when it is inserted, the most likely one first.
    fn corrections(&self, _finding: &Finding) -> Vec<Correction> {
        Vec::new()
    }

    /// What the notes of a run with checks about this statement describe, in words; `None` if there are no such notes.
    fn subject_of_notes(&self, _statement: StatementId) -> Option<&'static str> {
        None
    }

    /// What the order of threads can change in a race-free run; `None` if the kernel only runs under the default schedule.
    fn order_effect(&self) -> Option<OrderEffect> {
        None
    }

    /// The registers that a statement names, in the order of its traced values.
    fn registers(&self, _statement: StatementId) -> Vec<RegisterInfo> {
        Vec::new()
    }

    /// The names of the registers that a statement writes.
    fn writes(&self, statement: StatementId) -> Vec<SmolStr> {
        let named = self.registers(statement).into_iter();
        named.filter(|register| register.written).map(|register| register.name).collect()
    }

    /// The names of the registers that a statement may read, its guard included.
    fn reads(&self, statement: StatementId) -> Vec<SmolStr> {
        let named = self.registers(statement).into_iter();
        named.filter(|register| register.read).map(|register| register.name).collect()
    }

    /// How many words a statement writes of the register at an index of [`Self::registers`], if it may be less than all.
    fn written_words(&self, _statement: StatementId, _register: usize) -> Option<u16> {
        None
    }

    /// The number of the function of a statement; each has registers of its own.
    fn function(&self, _statement: StatementId) -> u32 {
        0
    }

    /// The name of a function in messages.
    fn function_name(&self, function: u32) -> String {
        format!("function {function}")
    }

    /// The registers in which a function returns its results; `None` for one that is not in a register.
    fn returns(&self, _function: u32) -> Vec<Option<SmolStr>> {
        Vec::new()
    }

    /// Whether a value of more than 32 bits is in consecutive registers.
    fn has_word_registers(&self) -> bool {
        false
    }

    /// The memory of the program's own variables and constants, with their initial contents.
    fn variables(&self) -> Vec<&DeviceMemory> {
        Vec::new()
    }

    /// Bytes of shared memory of a block in a launch (WAVE: local memory of a workgroup).
    fn shared_bytes(&self, _config: &LaunchConfig) -> u64 {
        0
    }

    /// The control flow of the kernel; by default the whole kernel is one block.
    fn control_flow(&self) -> ControlFlow {
        ControlFlow::default()
    }
}
