//! PTX kernels for callers that do not depend on the language.

use std::sync::Arc;

use super::engine::{Model, run};
use super::program::Program;
use crate::trace::{Control, RunOptions, RunOutcome};
use crate::warp::{Executable, LaunchConfig, ModelInfo};

/// The models of PTX, the default first.
pub static MODELS: [ModelInfo; 4] = [
    ModelInfo { name: "stack", former_names: &[], forward_progress: false },
    ModelInfo { name: "ipdom", former_names: &["textbook"], forward_progress: false },
    ModelInfo { name: "frontier", former_names: &[], forward_progress: false },
    ModelInfo { name: "its", former_names: &[], forward_progress: true },
];

/// A decoded kernel under a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The program.
    pub program: Arc<Program>,
    /// The model.
    pub model: Model,
}

impl Executable for Kernel {
    fn run(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        run(&self.program, config, self.model, options, control)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_lists_the_models() {
        assert_eq!(MODELS.map(|model| model.name), Model::ALL.map(Model::name));
        assert_eq!(MODELS[0].name, Model::default().name());
    }
}
