//! Launch rules of WAVE: registers receive the arguments, and buffers are contiguous in device memory.

use warplens_hir::wave::{Code, Instruction, Value};
use warplens_sim_launch::body::Body;
use warplens_sim_launch::buffers::{
    Budget, DEVICE_MEMORY, NewBuffer, PlacedBuffer, address_of, listed, name_arguments, place_buffers,
    problem, wrong,
};
use warplens_sim_launch::kernel::{LaunchRules, Resolved};
use warplens_sim_launch::model::{Argument, Buffer, Contents, Fill, Launch, Passed, size};
use warplens_sim_launch::problem::Problem;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::launch_config::volume;
use warplens_sim_warp::memory::DeviceMemory;
use warplens_sim_warp::scalar_type::{Class, ScalarType};

/// What a WAVE kernel requires of its launches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WaveKernel {
    /// `.workgroup_size`
    pub workgroup: Option<[u32; 3]>,
}

pub fn body(code: &Code) -> Body {
    let is_for_several = |instruction: &Instruction| {
        let mnemonic = instruction.mnemonic.as_str();
        let is_together = ["barrier", "call"].contains(&mnemonic) || mnemonic.starts_with("wave_");
        is_together || instruction.operands.iter().any(|operand| distinguishes_threads(&operand.value))
    };
    Body { is_single: !code.instructions.iter().any(is_for_several), ..Body::default() }
}

fn distinguishes_threads(value: &Value) -> bool {
    matches!(value, Value::Special(register) if super::distinguishes_threads(register.name))
}

impl LaunchRules for WaveKernel {
    fn inferred_size(&self) -> ([u32; 3], [u32; 3]) {
        ([1; 3], self.workgroup.unwrap_or([super::DEFAULT_WAVE_WIDTH, 1, 1]))
    }

    /// The inferred launch of a kernel without a size is one wave, so its size depends on the wave width.
    fn set_warp_width(&self, launch: &mut Launch, width: u32, is_inferred: bool) -> Result<(), &'static str> {
        launch.wave_width = Some(width);
        if is_inferred && self.workgroup.is_none() {
            launch.block = Some([width, 1, 1]);
        }
        Ok(())
    }

    fn resolve(&self, name: &str, launch: &mut Launch, budget: Budget<'_>) -> Result<Resolved, Problem> {
        check_workgroup(launch, name, self)?;
        name_arguments(launch, |index| Some(format!("r{index}")));
        let device = launch.device_memory.map_or(super::DEFAULT_DEVICE_MEMORY, |bytes| bytes as u32);
        if u64::from(device) > budget.left {
            let message = format!("{device} bytes exceed the limit of {}", budget.left);
            return Err(problem(launch, "device_memory", message));
        }
        let mut memory = super::device_memory(device);
        let mut next = 0u64;
        let mut buffers = place_buffers(launch, budget, |new| {
            refuse_cuda_keys(new)?;
            let address = next;
            place(&mut memory, (address, new.len), &new.bytes, new.argument, device)?;
            next = (address + new.len).next_multiple_of(256);
            Ok(address)
        })?;
        let config = LaunchConfig {
            registers: start_registers(launch, &buffers)?,
            shared_memory: launch.local_memory.map_or(super::DEFAULT_LOCAL_MEMORY, |bytes| bytes as u32),
            memory,
            ..super::launch_config(
                launch.grid.unwrap_or([1; 3]),
                launch.block.unwrap_or([1; 3]),
                launch.wave_width.unwrap_or(super::DEFAULT_WAVE_WIDTH),
            )
        };
        let (name, element) = (DEVICE_MEMORY.into(), ScalarType::U8);
        buffers.push(PlacedBuffer { name, element, address: 0, len: device.into(), deferred: None });
        Ok((config, buffers))
    }
}

