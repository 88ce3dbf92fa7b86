//! A run that chooses what its request leaves open: an inferred launch that has findings is repaired, and a kernel that waits among
//! the lanes of a warp runs under the model that lets each of them make progress.
//!
//! What the request or the launch names is never replaced.

use std::sync::Arc;

use warplens_sim::launch::{Launch, Resolved, is_clean};
use warplens_sim::{Cancelled, Control, Executable, Finding, RunResult, Severity, Status};

use crate::model::Model;
use crate::run::Prepared;

/// The code of the information that a run is under another model than the default.
const CODE: &str = "independent-scheduling";

/// What was chosen.
#[derive(Clone)]
pub(crate) struct Settled {
    program: Arc<dyn Executable>,
    resolved: Arc<Resolved>,
    model: Model,
}

impl Settled {
    pub(crate) fn launch(&self) -> &Launch {
        &self.resolved.launch
    }
}

impl Prepared {
    /// Runs; returns the run that was made, whose launch and model may be others, and its result. Findings that depend on an
    /// inferred launch are information.
    pub fn settle(&self, control: Control<'_>) -> Result<(Prepared, RunResult), Cancelled> {
        let result = self.run(control)?;
        let (settled, result) = match self.progressing(&result, control)? {
            Some(found) => found,
            None => (self.clone(), result),
        };
        settled.repaired(result, control)
    }

    /// The run under the model that guarantees forward progress, if only that one ends.
    fn progressing(
        &self,
        result: &RunResult,
        control: Control<'_>,
    ) -> Result<Option<(Prepared, RunResult)>, Cancelled> {
        let Some(progressing) = self.progressing.as_ref().filter(|_| result.status == Status::NoProgress)
        else {
            return Ok(None);
        };
        let waits = result.findings.iter().find(|finding| finding.severity == Severity::Error);
        let Some(waits) = waits.filter(|finding| finding.code == "no-progress") else { return Ok(None) };
        let other =
            Prepared { program: Arc::clone(&progressing.program), model: progressing.model, ..self.clone() };
        let mut found = other.run(control)?;
        if found.status != Status::Finished {
            return Ok(None);
        }
        found.findings.push(information(waits, self.model, other.model));
        Ok(Some((other, found)))
    }

    /// Repairs an inferred launch.
    fn repaired(
        self,
        mut result: RunResult,
        control: Control<'_>,
    ) -> Result<(Prepared, RunResult), Cancelled> {
        let Some(guess) = self.guess.as_ref().filter(|_| !is_clean(&result)) else {
            return Ok((self, result));
        };
        let repair = guess.repair(&self.resolved, &result, &*self.program, &self.options, control)?;
        let mut settled = self.clone();
        if let Some(resolved) = &repair.resolved {
            settled.resolved = Arc::new(resolved.clone());
            result = settled.run(control)?;
        }
        repair.demote(&mut result.findings);
        Ok((settled, result))
    }

    /// What was chosen in this run.
    pub(crate) fn settled(&self) -> Settled {
        let Prepared { program, resolved, model, .. } = self;
        Settled { program: Arc::clone(program), resolved: Arc::clone(resolved), model: *model }
    }

    /// The same run with what was chosen.
    pub(crate) fn with_settled(&self, Settled { program, resolved, model }: Settled) -> Prepared {
        Prepared { program, resolved, model, ..self.clone() }
    }
}

/// Why the run is under `other`: what `waits` under `model`.
fn information(waits: &Finding, model: Model, other: Model) -> Finding {
    let (model, other) = (model.name(), other.name());
    let message = format!(
        "Independent thread scheduling: lanes wait for other lanes of their warp\n\
         a deadlock under `{model}`, which ends under `{other}` (sm_70 or later); this run is under `{other}`"
    );
    Finding { code: CODE, severity: Severity::Information, message, related: Vec::new(), ..waits.clone() }
}
