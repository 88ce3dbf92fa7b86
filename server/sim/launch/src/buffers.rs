//! The buffers of a launch in device memory: size limit, names and aliases.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use warplens_sim_warp::objects::ArrayShape;
use warplens_sim_warp::scalar_type::ScalarType;
use warplens_sim_warp::trace::RunResult;

use super::contents::{self, FileReader};
use super::model::{Alias, Argument, Fill, Launch, MapBuffer, Passed, size};
use super::problem::Problem;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedBuffer {
    /// The name in expectations and dumps.
    pub name: SmolStr,
    pub element: ScalarType,
    pub address: u64,
    /// Length in bytes.
    pub len: u64,
    /// What a run fills it with when it starts.
    pub deferred: Option<Fill>,
}

impl PlacedBuffer {
    /// The contents after the run.
    pub fn bytes<'r>(&self, result: &'r RunResult) -> &'r [u8] {
        result.memory.bytes(self.address, self.len).unwrap_or_default()
    }
}

/// The name of the whole device memory in WAVE.
pub const DEVICE_MEMORY: &str = "device_memory";

/// The bytes that are left for buffers, and the reader of their files.
pub struct Budget<'a> {
    pub left: u64,
    pub(crate) read_file: FileReader<'a>,
}

/// Places the buffers of a launch and returns them with their aliases. `place` allocates an argument's buffer of a length,
/// copies its bytes to it, of which there are none if it starts as zeros, and returns the address.
pub fn place_buffers(
    launch: &Launch,
    mut budget: Budget<'_>,
    mut place: impl FnMut(&Argument, &str, u64, &[u8]) -> Result<u64, Problem>,
) -> Result<Vec<PlacedBuffer>, Problem> {
    let together = check_sizes(launch, budget.left)?;
    let mut buffers = Vec::new();
    for argument in launch.args.iter().flat_map(Argument::all) {
        for (name, buffer) in argument.own_buffers() {
            let deferred = contents::deferred(buffer, together);
            let bytes = match deferred {
                Some(_) => Vec::new(),
                None => {
                    let bytes = contents::build(buffer, budget.left, budget.read_file);
                    bytes.map_err(|message| wrong(argument, message))?
                }
            };
            let len = contents::size(buffer).unwrap_or(bytes.len() as u64);
            budget.left = budget.left.saturating_sub(len);
            let address = place(argument, &name, len, &bytes)?;
            let (name, element) = (name.into(), buffer.element);
            buffers.push(PlacedBuffer { name, element, address, len, deferred });
        }
    }
    with_aliases(launch, &buffers)
}

/// Adds up the sizes that are known before anything is allocated.
fn check_sizes(launch: &Launch, max: u64) -> Result<u64, Problem> {
    let mut left = max;
    for argument in launch.args.iter().flat_map(Argument::all) {
        for (_, buffer) in argument.own_buffers() {
            let size = contents::size(buffer).unwrap_or(0);
            left = left.checked_sub(size).ok_or_else(|| wrong(argument, contents::too_large(size, left)))?;
        }
    }
    Ok(max - left)
}

/// The array shape of the buffer that an argument passes.
pub(crate) fn shape_of(argument: &Argument) -> ArrayShape {
    match argument.own_buffers().first() {
        Some((_, buffer)) if buffer.element != ScalarType::B8 => {
            ArrayShape::array(buffer.element.bytes() as u64)
        }
        _ => ArrayShape::array(0),
    }
}

/// The address of the buffer that an argument passes.
pub fn address_of(argument: &Argument, buffers: &[PlacedBuffer]) -> u64 {
    buffers.iter().find(|buffer| buffer.name == argument.name()).map_or(0, |buffer| buffer.address)
}

/// Gives arguments without a name their default names, by index, and derives the names of their fields.
pub fn name_arguments(launch: &mut Launch, default: impl Fn(usize) -> Option<String>) {
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

pub fn wrong(argument: &Argument, message: impl AsRef<str>) -> Problem {
    let message = format!("argument `{}`: {}", argument.name(), message.as_ref());
    Problem { at: argument.at.clone(), ..Problem::anywhere(message) }
}

/// Adds the aliases under their own names; each name may occur only once.
fn with_aliases(launch: &Launch, buffers: &[PlacedBuffer]) -> Result<Vec<PlacedBuffer>, Problem> {
    let mut all: Vec<PlacedBuffer> = Vec::new();
    let mut names = FxHashSet::default();
    for argument in launch.args.iter().flat_map(Argument::all) {
        let name = argument.name();
        if !names.insert(name) {
            return Err(wrong(argument, "duplicate argument name: rename one"));
        }
        let of = match &argument.passed {
            Passed::Buffer(_) => name,
            Passed::Alias(alias) => &alias.of,
            Passed::TensorMap(map) => match &map.buffer {
                MapBuffer::Own(_) => name,
                MapBuffer::Named(of) => of,
            },
            Passed::Multimem(_) => {
                let own = argument.own_buffers();
                let is_own =
                    |buffer: &&PlacedBuffer| own.iter().any(|(name, _)| buffer.name == name.as_str());
                all.extend(buffers.iter().filter(is_own).cloned());
                continue;
            }
            Passed::Scalar(..) | Passed::Bytes(_) | Passed::Fields(_) => continue,
        };
        let Some(buffer) = buffers.iter().find(|buffer| buffer.name == of) else {
            let unknown = no_such_buffer(of, buffers);
            return Err(match &argument.passed {
                Passed::TensorMap(map) => map.wrong(argument, "buffer", &unknown),
                Passed::Alias(Alias { at: Some(at), .. }) => {
                    Problem { at: Some(at.clone()), ..wrong(argument, unknown) }
                }
                _ => wrong(argument, unknown),
            });
        };
        all.push(PlacedBuffer { name: name.into(), ..buffer.clone() });
    }
    Ok(all)
}

pub(crate) fn no_such_buffer(name: &str, buffers: &[PlacedBuffer]) -> String {
    let known: Vec<_> = buffers.iter().map(|buffer| format!("`{}`", buffer.name)).collect();
    match known.is_empty() {
        true => format!("unknown buffer `{name}`: the launch has no buffers"),
        false => format!("unknown buffer `{name}`: the buffers are {}", known.join(", ")),
    }
}

pub fn problem(launch: &Launch, key: &str, message: String) -> Problem {
    Problem { at: launch.spans.of(key), ..Problem::anywhere(message) }
}

pub fn listed(extent: [u32; 3]) -> String {
    format!("[{}]", size(extent).replace(',', ", "))
}
