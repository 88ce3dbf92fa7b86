//! Resolves a launch against its kernel: checks it, and builds the memory and parameters that a run starts from.

use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::trace::RunResult;

use super::buffers::{Budget, PlacedBuffer, no_such_buffer};
use super::contents::FileReader;
use super::expectation;
use super::kernel::Kernel;
use super::model::{Expectation, Launch};
use super::problem::Problem;

/// A launch that fits its kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The launch with defaults filled in.
    pub launch: Launch,
    pub config: LaunchConfig,
    /// The buffers and their aliases, by name, in the order of the arguments.
    pub buffers: Vec<PlacedBuffer>,
}

impl Resolved {
    pub fn buffer(&self, name: &str) -> Option<&PlacedBuffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// The expectations that failed.
    pub fn failures(&self, result: &RunResult) -> Vec<expectation::Failure> {
        let failure = |expected: &Expectation| {
            let buffer = self.buffer(&expected.name)?;
            expectation::verify(expected, buffer.element, buffer.bytes(result)).err()
        };
        self.launch.expect.iter().filter_map(failure).collect()
    }
}

/// Resolves `launch` against `kernel`; its buffers may have at most `max_memory` bytes in total.
pub fn resolve(
    launch: &Launch,
    kernel: &Kernel,
    max_memory: u64,
    read_file: FileReader<'_>,
) -> Result<Resolved, Problem> {
    let mut launch = launch.clone();
    launch.entry = Some(kernel.name.to_string());
    launch.grid.get_or_insert([1; 3]);
    let budget = Budget { left: max_memory, read_file };
    let (config, buffers) = kernel.rules.resolve(&kernel.name, &mut launch, budget)?;
    let resolved = Resolved { launch, config, buffers };
    check_expectations(&resolved)?;
    Ok(resolved)
}

fn check_expectations(resolved: &Resolved) -> Result<(), Problem> {
    for expected in &resolved.launch.expect {
        let fits = match resolved.buffer(&expected.name) {
            Some(buffer) => expectation::check(expected, buffer.element, buffer.len),
            None => Err(no_such_buffer(&expected.name, &resolved.buffers)),
        };
        fits.map_err(|message| Problem {
            at: expected.at.clone(),
            ..Problem::anywhere(format!("expect: {message}"))
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
