//! The buffers of a launch in device memory: their limit, names and aliases.

use smol_str::SmolStr;

use crate::launch::contents::{FileReader, build};
use crate::launch::model::{Argument, Buffer, Launch, Passed, size};
use crate::launch::problem::Problem;
use crate::launch::scalar::ScalarKind;
use crate::trace::RunResult;

/// A buffer in device memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedBuffer {
    /// Its name in expectations and dumps.
    pub name: SmolStr,
    /// The type of its elements.
    pub element: ScalarKind,
    /// Where it starts.
    pub address: u64,
    /// Its bytes.
    pub len: u64,
}

impl PlacedBuffer {
    /// The contents after the run.
    pub fn bytes<'r>(&self, result: &'r RunResult) -> &'r [u8] {
        result.memory.bytes(self.address, self.len).unwrap_or_default()
    }
}

/// The name of WAVE's device memory as a whole.
pub const DEVICE_MEMORY: &str = "device_memory";

/// The bytes that buffers may still have, and the reader of their files.
pub(super) struct Budget<'a> {
    pub(super) left: u64,
    pub(super) read_file: FileReader<'a>,
}

impl Budget<'_> {
    pub(super) fn build(&mut self, buffer: &Buffer, argument: &Argument) -> Result<Vec<u8>, Problem> {
        let bytes = build(buffer, self.left, self.read_file).map_err(|message| wrong(argument, message))?;
        self.left -= bytes.len() as u64;
        Ok(bytes)
    }
}

pub(super) fn wrong(argument: &Argument, message: impl AsRef<str>) -> Problem {
    let name = argument.name.as_deref().unwrap_or_default();
    Problem { at: argument.at.clone(), message: format!("argument `{name}`: {}", message.as_ref()) }
}

/// Aliases under their own names, each name once.
pub(super) fn with_aliases(
    launch: &Launch,
    buffers: Vec<PlacedBuffer>,
) -> Result<Vec<PlacedBuffer>, Problem> {
    let mut all: Vec<PlacedBuffer> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for argument in launch.args.iter().flat_map(Argument::all) {
        let name = argument.name.as_deref().unwrap_or_default();
        if names.contains(&name) {
            return Err(wrong(argument, "duplicate argument name: rename one"));
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

pub(super) fn no_such_buffer(name: &str, buffers: &[PlacedBuffer]) -> String {
    let known: Vec<_> = buffers.iter().map(|buffer| format!("`{}`", buffer.name)).collect();
    match known.is_empty() {
        true => format!("unknown buffer `{name}`: the launch has no buffers"),
        false => format!("unknown buffer `{name}`: the buffers are {}", known.join(", ")),
    }
}

pub(super) fn problem(launch: &Launch, key: &str, message: String) -> Problem {
    Problem { at: launch.spans.of(key), message }
}

pub(super) fn listed(extent: [u32; 3]) -> String {
    format!("[{}]", size(extent).replace(',', ", "))
}
