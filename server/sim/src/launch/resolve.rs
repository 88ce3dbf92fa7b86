//! A launch meets its kernel: what does not fit is said, what fits becomes the bytes that a run starts from.

use smol_str::SmolStr;

use super::contents::{FileReader, build};
use super::expectation;
use super::infer::threads;
use super::kernel::{Kernel, KernelKind, Parameter, PtxKernel, WaveKernel};
use super::model::{Argument, Launch, Passed};
use super::problem::Problem;
use super::read::size;
use super::scalar::{Class, ScalarKind};
use crate::memory::DeviceMemory;
use crate::trace::RunResult;
use crate::{ptx, wave};

/// A launch that fits its kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    /// The launch with everything filled in that was left out.
    pub launch: Launch,
    /// What the simulator is given.
    pub config: Config,
    /// The buffers and their aliases, by name, in the order of the arguments.
    pub buffers: Vec<PlacedBuffer>,
}

/// What the simulator is given.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(clippy::large_enum_variant)] // one a run
pub enum Config {
    /// For a PTX entry.
    Ptx(ptx::LaunchConfig),
    /// For a WAVE kernel.
    Wave(wave::LaunchConfig),
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
        KernelKind::Ptx(ptx) => {
            refuse_wave_keys(&launch)?;
            check_block(&mut launch, kernel, ptx)?;
            name_arguments(&mut launch, |index| ptx.params.get(index).map(|param| param.name.to_string()));
            for_ptx(&launch, kernel, ptx, contents)?
        }
        KernelKind::Wave(wave) => {
            check_workgroup(&mut launch, kernel, wave)?;
            name_arguments(&mut launch, |index| Some(format!("r{index}")));
            for_wave(&launch, contents)?
        }
    };
    let resolved = Resolved { launch, config, buffers };
    check_expectations(&resolved)?;
    Ok(resolved)
}

fn problem(launch: &Launch, key: &str, message: String) -> Problem {
    Problem { at: launch.places.of(key), message }
}

fn refuse_wave_keys(launch: &Launch) -> Result<(), Problem> {
    let given = ["wave_width", "device_memory", "local_memory", "registers"];
    match given.into_iter().find(|key| launch.places.keys.contains_key(*key)) {
        Some(key) => {
            Err(problem(launch, key, format!("`{key}` is for WAVE kernels, and this one is PTX: remove it")))
        }
        None => Ok(()),
    }
}

/// The bounds that every device has, then the kernel's own.
fn check_block(launch: &mut Launch, kernel: &Kernel, ptx: &PtxKernel) -> Result<(), Problem> {
    let block = *launch.block.get_or_insert(ptx.block());
    let [_, y, z] = launch.grid.unwrap_or([1; 3]);
    let bad = |key: &str, message: String| Err(problem(launch, key, message));
    if y > 65_535 || z > 65_535 {
        return bad("grid", "the grid may be at most 65535 blocks high and deep".to_owned());
    }
    if threads(block) > 1024 || block[2] > 64 {
        return bad(
            "block",
            format!("a block has at most 1024 threads (64 in z), and {} is more", size(block)),
        );
    }
    if let Some(required) = ptx.required_block
        && required != block
    {
        return bad(
            "block",
            format!(
                "`{}` says .reqntid {}, and the block is {}: make the block {}",
                kernel.name,
                size(required),
                size(block),
                listed(required)
            ),
        );
    }
    if let Some(largest) = ptx.largest_block
        && threads(block) > threads(largest)
    {
        return bad(
            "block",
            format!(
                "`{}` says .maxntid {}, which is {} threads, and the block has {}: make it smaller",
                kernel.name,
                size(largest),
                threads(largest),
                threads(block)
            ),
        );
    }
    Ok(())
}

