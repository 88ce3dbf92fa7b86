//! The buffers of a launch in device memory: size limit, names and aliases.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;
use warplens_sim_warp::objects::ArrayShape;
use warplens_sim_warp::scalar_type::ScalarType;
use warplens_sim_warp::trace::RunResult;

use super::contents::{self, FileReader};
use super::model::{Argument, Buffer, Contents, Fill, Launch, MapBuffer, Passed, size};
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

/// A buffer of an argument that is to be placed in memory.
pub struct NewBuffer<'l> {
    pub argument: &'l Argument,
    pub name: String,
    pub buffer: &'l Buffer,
    /// Length in bytes.
    pub len: u64,
    /// The contents; none if the buffer starts as zeros.
    pub bytes: Vec<u8>,
}

impl NewBuffer<'_> {
    /// A problem at a key of the buffer.
    pub fn wrong(&self, key: &str, message: impl AsRef<str>) -> Problem {
        let problem = wrong(self.argument, message);
        Problem { at: self.buffer.spans.get(key).cloned().or(problem.at), ..problem }
    }
}

/// Places the buffers of a launch and returns them with their aliases. `place` allocates a buffer, copies its contents there, and returns
/// the address. Buffers whose address the launch chooses come first, in ascending order.
pub fn place_buffers(
    launch: &Launch,
    mut budget: Budget<'_>,
    mut place: impl FnMut(&NewBuffer<'_>) -> Result<u64, Problem>,
) -> Result<Vec<PlacedBuffer>, Problem> {
    let together = check_sizes(launch, budget.left)?;
    let mut buffers = Vec::new();
    let arguments = launch.args.iter().flat_map(Argument::all);
    let own =
        arguments.flat_map(|argument| argument.own_buffers().into_iter().map(move |own| (argument, own)));
    let mut own: Vec<_> = own.collect();
    own.sort_by_key(|(_, (_, buffer))| buffer.address.unwrap_or(u64::MAX));
    for (argument, (name, buffer)) in own {
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
        let new = NewBuffer { argument, name, buffer, len, bytes };
        check_uninitialized(&new)?;
        let address = place(&new)?;
        let (name, element) = (new.name.into(), buffer.element);
        buffers.push(PlacedBuffer { name, element, address, len, deferred });
    }
    let buffers = with_aliases(launch, &buffers)?;
    launch.args.iter().flat_map(Argument::all).try_for_each(|argument| check_offset(argument, &buffers))?;
    Ok(buffers)
}

/// The parts without values lie in a buffer that has values elsewhere.
fn check_uninitialized(new: &NewBuffer<'_>) -> Result<(), Problem> {
    let NewBuffer { buffer, len, .. } = new;
    let problem = |message: String| Err(new.wrong("uninitialized", message));
    for [start, end] in &buffer.uninitialized {
        if start >= end {
            return problem(format!(
                "a range of `uninitialized` ends at {end} and starts at {start}: the end is the byte after the last one"
            ));
        }
        if end > len {
            return problem(format!("`uninitialized` reaches to byte {end}, but the buffer has {len} bytes"));
        }
    }
    match buffer.contents {
        Contents::Filled { fill: Fill::Uninitialized, .. } if !buffer.uninitialized.is_empty() => {
            problem("the whole buffer is uninitialized already, by `fill`: remove one".to_owned())
        }
        _ => Ok(()),
    }
}

/// The address that an argument passes lies in its buffer, or just behind it, as that of an empty tensor may.
fn check_offset(argument: &Argument, buffers: &[PlacedBuffer]) -> Result<(), Problem> {
    let (offset, spans) = match &argument.passed {
        Passed::Buffer(buffer) => (buffer.offset, &buffer.spans),
        Passed::Alias(alias) => (alias.offset, &alias.spans),
        _ => return Ok(()),
    };
    match buffers.iter().find(|buffer| buffer.name == argument.name()) {
        Some(buffer) if offset > buffer.len => {
            let problem =
                wrong(argument, format!("`offset` is {offset}, but the buffer has {} bytes", buffer.len));
            Err(Problem { at: spans.get("offset").cloned().or(problem.at), ..problem })
        }
        _ => Ok(()),
    }
}

/// The parts of the buffers that have no values, as addresses and lengths.
pub fn uninitialized_ranges(launch: &Launch, buffers: &[PlacedBuffer]) -> Vec<(u64, u64)> {
    let own = launch.args.iter().flat_map(Argument::all).flat_map(Argument::own_buffers);
    let mut ranges = Vec::new();
    for (name, buffer) in own {
        let Some(placed) = buffers.iter().find(|placed| placed.name == name) else { continue };
        let parts = buffer.uninitialized.iter().map(|[start, end]| (placed.address + start, end - start));
        ranges.extend(parts);
        if placed.deferred == Some(Fill::Uninitialized) && placed.len > 0 {
            ranges.push((placed.address, placed.len));
        }
    }
    ranges
}

/// Adds up the sizes that are known before anything is allocated.
fn check_sizes(launch: &Launch, max: u64) -> Result<u64, Problem> {
    let (mut left, mut generated) = (max, 0);
    for argument in launch.args.iter().flat_map(Argument::all) {
        for (_, buffer) in argument.own_buffers() {
            let size = contents::size(buffer).unwrap_or(0);
            left = left.checked_sub(size).ok_or_else(|| wrong(argument, contents::too_large(size, left)))?;
            generated += if contents::is_generated(buffer) { size } else { 0 };
            if generated > contents::MAX_GENERATED {
                return Err(wrong(argument, contents::too_much(generated)));
            }
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

/// The address that an argument passes: that of its buffer, and its offset from there. A tensor map adds its own offset.
pub fn address_of(argument: &Argument, buffers: &[PlacedBuffer]) -> u64 {
    let offset = match &argument.passed {
        Passed::Buffer(buffer) => buffer.offset,
        Passed::Alias(alias) => alias.offset,
        _ => 0,
    };
    buffers.iter().find(|buffer| buffer.name == argument.name()).map_or(0, |buffer| buffer.address + offset)
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
                Passed::Alias(alias) => {
                    let problem = wrong(argument, unknown);
                    Problem { at: alias.spans.get("alias").cloned().or(problem.at), ..problem }
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
