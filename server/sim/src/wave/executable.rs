//! WAVE kernels for callers that do not depend on the language.

use std::sync::Arc;

use super::program::Program;
use super::reference;
use super::run::run;
use crate::trace::{Control, RunOptions, RunOutcome};
use crate::warp::{Executable, LaunchConfig, ModelInfo};

/// The models of WAVE, the default first: the divergence stack of the guide, and the reference emulator 0.1.2.
pub static MODELS: [ModelInfo; 2] = [
    ModelInfo { name: "structured", former_names: &[], forward_progress: false },
    ModelInfo { name: "wave-emu", former_names: &[], forward_progress: false },
];

/// A kernel under the model `structured`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The program.
    pub program: Arc<Program>,
}

/// A kernel under the model `wave-emu`, which is compared with `structured`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmulatedKernel {
    /// The program as the emulator runs it.
    pub emulated: Arc<reference::Program>,
    /// The program for `structured`.
    pub structured: Arc<Program>,
}

impl Executable for Kernel {
    fn run(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        run(&self.program, config, options, control)
    }
}

impl Executable for EmulatedKernel {
    fn run(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        let structured = run(&self.structured, config.clone(), options, control)?;
        let other = Some((MODELS[0].name, structured));
        reference::run(&self.emulated, config, options, control, other)
    }

    fn trace(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        reference::run(&self.emulated, config, options, control, None)
    }
}
