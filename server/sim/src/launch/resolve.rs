//! A launch meets its kernel: what does not fit is said, what fits becomes the bytes that a run starts from.

mod ptx;
mod wave;

use smol_str::SmolStr;

use super::contents::{FileReader, build};
use super::expectation;
use super::kernel::{Kernel, KernelKind};
use super::model::{Argument, Launch, Passed, size};
use super::problem::Problem;
use super::scalar::ScalarKind;
use crate::trace::RunResult;
use crate::warp::LaunchConfig;

/// A launch that fits its kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The launch with everything filled in that was left out.
    pub launch: Launch,
    /// What the simulator is given.
    pub config: LaunchConfig,
    /// The buffers and their aliases, by name, in the order of the arguments.
    pub buffers: Vec<PlacedBuffer>,
}

/// A buffer in device memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedBuffer {
    /// What expectations and dumps call it.
    pub name: SmolStr,
    /// What its elements are.
    pub element: ScalarKind,
    /// Where it starts.
    pub address: u64,
    /// Its bytes.
    pub len: u64,
}

impl PlacedBuffer {
    /// What the run left in the buffer.
    pub fn bytes<'r>(&self, result: &'r RunResult) -> &'r [u8] {
        result.memory.bytes(self.address, self.len).unwrap_or_default()
    }
}

/// The name of WAVE's device memory as a whole.
pub const DEVICE_MEMORY: &str = "device_memory";

impl Resolved {
    /// The buffer called `name`.
    pub fn buffer(&self, name: &str) -> Option<&PlacedBuffer> {
        self.buffers.iter().find(|buffer| buffer.name == name)
    }

    /// The expectations that the run did not meet.
    pub fn failures(&self, result: &RunResult) -> Vec<expectation::Failure> {
        let failure = |expected: &super::Expectation| {
            let buffer = self.buffer(&expected.name)?;
            expectation::verify(expected, buffer.element, buffer.bytes(result)).err()
        };
        self.launch.expect.iter().filter_map(failure).collect()
    }
}

/// Brings `launch` and `kernel` together, with at most `max_memory` bytes of buffers.
pub fn resolve(
    launch: &Launch,
    kernel: &Kernel,
    max_memory: u64,
    read_file: FileReader<'_>,
) -> Result<Resolved, Problem> {
    let mut launch = launch.clone();
    launch.entry = Some(kernel.name.to_string());
    launch.grid.get_or_insert([1; 3]);
    let contents = Room { left: max_memory, read_file };
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

fn problem(launch: &Launch, key: &str, message: String) -> Problem {
    Problem { at: launch.places.of(key), message }
}

fn listed(extent: [u32; 3]) -> String {
    format!("[{}]", size(extent).replace(',', ", "))
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

/// What buffers are made with.
struct Room<'a> {
    left: u64,
    read_file: FileReader<'a>,
}

impl Room<'_> {
    fn build(&mut self, buffer: &super::Buffer, argument: &Argument) -> Result<Vec<u8>, Problem> {
        let bytes = build(buffer, self.left, self.read_file).map_err(|message| wrong(argument, message))?;
        self.left -= bytes.len() as u64;
        Ok(bytes)
    }
}

fn wrong(argument: &Argument, message: impl AsRef<str>) -> Problem {
    let name = argument.name.as_deref().unwrap_or_default();
    Problem { at: argument.at.clone(), message: format!("argument `{name}`: {}", message.as_ref()) }
}

/// Aliases under their own names, each name once.
fn with_aliases(launch: &Launch, buffers: Vec<PlacedBuffer>) -> Result<Vec<PlacedBuffer>, Problem> {
    let mut all: Vec<PlacedBuffer> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for argument in launch.args.iter().flat_map(Argument::all) {
        let name = argument.name.as_deref().unwrap_or_default();
        if names.contains(&name) {
            return Err(wrong(argument, "another argument has the same name: rename one"));
        }
        names.push(name);
        let of = match &argument.passed {
            Passed::Buffer(_) => name,
            Passed::Alias(of) => of,
            Passed::Scalar(..) | Passed::Bytes(_) | Passed::Fields(_) => continue,
        };
        let Some(buffer) = buffers.iter().find(|buffer| buffer.name == of) else {
            return Err(wrong(argument, no_such_buffer(of, &buffers)));
        };
        all.push(PlacedBuffer { name: name.into(), ..buffer.clone() });
    }
    Ok(all)
}

fn no_such_buffer(name: &str, buffers: &[PlacedBuffer]) -> String {
    let known: Vec<_> = buffers.iter().map(|buffer| format!("`{}`", buffer.name)).collect();
    match known.is_empty() {
        true => format!("there is no buffer `{name}`: the launch has none"),
        false => format!("there is no buffer `{name}`: there is {}", known.join(", ")),
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
