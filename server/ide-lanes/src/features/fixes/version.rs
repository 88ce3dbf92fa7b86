//! A version of a text: its kernel, and the problems that the check of the text reports.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use warplens_ide_db::{Database, File, Fixes, Severity};
use warplens_ide_diagnostics::file::diagnostics;
use warplens_ide_diagnostics::rules::Rules;
use warplens_sim_warp::Executable;

use crate::launches::{kernel_called, kernels_of};
use crate::program::Statement;
use crate::run::Prepared;
use crate::simulator::Simulator;

pub struct Version {
    program: Arc<dyn Executable>,
    statements: Vec<Statement>,
    /// How many errors and warnings of each name the text has.
    problems: FxHashMap<&'static str, usize>,
}

impl Version {
    /// The kernel and the model of a run in a text. `None` if it cannot be run.
    pub fn of(
        db: &Database,
        file: File,
        simulator: &dyn Simulator,
        rules: &Rules,
        ran: &Prepared,
    ) -> Option<Version> {
        let kernels = kernels_of(db, file, Some(simulator));
        let kernel = kernel_called(ran.resolved.launch.entry.as_deref()?, &kernels).ok()?;
        let decoded = simulator.decode(db, file, kernel, ran.model).ok()?;
        let mut problems = FxHashMap::default();
        for problem in diagnostics(db, file, rules, Fixes::Omitted) {
            if problem.severity <= Severity::Warning {
                *problems.entry(problem.code).or_default() += 1;
            }
        }
        Some(Version { program: decoded.program, statements: decoded.statements, problems })
    }

    pub(super) fn program(&self) -> &Arc<dyn Executable> {
        &self.program
    }

    pub(super) fn statements(&self) -> &[Statement] {
        &self.statements
    }

    pub(super) fn is_program_of(&self, ran: &Prepared) -> bool {
        self.program.dyn_eq(&*ran.program)
    }

    /// Whether it has problems that `original` lacks.
    pub(super) fn has_more_problems_than(&self, original: &Version) -> bool {
        let before = |name| original.problems.get(name).copied().unwrap_or_default();
        self.problems.iter().any(|(name, count)| *count > before(name))
    }
}