fn check_workgroup(launch: &mut Launch, kernel: &Kernel, wave: &WaveKernel) -> Result<(), Problem> {
    let width = *launch.wave_width.get_or_insert(wave::LaunchConfig::DEFAULT_WAVE_WIDTH);
    let block = *launch.block.get_or_insert(wave.workgroup.unwrap_or([width, 1, 1]));
    let bad = |key: &str, message: String| Err(problem(launch, key, message));
    if launch.dynamic_shared.is_some_and(|bytes| bytes > 0) {
        return bad("dynamic_shared", "`dynamic_shared` is for PTX; WAVE has `local_memory`".to_owned());
    }
    match wave.workgroup {
        Some(size_of_kernel) if size_of_kernel != block => bad(
            "block",
            format!(
                "`{}` says .workgroup_size {}, which decides over the block {}: leave `block` out, or make it {}",
                kernel.name,
                size(size_of_kernel),
                size(block),
                listed(size_of_kernel)
            ),
        ),
        _ if threads(block) > 65_536 => bad(
            "block",
            format!("a workgroup of {} threads is more than the simulator takes (65536)", threads(block)),
        ),
        _ => Ok(()),
    }
}

fn listed(extent: [u32; 3]) -> String {
    format!("[{}]", size(extent).replace(',', ", "))
}

