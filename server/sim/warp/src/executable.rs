//! The seam between the simulator of a language and its callers: the divergence models that a language offers, and a kernel
//! decoded for one of them.

use std::fmt::Debug;

use smol_str::SmolStr;

use super::control_flow::ControlFlow;
use super::correction::Correction;
use super::dyn_eq::DynEq;
use super::launch_config::LaunchConfig;
use crate::trace::{Control, Finding, RunOptions, RunOutcome, StatementId};

/// A divergence model. A language lists its models in a table, the default first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModelInfo {
    /// The name in settings, launches and reports.
    pub name: &'static str,
    /// Former names, which stay accepted.
    pub former_names: &'static [&'static str],
    /// How lanes diverge and reconverge, in one line for lists of models.
    pub rule: &'static str,
    /// Whether it guarantees that every lane makes progress, so that a lane can wait for another of its warp.
    pub forward_progress: bool,
}

impl ModelInfo {
    /// Whether this is its name or a former name.
    #[must_use]
    pub fn is_named(&self, name: &str) -> bool {
        self.name == name || self.former_names.contains(&name)
    }
}

/// A kernel of any language, decoded for a divergence model. Equal executables have equal results for every launch.
pub trait Executable: DynEq + Debug + Send + Sync {
    /// Runs a launch on the calling thread.
    fn run(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome;

    /// Runs a launch for its value trace only, without a comparison with another model.
    fn trace(&self, config: LaunchConfig, options: &RunOptions, control: Control<'_>) -> RunOutcome {
        self.run(config, options, control)
    }

    /// The names of the registers that a statement writes.
    fn writes(&self, _statement: StatementId) -> Vec<SmolStr> {
        Vec::new()
    }

    /// The statement whose insertion corrects a finding, if one is enough.
    fn correction(&self, _finding: &Finding) -> Option<Correction> {
        None
    }

    /// What runs with checks note about a statement, in words, if they do.
    fn subject_of_notes(&self, _statement: StatementId) -> Option<&'static str> {
        None
    }

    /// The control flow of the kernel; without one, each kernel is one block.
    fn control_flow(&self) -> ControlFlow {
        ControlFlow::default()
    }
}
