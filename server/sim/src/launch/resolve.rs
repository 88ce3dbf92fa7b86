//! Resolves a launch against its kernel: checks it, and builds the memory and parameters that a run starts from.

mod buffers;
mod ptx;
mod wave;

use self::buffers::{Budget, no_such_buffer};
pub use self::buffers::{DEVICE_MEMORY, PlacedBuffer};
use super::contents::FileReader;
use super::expectation;
use super::kernel::{Kernel, KernelKind};
use super::model::{Launch, Passed};
use super::problem::Problem;
use crate::trace::RunResult;
use crate::warp::LaunchConfig;

/// A launch that fits its kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The launch with the defaults filled in.
    pub launch: Launch,
    /// The configuration of the simulator.
    pub config: LaunchConfig,
    /// The buffers and their aliases, by name, in the order of the arguments.
    pub buffers: Vec<PlacedBuffer>,
}

impl Resolved {
    /// The buffer called `name`.
    pub fn buffer(&self, name: &str) -> Option<&PlacedBuffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// The checks that failed.
    pub fn failures(&self, result: &RunResult) -> Vec<expectation::Failure> {
        let failure = |expected: &super::Expectation| {
            let buffer = self.buffer(&expected.name)?;
            expectation::verify(expected, buffer.element, buffer.bytes(result)).err()
        };
        self.launch.expect.iter().filter_map(failure).collect()
    }
}

/// Resolves `launch` against `kernel`, with at most `max_memory` bytes of buffers.
pub fn resolve(
    launch: &Launch,
    kernel: &Kernel,
    max_memory: u64,
    read_file: FileReader<'_>,
) -> Result<Resolved, Problem> {
    let mut launch = launch.clone();
    launch.entry = Some(kernel.name.to_string());
    launch.grid.get_or_insert([1; 3]);
    let contents = Budget { left: max_memory, read_file };
    let (config, buffers) = match &kernel.kind {
        KernelKind::Ptx(entry) => {
            ptx::refuse_wave_keys(&launch)?;
            ptx::check_block(&mut launch, kernel, entry)?;
            name_arguments(&mut launch, |index| entry.params.get(index).map(|param| param.name.to_string()));
            ptx::for_ptx(&launch, kernel, entry, contents)?
        }
        KernelKind::Wave(entry) => {
            wave::check_workgroup(&mut launch, kernel, entry)?;
            name_arguments(&mut launch, |index| Some(format!("r{index}")));
            wave::for_wave(&launch, contents)?
        }
    };
    let resolved = Resolved { launch, config, buffers };
    check_expectations(&resolved)?;
    Ok(resolved)
}

fn name_arguments(launch: &mut Launch, default: impl Fn(usize) -> Option<String>) {
    for (index, argument) in launch.args.iter_mut().enumerate() {
        if argument.name.is_none() {
            argument.name = default(index);
        }
        if let Passed::Fields(fields) = &mut argument.passed {
            let whole = argument.name.as_deref().unwrap_or_default();
            for field in fields {
                field.argument.name.get_or_insert_with(|| format!("{whole}.{}", field.at));
            }
        }
    }
}

fn check_expectations(resolved: &Resolved) -> Result<(), Problem> {
    for expected in &resolved.launch.expect {
        let fits = match resolved.buffer(&expected.name) {
            Some(buffer) => expectation::check(expected, buffer.element, buffer.len),
            None => Err(no_such_buffer(&expected.name, &resolved.buffers)),
        };
        fits.map_err(|message| Problem { at: expected.at.clone(), message: format!("expect: {message}") })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
