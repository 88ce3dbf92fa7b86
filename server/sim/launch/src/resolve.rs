//! Resolves a launch against its kernel: checks it, and builds the memory and parameters that a run starts from.

use std::borrow::Cow;

use rustc_hash::FxHashSet;
use warplens_sim_warp::trace::RunResult;
use warplens_sim_warp::{Cancelled, GuessedLaunch, LaunchConfig};

use super::buffers::{Budget, PlacedBuffer, no_such_buffer};
use super::contents::{self, FileReader};
use super::expectation;
use super::kernel::Kernel;
use super::model::{Expectation, Fill, Launch, Wanted};
use super::problem::Problem;

/// A launch that fits its kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The launch with defaults filled in.
    pub launch: Launch,
    pub config: LaunchConfig,
    /// The buffers and their aliases, by name, in the order of the arguments.
    pub buffers: Vec<PlacedBuffer>,
    /// Other launches that were tried, for the findings that occur under them.
    pub tried: Vec<Launch>,
}

impl Resolved {
    /// The launch that a finding depends on.
    pub fn guessed(&self, guess: GuessedLaunch) -> Option<&Launch> {
        match guess {
            GuessedLaunch::Shown => Some(&self.launch),
            GuessedLaunch::Tried(index) => self.tried.get(index),
        }
    }

    pub fn buffer(&self, name: &str) -> Option<&PlacedBuffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// What a run starts from: a copy of the configuration, with all buffers filled.
    pub fn start(&self, cancelled: &dyn Fn() -> bool) -> Result<LaunchConfig, Cancelled> {
        let mut config = self.config.clone();
        for (buffer, fill) in self.deferred() {
            if let Some(memory) = config.memory.bytes_mut(buffer.address, buffer.len) {
                contents::write_unless(cancelled, fill, buffer.element, memory)?;
            }
        }
        Ok(config)
    }

    /// The same launch with empty device memory. It cannot run.
    pub fn without_memory(&self) -> Resolved {
        let config = self.config.without_memory();
        Resolved {
            launch: self.launch.clone(),
            config,
            buffers: self.buffers.clone(),
            tried: self.tried.clone(),
        }
    }

    /// The bytes of a buffer before the run.
    pub fn initial_bytes(&self, buffer: &PlacedBuffer) -> Cow<'_, [u8]> {
        let bytes = self.config.memory.bytes(buffer.address, buffer.len).unwrap_or_default();
        match buffer.deferred.filter(|fill| !fill.is_zero()) {
            None => Cow::Borrowed(bytes),
            Some(fill) => {
                let mut bytes = vec![0; bytes.len()];
                contents::write(fill, buffer.element, &mut bytes);
                Cow::Owned(bytes)
            }
        }
    }

    /// Whether runs of both launches start from the same state.
    pub fn starts_as(&self, other: &Resolved) -> bool {
        let deferred = |resolved: &Resolved| -> Vec<_> {
            let fills = resolved.deferred().map(|(buffer, fill)| (buffer.address, buffer.element, fill));
            fills.collect()
        };
        self.config == other.config && deferred(self) == deferred(other)
    }

    /// The buffers that are filled when a run starts, without their aliases.
    fn deferred(&self) -> impl Iterator<Item = (&PlacedBuffer, Fill)> {
        let mut known = FxHashSet::default();
        let fills = self.buffers.iter().filter_map(|buffer| Some((buffer, buffer.deferred?)));
        fills.filter(move |(buffer, fill)| !fill.is_zero() && known.insert(buffer.address))
    }

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
    read_expected_files(&mut launch, read_file)?;
    let resolved = Resolved { launch, config, buffers, tried: Vec::new() };
    check_expectations(&resolved)?;
    Ok(resolved)
}

fn read_expected_files(launch: &mut Launch, read_file: FileReader<'_>) -> Result<(), Problem> {
    for expected in &mut launch.expect {
        if let Wanted::File(file) = &mut expected.wanted {
            let bytes = read_file(&file.path).map_err(|error| Problem {
                at: expected.at.clone(),
                ..Problem::anywhere(format!("expect: {error}"))
            })?;
            file.bytes = bytes.into();
        }
    }
    Ok(())
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