fn check_workgroup(launch: &mut Launch, kernel: &str, wave: &WaveKernel) -> Result<(), Problem> {
    let width = *launch.wave_width.get_or_insert(super::DEFAULT_WAVE_WIDTH);
    let block = *launch.block.get_or_insert(wave.workgroup.unwrap_or([width, 1, 1]));
    let bad = |key: &str, message: String| Err(problem(launch, key, message));
    if launch.cluster.is_some() {
        return bad("cluster", "clusters are for PTX kernels, and this one is WAVE: remove it".to_owned());
    }
    if launch.dynamic_shared.is_some_and(|bytes| bytes > 0) {
        return bad("dynamic_shared", "`dynamic_shared` is for PTX; WAVE has `local_memory`".to_owned());
    }
    if launch.cooperative == Some(true) {
        return bad(
            "cooperative",
            "`cooperative` is for PTX kernels, and this one is WAVE: remove it".to_owned(),
        );
    }
    match wave.workgroup {
        Some(size_of_kernel) if size_of_kernel != block => bad(
            "block",
            format!(
                "`{kernel}` has .workgroup_size {}, but the block is {}: remove `block`, or set it to {}",
                size(size_of_kernel),
                size(block),
                listed(size_of_kernel)
            ),
        ),
        _ if volume(block) > 65_536 => {
            bad("block", format!("the workgroup has {} threads, the limit is 65536", volume(block)))
        }
        _ => Ok(()),
    }
}

fn refuse_cuda_keys(new: &NewBuffer<'_>) -> Result<(), Problem> {
    let Buffer { address, uninitialized, contents, .. } = new.buffer;
    let is_unfilled = matches!(contents, Contents::Filled { fill: Fill::Uninitialized, .. });
    let (key, rule) = match (address, is_unfilled, uninitialized.as_slice()) {
        (Some(_), ..) => ("address", "the buffers of a WAVE kernel are placed in order: remove `address`"),
        (_, true, _) => {
            ("fill", "device memory of WAVE starts as zeros, and reads of it are not checked: use \"zero\"")
        }
        (.., [_, ..]) => {
            ("uninitialized", "reads of device memory are not checked in WAVE: remove `uninitialized`")
        }
        _ => return Ok(()),
    };
    Err(new.wrong(key, rule))
}

fn place(
    memory: &mut DeviceMemory,
    (at, len): (u64, u64),
    bytes: &[u8],
    argument: &Argument,
    device: u32,
) -> Result<(), Problem> {
    if len == 0 {
        return Ok(());
    }
    let Some(target) = memory.bytes_mut(at, len) else {
        let needed = at + len;
        return Err(wrong(
            argument,
            format!(
                "the buffers up to this one require {needed} bytes, but device memory has {device}: set device_memory = {needed}"
            ),
        ));
    };
    target[..bytes.len()].copy_from_slice(bytes);
    Ok(())
}

/// The arguments come first, then the values of `registers`.
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
    match &argument.passed {
        Passed::Scalar(kind, bits) if kind.bytes() <= 4 && kind.class() == Class::Signed => {
            Ok(kind.integer_of_bits(*bits) as u32)
        }
        Passed::Scalar(kind, bits) if kind.bytes() <= 4 => Ok(*bits as u32),
        Passed::Scalar(kind, _) => {
            Err(wrong(argument, format!("{kind} does not fit a register of 32 bits: pass two")))
        }
        Passed::Bytes(bytes) if bytes.len() <= 4 => Ok(ScalarType::B32.read(bytes) as u32),
        Passed::Bytes(bytes) => {
            Err(wrong(argument, format!("{} bytes do not fit a register of 32 bits", bytes.len())))
        }
        Passed::Fields(_) | Passed::TensorMap(_) => {
            Err(wrong(argument, "a register holds one number: pass the fields of a structure as arguments"))
        }
        Passed::Multimem(_) => Err(wrong(argument, "WAVE has no multimem addresses: pass buffers")),
        Passed::Buffer(_) | Passed::Alias(_) => Ok(address_of(argument, buffers) as u32),
    }
}

#[cfg(test)]
mod tests;
