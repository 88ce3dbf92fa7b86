//! SASS kernels for callers that do not depend on the language.

use std::sync::Arc;

use super::program::Program;
use super::run::run;
use crate::trace::{Control, RunOptions, RunOutcome};
use crate::warp::{Executable, LaunchConfig, ModelInfo};

/// The models of SASS. The target decides which one a kernel runs under by default.
pub static MODELS: [ModelInfo; 2] = [
    ModelInfo { name: "barriers", former_names: &[], forward_progress: false },
    ModelInfo { name: "tokens", former_names: &[], forward_progress: false },
];

/// A decoded kernel under a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// The program.
    pub program: Arc<Program>,
    /// Whether it runs under `barriers` rather than under `tokens`.
    pub barriers: bool,
}

impl Executable for Kernel {
    fn run(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        run(&self.program, config, self.barriers, options, control)
    }
}