fn name_arguments(launch: &mut Launch, default: impl Fn(usize) -> Option<String>) {
    for (index, argument) in launch.args.iter_mut().enumerate() {
        if argument.name.is_none() {
            argument.name = default(index);
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

fn for_ptx(
    launch: &Launch,
    kernel: &Kernel,
    ptx: &PtxKernel,
    mut room: Room<'_>,
) -> Result<(Config, Vec<PlacedBuffer>), Problem> {
    check_count(launch, kernel, ptx)?;
    check_names(launch, ptx)?;
    let mut memory = ptx::LaunchConfig::memory();
    let mut buffers = Vec::new();
    for argument in &launch.args {
        if let Passed::Buffer(buffer) = &argument.passed {
            let bytes = room.build(buffer, argument)?;
            let name = argument.name.as_deref().unwrap_or_default();
            let address = memory.allocate_with(name, &bytes);
            let address = address.map_err(|_| wrong(argument, "there is no room for it in device memory"))?;
            buffers.push(PlacedBuffer {
                name: name.into(),
                element: buffer.element,
                address,
                len: bytes.len() as u64,
            });
        }
    }
    let buffers = with_aliases(launch, buffers)?;
    let mut params = Vec::new();
    for (argument, param) in launch.args.iter().zip(&ptx.params) {
        params.resize(params.len().next_multiple_of(param.align.max(1) as usize), 0);
        params.extend(param_bytes(argument, param, ptx, &buffers)?);
    }
    let config = ptx::LaunchConfig {
        dynamic_shared: launch.dynamic_shared.unwrap_or(0),
        params,
        memory,
        ..ptx::LaunchConfig::new(launch.grid.unwrap_or([1; 3]), launch.block.unwrap_or([1; 3]))
    };
    Ok((Config::Ptx(config), buffers))
}

fn check_count(launch: &Launch, kernel: &Kernel, ptx: &PtxKernel) -> Result<(), Problem> {
    let (given, wanted) = (launch.args.len(), ptx.params.len());
    if given == wanted {
        return Ok(());
    }
    let names: Vec<_> = ptx.params.iter().map(|param| param.name.as_str()).collect();
    let message = match wanted {
        0 => format!("`{}` has no parameters, and the launch gives {given}", kernel.name),
        _ => format!(
            "`{}` has {wanted} parameter{} ({}), and the launch gives {given}",
            kernel.name,
            if wanted == 1 { "" } else { "s" },
            names.join(", ")
        ),
    };
    Err(problem(launch, "args", message))
}

/// A name that is another parameter's is an argument out of order.
fn check_names(launch: &Launch, ptx: &PtxKernel) -> Result<(), Problem> {
    for (index, argument) in launch.args.iter().enumerate() {
        let name = argument.name.as_deref().unwrap_or_default();
        let meant = ptx.params.iter().position(|param| param.name == name);
        if let Some(meant) = meant.filter(|meant| *meant != index) {
            return Err(wrong(
                argument,
                format!(
                    "it is number {}, and `{name}` is parameter {}: arguments stand in parameter order",
                    index + 1,
                    meant + 1
                ),
            ));
        }
    }
    Ok(())
}

/// Aliases under their own names, each name once.
fn with_aliases(launch: &Launch, buffers: Vec<PlacedBuffer>) -> Result<Vec<PlacedBuffer>, Problem> {
    let mut all: Vec<PlacedBuffer> = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    for argument in &launch.args {
        let name = argument.name.as_deref().unwrap_or_default();
        if names.contains(&name) {
            return Err(wrong(argument, "another argument has the same name: rename one"));
        }
        names.push(name);
        let of = match &argument.passed {
            Passed::Buffer(_) => name,
            Passed::Alias(of) => of,
            Passed::Scalar(..) | Passed::Bytes(_) => continue,
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

fn param_bytes(
    argument: &Argument,
    param: &Parameter,
    ptx: &PtxKernel,
    buffers: &[PlacedBuffer],
) -> Result<Vec<u8>, Problem> {
    let name = argument.name.as_deref().unwrap_or_default();
    match &argument.passed {
        Passed::Bytes(bytes) if bytes.len() as u64 == param.bytes => Ok(bytes.clone()),
        Passed::Bytes(bytes) => Err(wrong(
            argument,
            format!("the parameter takes {} bytes, and these are {}", param.bytes, bytes.len()),
        )),
        Passed::Scalar(kind, bits) => {
            check_scalar(*kind, param).map_err(|message| wrong(argument, message))?;
            let mut bytes = Vec::new();
            kind.write(*bits, &mut bytes);
            Ok(bytes)
        }
        Passed::Buffer(_) | Passed::Alias(_) => {
            if !ptx.takes_address(param) {
                let bytes = ptx.address_bytes.unwrap_or(8);
                return Err(wrong(
                    argument,
                    format!(
                        "a buffer passes its address, {bytes} bytes, and the parameter is {}: pass a scalar",
                        shape(param)
                    ),
                ));
            }
            let address =
                buffers.iter().find(|buffer| buffer.name == name).map_or(0, |buffer| buffer.address);
            Ok(address.to_le_bytes()[..param.bytes as usize].to_vec())
        }
    }
}

fn check_scalar(kind: ScalarKind, param: &Parameter) -> Result<(), String> {
    let Some(wanted) = param.scalar else {
        return Err(format!("the parameter is {}: pass `bytes = \"…\"`", shape(param)));
    };
    let float_for_integer = (kind.class() == Class::Float) != (wanted.class() == Class::Float);
    let either_is_bits = kind.class() == Class::Bits || wanted.class() == Class::Bits;
    if kind.bytes() != wanted.bytes() || float_for_integer && !either_is_bits {
        return Err(format!("the parameter is .{wanted}, and {kind} does not fit it: write {wanted} = …"));
    }
    Ok(())
}

fn shape(param: &Parameter) -> String {
    match param.scalar {
        Some(kind) => format!(".{kind}"),
        None => format!("{} bytes that are no single number", param.bytes),
    }
}

fn for_wave(launch: &Launch, mut room: Room<'_>) -> Result<(Config, Vec<PlacedBuffer>), Problem> {
    let device = launch.device_memory.map_or(wave::LaunchConfig::DEFAULT_DEVICE_MEMORY, |bytes| bytes as u32);
    if u64::from(device) > room.left {
        return Err(problem(
            launch,
            "device_memory",
            format!("{device} bytes are more than the limit, {}", room.left),
        ));
    }
    let mut memory = wave::LaunchConfig::memory(device);
    let mut buffers = Vec::new();
    let mut next = 0u64;
    for argument in &launch.args {
        if let Passed::Buffer(buffer) = &argument.passed {
            let bytes = room.build(buffer, argument)?;
            place(&mut memory, next, &bytes, argument, device)?;
            let name = argument.name.as_deref().unwrap_or_default().into();
            buffers.push(PlacedBuffer {
                name,
                element: buffer.element,
                address: next,
                len: bytes.len() as u64,
            });
            next = (next + bytes.len() as u64).next_multiple_of(256);
        }
    }
    let buffers = with_aliases(launch, buffers)?;
    let config = wave::LaunchConfig {
        registers: start_registers(launch, &buffers)?,
        local_memory: launch
            .local_memory
            .map_or(wave::LaunchConfig::DEFAULT_LOCAL_MEMORY, |bytes| bytes as u32),
        memory,
        ..wave::LaunchConfig::new(
            launch.grid.unwrap_or([1; 3]),
            launch.block.unwrap_or([1; 3]),
            launch.wave_width.unwrap_or(wave::LaunchConfig::DEFAULT_WAVE_WIDTH),
        )
    };
    let whole =
        PlacedBuffer { name: DEVICE_MEMORY.into(), element: ScalarKind::U8, address: 0, len: device.into() };
    Ok((Config::Wave(config), buffers.into_iter().chain([whole]).collect()))
}

fn place(
    memory: &mut DeviceMemory,
    at: u64,
    bytes: &[u8],
    argument: &Argument,
    device: u32,
) -> Result<(), Problem> {
    if bytes.is_empty() {
        return Ok(());
    }
    let Some(room) = memory.bytes_mut(at, bytes.len() as u64) else {
        let needed = at + bytes.len() as u64;
        return Err(wrong(
            argument,
            format!(
                "the buffers so far take {needed} bytes, and device memory has {device}: set device_memory = {needed}"
            ),
        ));
    };
    room.copy_from_slice(bytes);
    Ok(())
}

/// Arguments first, then what `registers` sets.
fn start_registers(launch: &Launch, buffers: &[PlacedBuffer]) -> Result<Vec<(u8, u32)>, Problem> {
    let mut registers = Vec::new();
    for (index, argument) in launch.args.iter().enumerate() {
        let register = u8::try_from(index).ok().filter(|index| *index < 255);
        let register = register.ok_or_else(|| wrong(argument, "there are no more than 255 registers"))?;
        registers.push((register, register_value(argument, buffers)?));
    }
    for (name, value) in &launch.registers {
        let register =
            name.strip_prefix('r').and_then(|number| number.parse::<u8>().ok()).unwrap_or_default();
        if usize::from(register) < launch.args.len() {
            let message =
                format!("`{name}` already holds argument number {}: set another register", register + 1);
            return Err(problem(launch, "registers", message));
        }
        registers.push((register, *value));
    }
    Ok(registers)
}

fn register_value(argument: &Argument, buffers: &[PlacedBuffer]) -> Result<u32, Problem> {
    let name = argument.name.as_deref().unwrap_or_default();
    match &argument.passed {
        Passed::Scalar(kind, bits) if kind.bytes() <= 4 && kind.class() == Class::Signed => {
            Ok(kind.integer_of_bits(*bits) as u32)
        }
        Passed::Scalar(kind, bits) if kind.bytes() <= 4 => Ok(*bits as u32),
        Passed::Scalar(kind, _) => {
            Err(wrong(argument, format!("{kind} does not fit a register of 32 bits: pass two")))
        }
        Passed::Bytes(bytes) if bytes.len() <= 4 => Ok(ScalarKind::B32.read(bytes) as u32),
        Passed::Bytes(bytes) => {
            Err(wrong(argument, format!("{} bytes do not fit a register of 32 bits", bytes.len())))
        }
        Passed::Buffer(_) | Passed::Alias(_) => {
            Ok(buffers.iter().find(|buffer| buffer.name == name).map_or(0, |buffer| buffer.address as u32))
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
