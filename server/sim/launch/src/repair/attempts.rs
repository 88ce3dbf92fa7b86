//! Runs launches other than the one that was inferred, within a number of steps.

use warplens_sim_warp::Executable;
use warplens_sim_warp::trace::{Cancelled, Control, Limits, RunOptions, RunResult};

use super::guess::Guess;
use crate::model::Launch;
use crate::resolve::{Resolved, resolve};

/// What an attempt costs besides its warp instructions: a start, and the filling of this many bytes of its buffers.
const START: u64 = 1_000;
const BYTES_PER_STEP: u64 = 256;

pub(super) struct Attempts<'g> {
    pub(super) guess: &'g Guess,
    program: &'g dyn Executable,
    options: &'g RunOptions,
    control: Control<'g>,
    /// Maximum warp instructions of one attempt.
    each: u64,
    /// Warp instructions left for further attempts. What a start costs counts too.
    left: u64,
}

impl<'g> Attempts<'g> {
    pub(super) fn new(
        guess: &'g Guess,
        program: &'g dyn Executable,
        options: &'g RunOptions,
        control: Control<'g>,
        (each, left): (u64, u64),
    ) -> Attempts<'g> {
        Attempts { guess, program, options, control, each, left }
    }

    /// Runs a launch; `None` if it cannot be resolved or no steps are left.
    pub(super) fn run(&mut self, launch: &Launch) -> Result<Option<(Resolved, RunResult)>, Cancelled> {
        if self.left == 0 {
            return Ok(None);
        }
        let no_files = |_: &str| Err("an inferred launch has no files".into());
        let Guess { kernel, max_memory, .. } = self.guess;
        let Ok(resolved) = resolve(launch, kernel, *max_memory, &no_files) else { return Ok(None) };
        let limits = Limits {
            max_steps: self.each.min(self.left).min(self.options.limits.max_steps),
            max_warps: 0,
            max_trace: 0,
            ..self.options.limits
        };
        let options =
            RunOptions { limits, checks: self.options.checks, ends_at_fault: true, ..RunOptions::default() };
        let result = self.program.run(resolved.start(self.control.cancelled)?, &options, self.control)?;
        let start = START + resolved.config.memory.size() / BYTES_PER_STEP;
        self.left = self.left.saturating_sub(result.totals.warp_instructions + start);
        Ok(Some((resolved, result)))
    }
}
