//! What a run changes that its request leaves open: an inferred launch with findings is repaired, and a kernel whose lanes wait for
//! lanes of their warp runs under the model that lets each lane make progress.
//!
//! What the request or the launch names is never replaced.

use std::sync::Arc;

use warplens_sim_launch::{Launch, Resolved, is_clean};
use warplens_sim_warp::{Cancelled, Control, Executable, Finding, FindingKind, RunResult, Severity, Status};

use super::prepared::Prepared;
use crate::simulator::Model;

/// The program, launch and model that actually ran.
#[derive(Clone)]
pub(crate) struct Adjustments {
    program: Arc<dyn Executable>,
    resolved: Arc<Resolved>,
    model: Model,
}

impl Adjustments {
    pub(crate) fn launch(&self) -> &Launch {
        &self.resolved.launch
    }

    pub(crate) fn resolved(&self) -> &Arc<Resolved> {
        &self.resolved
    }
}

impl Prepared {
    /// Runs, with adjustments where they avoid findings. Returns the run that was made and its result. Findings that depend on an
    /// inferred launch become information.
    pub fn run_adjusted(&self, control: Control<'_>) -> Result<(Prepared, RunResult), Cancelled> {
        let result = self.run(control)?;
        let (adjusted, result) = match self.progressing(&result, control)? {
            Some(found) => found,
            None => (self.clone(), result),
        };
        let (run, mut result) = adjusted.repaired(result, control)?;
        run.note_unwritten(&mut result);
        Ok((run, result))
    }

    /// Runs with the launch of `first`. If that is inferred, findings that depend on it are no errors here either.
    pub fn run_as_second(
        &self,
        first: &Prepared,
        control: Control<'_>,
    ) -> Result<(Prepared, RunResult), Cancelled> {
        let (run, mut result) = self.run_adjusted(control)?;
        if let Some(guess) = &first.guess
            && !is_clean(&result)
        {
            let repair = guess.repair(&run.resolved, &result, &*run.program, &run.options, control)?;
            repair.demote(&mut result.findings);
        }
        Ok((run, result))
    }

    /// The run under the model that guarantees forward progress, if it finishes, and this one deadlocks or misses lanes that meet there.
    fn progressing(
        &self,
        result: &RunResult,
        control: Control<'_>,
    ) -> Result<Option<(Prepared, RunResult)>, Cancelled> {
        let Some((progressing, waits)) = self.progressing.as_ref().zip(wait_within_warp(result)) else {
            return Ok(None);
        };
        let other =
            Prepared { program: Arc::clone(&progressing.program), model: progressing.model, ..self.clone() };
        let mut found = other.run(control)?;
        if found.status != Status::Finished || missing_lanes(&found).next().is_some() {
            return Ok(None);
        }
        found.findings.push(information(waits, self.model, other.model));
        Ok(Some((other, found)))
    }

    fn repaired(
        self,
        mut result: RunResult,
        control: Control<'_>,
    ) -> Result<(Prepared, RunResult), Cancelled> {
        let Some(guess) = &self.guess else { return Ok((self, result)) };
        let mut repaired = self.clone();
        if !is_clean(&result) {
            let repair = guess.repair(&self.resolved, &result, &*self.program, &self.options, control)?;
            if let Some(resolved) = &repair.resolved {
                repaired.resolved = Arc::new(resolved.clone());
                result = repaired.run(control)?;
            }
            repair.demote(&mut result.findings);
        }
        if self.options.checks.races {
            let trouble =
                guess.trouble(&repaired.resolved, &result, &*self.program, &self.options, control)?;
            if let Some(larger) = trouble.larger {
                repaired.resolved = Arc::new(larger);
                result = repaired.run(control)?;
            }
            result.findings.extend(trouble.findings);
            if !trouble.launches.is_empty() {
                Arc::make_mut(&mut repaired.resolved).tried = trouble.launches;
            }
        }
        Ok((repaired, result))
    }

    pub(crate) fn adjustments(&self) -> Adjustments {
        let Prepared { program, resolved, model, .. } = self;
        Adjustments { program: Arc::clone(program), resolved: Arc::clone(resolved), model: *model }
    }

    /// This run with the adjustments of an earlier one. Only an inferred launch is adjusted; another one may have been renamed since.
    pub(crate) fn adjusted(&self, Adjustments { program, resolved, model }: Adjustments) -> Prepared {
        let resolved = if self.guess.is_some() { resolved } else { Arc::clone(&self.resolved) };
        Prepared { program, resolved, model, ..self.clone() }
    }
}

/// The finding about lanes that wait for lanes of their warp which do not come.
fn wait_within_warp(result: &RunResult) -> Option<&Finding> {
    if result.status != Status::NoProgress {
        // As an error it is a deadlock under every model.
        return missing_lanes(result).find(|finding| finding.severity == Severity::Warning);
    }
    result.first_error().filter(|finding| finding.kind == FindingKind::NoProgress)
}

fn missing_lanes(result: &RunResult) -> impl Iterator<Item = &Finding> {
    result.findings.iter().filter(|finding| finding.kind == FindingKind::AbsentMembers)
}

/// Why the run is under `other`: `waits` is the finding under `model`.
fn information(waits: &Finding, model: Model, other: Model) -> Finding {
    let (model, other) = (model.name(), other.name());
    let what = match waits.kind {
        FindingKind::AbsentMembers => format!("the lanes do not meet under `{model}`, and do under"),
        _ => format!("a deadlock under `{model}`, which ends under"),
    };
    let message = format!(
        "Independent thread scheduling: lanes wait for other lanes of their warp\n\
         {what} `{other}` (sm_70 or later); this run is under `{other}`"
    );
    let kind = FindingKind::IndependentScheduling;
    Finding { kind, severity: kind.severity(), message, related: Vec::new(), ..waits.clone() }
}
