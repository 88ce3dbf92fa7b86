//! WAVE: arguments go to registers, and buffers lie one after the other in device memory.

use super::buffers::{Budget, DEVICE_MEMORY, PlacedBuffer, listed, problem, with_aliases, wrong};
use crate::launch::infer::threads;
use crate::launch::kernel::{Kernel, WaveKernel};
use crate::launch::model::{Argument, Launch, Passed, size};
use crate::launch::problem::Problem;
use crate::launch::scalar::{Class, ScalarKind};
use crate::memory::DeviceMemory;
use crate::warp::LaunchConfig;
use crate::wave;

pub(super) fn check_workgroup(
    launch: &mut Launch,
    kernel: &Kernel,
    wave: &WaveKernel,
) -> Result<(), Problem> {
    let width = *launch.wave_width.get_or_insert(wave::DEFAULT_WAVE_WIDTH);
    let block = *launch.block.get_or_insert(wave.workgroup.unwrap_or([width, 1, 1]));
    let bad = |key: &str, message: String| Err(problem(launch, key, message));
    if launch.cluster.is_some() {
        return bad("cluster", "clusters are for PTX kernels, and this one is WAVE: remove it".to_owned());
    }
    if launch.dynamic_shared.is_some_and(|bytes| bytes > 0) {
        return bad("dynamic_shared", "`dynamic_shared` is for PTX; WAVE has `local_memory`".to_owned());
    }
    match wave.workgroup {
        Some(size_of_kernel) if size_of_kernel != block => bad(
            "block",
            format!(
                "`{}` has .workgroup_size {}, but the block is {}: remove `block`, or set it to {}",
                kernel.name,
                size(size_of_kernel),
                size(block),
                listed(size_of_kernel)
            ),
        ),
        _ if threads(block) > 65_536 => {
            bad("block", format!("the workgroup has {} threads, the limit is 65536", threads(block)))
        }
        _ => Ok(()),
    }
}

pub(super) fn for_wave(
    launch: &Launch,
    mut budget: Budget<'_>,
) -> Result<(LaunchConfig, Vec<PlacedBuffer>), Problem> {
    let device = launch.device_memory.map_or(wave::DEFAULT_DEVICE_MEMORY, |bytes| bytes as u32);
    if u64::from(device) > budget.left {
        return Err(problem(
            launch,
            "device_memory",
            format!("{device} bytes exceed the limit of {}", budget.left),
        ));
    }
    let mut memory = wave::device_memory(device);
    let mut buffers = Vec::new();
    let mut next = 0u64;
    for argument in &launch.args {
        if let Passed::Buffer(buffer) = &argument.passed {
            let bytes = budget.build(buffer, argument)?;
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
    let config = LaunchConfig {
        registers: start_registers(launch, &buffers)?,
        shared_memory: launch.local_memory.map_or(wave::DEFAULT_LOCAL_MEMORY, |bytes| bytes as u32),
        memory,
        ..wave::launch_config(
            launch.grid.unwrap_or([1; 3]),
            launch.block.unwrap_or([1; 3]),
            launch.wave_width.unwrap_or(wave::DEFAULT_WAVE_WIDTH),
        )
    };
    let whole =
        PlacedBuffer { name: DEVICE_MEMORY.into(), element: ScalarKind::U8, address: 0, len: device.into() };
    Ok((config, buffers.into_iter().chain([whole]).collect()))
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
    let Some(target) = memory.bytes_mut(at, bytes.len() as u64) else {
        let needed = at + bytes.len() as u64;
        return Err(wrong(
            argument,
            format!(
                "the buffers up to this one require {needed} bytes, but device memory has {device}: set device_memory = {needed}"
            ),
        ));
    };
    target.copy_from_slice(bytes);
    Ok(())
}

/// Arguments first, then what `registers` sets.
fn start_registers(launch: &Launch, buffers: &[PlacedBuffer]) -> Result<Vec<(u8, u32)>, Problem> {
    let mut registers = Vec::new();
    for (index, argument) in launch.args.iter().enumerate() {
        let register = u8::try_from(index).ok().filter(|index| *index < 255);
        let register = register.ok_or_else(|| wrong(argument, "WAVE has only 255 registers"))?;
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
        Passed::Fields(_) => {
            Err(wrong(argument, "a register holds one number: pass the fields of a structure as arguments"))
        }
        Passed::Buffer(_) | Passed::Alias(_) => {
            Ok(buffers.iter().find(|buffer| buffer.name == name).map_or(0, |buffer| buffer.address as u32))
        }
    }
}
