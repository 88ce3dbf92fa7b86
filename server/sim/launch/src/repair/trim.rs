//! Shortens the buffers of an inferred launch to what its run touches, for a launch that is written down.

use rustc_hash::FxHashSet;
use warplens_sim_warp::Executable;
use warplens_sim_warp::trace::{Cancelled, Control, RunOptions, RunResult, Status};

use super::arguments::{Place, all_places, place_mut};
use super::attempts::Attempts;
use super::guess::Guess;
use crate::model::{Buffer, Contents, Launch, Passed};
use crate::resolve::Resolved;

/// Maximum warp instructions of one run, and of all together.
const STEPS: (u64, u64) = (200_000, 2_000_000);

impl Guess {
    /// The launch `shown`, each buffer with the least length for which the run has the same findings. Unchanged if it does not finish
    /// within some steps.
    ///
    /// # Errors If `control` cancels the runs.
    pub fn trimmed(
        &self,
        shown: &Resolved,
        program: &dyn Executable,
        options: &RunOptions,
        control: Control<'_>,
    ) -> Result<Launch, Cancelled> {
        let mut launch = shown.launch.clone();
        let mut attempts = Attempts::new(self, program, options, control, STEPS);
        let Some((_, whole)) = attempts.run(&launch)? else { return Ok(launch) };
        if whole.status != Status::Finished {
            return Ok(launch);
        }
        let is_same = |other: &RunResult| other.status == whole.status && found(other) == found(&whole);
        for at in all_places(&launch) {
            let Some(length) = length_at(&mut launch, at) else { continue };
            let (mut least, mut enough) = (1, *length);
            while least < enough {
                let middle = u64::midpoint(least, enough);
                let mut shorter = launch.clone();
                length_at(&mut shorter, at).into_iter().for_each(|length| *length = middle);
                match attempts.run(&shorter)? {
                    Some((_, other)) if is_same(&other) => enough = middle,
                    Some(_) => least = middle + 1,
                    None => break,
                }
            }
            length_at(&mut launch, at).into_iter().for_each(|length| *length = enough);
        }
        Ok(launch)
    }
}

/// The findings of a run, which do not depend on the length of a buffer unless it is too short.
fn found(result: &RunResult) -> FxHashSet<impl Eq + std::hash::Hash + use<>> {
    result.findings.iter().map(|finding| (finding.kind, finding.statement)).collect()
}

/// The length of the buffer at this place of a launch, if it is filled with a pattern.
fn length_at(launch: &mut Launch, (argument, field): Place) -> Option<&mut u64> {
    match &mut place_mut(launch.args.get_mut(argument)?, field)?.passed {
        Passed::Buffer(Buffer { contents: Contents::Filled { len, .. }, .. }) => Some(len),
        _ => None,
    }
}
