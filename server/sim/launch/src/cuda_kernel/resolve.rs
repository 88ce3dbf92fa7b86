//! Resolves CUDA launches: the block must fit the kernel, the arguments its parameters, and every buffer is a separate
//! allocation.

use warplens_sim_cuda::launch_config::{device_memory, launch_config};
use warplens_sim_cuda::tensor::map::{BYTES, TensorMap};
use warplens_sim_cuda::windows;
use warplens_sim_warp::LaunchConfig;
use warplens_sim_warp::launch_config::volume;
use warplens_sim_warp::memory::{DeviceMemory, GRANULE};
use warplens_sim_warp::scalar_type::{Class, ScalarType};

use super::{CudaKernel, MAX_PARAMETERS, Parameter};
use crate::body::Body;
use crate::buffers::{
    Budget, NewBuffer, PlacedBuffer, address_of, listed, name_arguments, no_such_buffer, place_buffers,
    problem, shape_of, uninitialized_ranges, wrong,
};
use crate::kernel::{LaunchRules, Resolved};
use crate::model::{Argument, Field, Launch, Passed, TensorMapArgument, replica_name, size};
use crate::problem::Problem;

/// The name of the workspace of a cooperative launch in messages.
const WORKSPACE: &str = "grid workspace";
/// Size of the workspace in bytes. `grid_group` uses two words.
const WORKSPACE_BYTES: u64 = 256;

impl LaunchRules for CudaKernel {
    fn inferred_size(&self) -> ([u32; 3], [u32; 3]) {
        self.size()
    }

    fn possible_blocks(&self, body: &Body) -> Vec<[u32; 3]> {
        self.other_blocks(body)
    }

    fn has_fixed_block(&self) -> bool {
        self.required_block.or(self.shaped_block).is_some()
    }

    fn accepts_block(&self, block: [u32; 3]) -> bool {
        let is_required = self.required_block.is_none_or(|required| required == block);
        is_required && self.largest_block.is_none_or(|largest| volume(block) <= volume(largest))
    }

    fn parameters(&self) -> Option<usize> {
        Some(self.params.len())
    }

    fn with_arguments(&self, launch: Launch, body: &Body) -> Launch {
        self.infer_arguments(launch, body)
    }

    fn set_warp_width(&self, _: &mut Launch, _: u32, _: bool) -> Result<(), &'static str> {
        Err("the wave width is allowed for WAVE kernels only: a PTX warp has 32 lanes")
    }

    fn resolve(&self, name: &str, launch: &mut Launch, budget: Budget<'_>) -> Result<Resolved, Problem> {
        self.resolve_in(device_memory(), name, launch, budget)
    }
}

impl CudaKernel {
    /// Resolves a launch and places its buffers in `memory`.
    pub fn resolve_in(
        &self,
        mut memory: DeviceMemory,
        name: &str,
        launch: &mut Launch,
        budget: Budget<'_>,
    ) -> Result<Resolved, Problem> {
        refuse_wave_keys(launch)?;
        check_block(launch, name, self)?;
        check_parameters(launch, name, self)?;
        name_arguments(launch, |index| self.params.get(index).map(|param| param.name.to_string()));
        check_count(launch, name, self)?;
        check_names(launch, self)?;
        let max_memory = budget.left;
        let buffers = place_buffers(launch, budget, |new| {
            skip_to_address(new, &mut memory, max_memory)?;
            let address = memory.allocate(&new.name, new.len);
            let address = address.map_err(|_| wrong(new.argument, "it does not fit into device memory"))?;
            if let Some(target) = memory.bytes_mut(address, new.bytes.len() as u64) {
                target.copy_from_slice(&new.bytes);
            }
            memory.set_shape(address, shape_of(new.argument));
            Ok(address)
        })?;
        let addressed = [buffers.as_slice(), &multimem_ranges(launch, &buffers, &mut memory)?].concat();
        let workspace = workspace(launch, &mut memory)?;
        let mut params = Vec::new();
        for (argument, param) in launch.args.iter().zip(&self.params) {
            params.resize(params.len().next_multiple_of(param.align.max(1) as usize), 0);
            params.extend(param_bytes(argument, param, self, &addressed)?);
        }
        let prerequisite_writes = prerequisite_writes(launch, &buffers)?;
        let config = LaunchConfig {
            prerequisite_writes,
            uninitialized: uninitialized_ranges(launch, &buffers),
            cluster: launch.cluster,
            shared_memory: launch.dynamic_shared.unwrap_or(0),
            params,
            workspace,
            memory,
            ..launch_config(launch.grid.unwrap_or([1; 3]), launch.block.unwrap_or([1; 3]))
        };
        Ok((config, buffers))
    }
}

/// The next buffer is allocated at the address that the launch chooses for it.
fn skip_to_address(new: &NewBuffer<'_>, memory: &mut DeviceMemory, max_memory: u64) -> Result<(), Problem> {
    let Some(address) = new.buffer.address else { return Ok(()) };
    if !address.is_multiple_of(GRANULE) {
        let nearest = address.next_multiple_of(GRANULE);
        let message = format!(
            "`address` {address:#x} is not a multiple of {GRANULE}, which buffers start at: write {nearest:#x}"
        );
        return Err(new.wrong("address", message));
    }
    let first = memory.next_address();
    if address < first
        && let Some(before) = memory.buffers().last()
    {
        let message = format!(
            "`address` {address:#x} is in `{}` or within {GRANULE} bytes of its end: write {first:#x} or a later address",
            before.name
        );
        return Err(new.wrong("address", message));
    }
    let end = address.saturating_add(new.len) - windows::GLOBAL;
    if end > max_memory {
        let message = format!(
            "`address` {address:#x}: the buffer ends {end} bytes after the first address, {:#x}, and the limit of memory is {max_memory}:              place it lower",
            windows::GLOBAL
        );
        return Err(new.wrong("address", message));
    }
    memory.skip_to(address);
    Ok(())
}

/// Allocates the address ranges of multimem arguments, each after its replicas.
fn multimem_ranges(
    launch: &Launch,
    buffers: &[PlacedBuffer],
    memory: &mut DeviceMemory,
) -> Result<Vec<PlacedBuffer>, Problem> {
    let mut ranges = Vec::new();
    for argument in launch.args.iter().flat_map(Argument::all) {
        let Passed::Multimem(replicas) = &argument.passed else { continue };
        let placed = |number: usize| {
            let name = replica_name(argument.name(), number);
            buffers.iter().find(|buffer| buffer.name == name)
        };
        let placed: Vec<&PlacedBuffer> = (0..replicas.len()).filter_map(placed).collect();
        let Some((first, others)) = placed.split_first() else { continue };
        if let Some(other) = others.iter().find(|other| other.len != first.len) {
            let message = format!(
                "`{}` has {} bytes and `{}` has {}: give all replicas the same length",
                first.name, first.len, other.name, other.len
            );
            return Err(wrong(argument, message));
        }
        let addresses = placed.iter().map(|buffer| buffer.address).collect();
        let address = memory.allocate_multimem(argument.name(), first.len, addresses);
        let address = address.map_err(|_| wrong(argument, "it does not fit into device memory"))?;
        memory.set_shape(address, shape_of(argument));
        ranges.push(PlacedBuffer { name: argument.name().into(), address, ..(*first).clone() });
    }
    Ok(ranges)
}

/// Allocates the workspace of a cooperative launch, after the buffers.
fn workspace(launch: &Launch, memory: &mut DeviceMemory) -> Result<Option<u64>, Problem> {
    if launch.cooperative != Some(true) {
        return Ok(None);
    }
    let address = memory.allocate(WORKSPACE, WORKSPACE_BYTES);
    let message = || "the grid workspace does not fit into device memory".to_owned();
    address.map(Some).map_err(|_| problem(launch, "cooperative", message()))
}

fn refuse_wave_keys(launch: &Launch) -> Result<(), Problem> {
    let given = ["wave_width", "device_memory", "local_memory", "registers"];
    match given.into_iter().find(|key| launch.spans.keys.contains_key(*key)) {
        Some(key) => {
            Err(problem(launch, key, format!("`{key}` is for WAVE kernels, and this one is PTX: remove it")))
        }
        None => Ok(()),
    }
}

/// A launch may choose a cluster only if the kernel does not require one.
fn check_cluster(launch: &Launch, kernel: &str, rules: &CudaKernel) -> Result<(), Problem> {
    let Some(cluster) = launch.cluster.or(rules.required_cluster) else { return Ok(()) };
    if let Some(required) = rules.required_cluster.filter(|required| *required != cluster) {
        let message = format!(
            "`{kernel}` requires a cluster of {}, but the launch has {}: set `cluster` to {}",
            size(required),
            size(cluster),
            listed(required)
        );
        return Err(problem(launch, "cluster", message));
    }
    let grid = launch.grid.unwrap_or([1; 3]);
    if grid.iter().zip(cluster).any(|(grid, cluster)| grid % cluster.max(1) != 0) {
        let message = format!(
            "the grid {} is not a multiple of the cluster {}: make every size a multiple",
            size(grid),
            size(cluster)
        );
        return Err(problem(launch, "grid", message));
    }
    Ok(())
}

/// Checks the limits that every device has, then the kernel's own.
fn check_block(launch: &mut Launch, kernel: &str, rules: &CudaKernel) -> Result<(), Problem> {
    let block = *launch.block.get_or_insert(rules.block());
    let [_, y, z] = launch.grid.unwrap_or([1; 3]);
    let bad = |key: &str, message: String| Err(problem(launch, key, message));
    if y > 65_535 || z > 65_535 {
        return bad("grid", "the grid has at most 65535 blocks in y and z".to_owned());
    }
    check_cluster(launch, kernel, rules)?;
    if volume(block) > 1024 || block[2] > 64 {
        return bad(
            "block",
            format!("a block has at most 1024 threads (64 in z), and {} exceeds the limit", size(block)),
        );
    }
    if let Some(required) = rules.required_block
        && required != block
    {
        return bad(
            "block",
            format!(
                "`{kernel}` requires .reqntid {}, but the block is {}: set the block to {}",
                size(required),
                size(block),
                listed(required)
            ),
        );
    }
    if let Some(largest) = rules.largest_block
        && volume(block) > volume(largest)
    {
        return bad(
            "block",
            format!(
                "`{kernel}` allows .maxntid {} ({} threads), but the block has {}: reduce it",
                size(largest),
                volume(largest),
                volume(block)
            ),
        );
    }
    Ok(())
}

/// Limits the parameter block, because it is allocated and a number in the text decides its size.
fn check_parameters(launch: &Launch, kernel: &str, rules: &CudaKernel) -> Result<(), Problem> {
    let bytes = rules.parameter_bytes();
    if bytes <= MAX_PARAMETERS {
        return Ok(());
    }
    let bytes = match bytes {
        u64::MAX => "too many".to_owned(),
        bytes => bytes.to_string(),
    };
    let message = format!("`{kernel}` has {bytes} bytes of parameters; the limit is {MAX_PARAMETERS}");
    Err(problem(launch, "args", message))
}

fn check_count(launch: &Launch, kernel: &str, rules: &CudaKernel) -> Result<(), Problem> {
    let (given, wanted) = (launch.args.len(), rules.params.len());
    if given == wanted {
        return Ok(());
    }
    let names: Vec<_> = rules.params.iter().map(|param| param.name.as_str()).collect();
    let message = match wanted {
        0 => format!("`{kernel}` has no parameters, but the launch passes {given}"),
        _ => format!(
            "`{kernel}` has {wanted} parameter{} ({}), but the launch passes {given}",
            if wanted == 1 { "" } else { "s" },
            names.join(", ")
        ),
    };
    Err(problem(launch, "args", message))
}

/// Detects arguments out of order: an argument with the name of another parameter.
fn check_names(launch: &Launch, rules: &CudaKernel) -> Result<(), Problem> {
    for (index, argument) in launch.args.iter().enumerate() {
        let name = argument.name();
        let meant = rules.params.iter().position(|param| param.name == name);
        if let Some(meant) = meant.filter(|meant| *meant != index) {
            return Err(wrong(
                argument,
                format!(
                    "it is argument {}, but `{name}` is parameter {}: write arguments in parameter order",
                    index + 1,
                    meant + 1
                ),
            ));
        }
    }
    Ok(())
}

fn param_bytes(
    argument: &Argument,
    param: &Parameter,
    rules: &CudaKernel,
    buffers: &[PlacedBuffer],
) -> Result<Vec<u8>, Problem> {
    match &argument.passed {
        Passed::Fields(fields) => structure(argument, fields, param, rules, buffers),
        Passed::Bytes(bytes) if bytes.len() as u64 == param.bytes => Ok(bytes.clone()),
        Passed::Bytes(bytes) => Err(wrong(
            argument,
            format!("the parameter has {} bytes, but {} are passed", param.bytes, bytes.len()),
        )),
        Passed::Scalar(kind, bits) => {
            check_scalar(*kind, param).map_err(|message| wrong(argument, message))?;
            let mut bytes = Vec::new();
            kind.write(*bits, &mut bytes);
            Ok(bytes)
        }
        Passed::TensorMap(map) if param.bytes == BYTES as u64 => {
            Ok(tensor_map(argument, map, buffers)?.encode().to_vec())
        }
        Passed::TensorMap(_) => Err(wrong(
            argument,
            format!("a tensor map has {BYTES} bytes, but the parameter is {}", shape(param)),
        )),
        Passed::Buffer(_) | Passed::Alias(_) | Passed::Multimem(_) => {
            if !rules.takes_address(param) {
                let bytes = rules.address_bytes.unwrap_or(8);
                return Err(wrong(
                    argument,
                    format!(
                        "a buffer passes its address ({bytes} bytes), but the parameter is {}: pass a scalar",
                        shape(param)
                    ),
                ));
            }
            Ok(address_of(argument, buffers).to_le_bytes()[..param.bytes as usize].to_vec())
        }
    }
}

/// The bytes of a structure: fields at their offsets, zeros elsewhere.
fn structure(
    argument: &Argument,
    fields: &[Field],
    param: &Parameter,
    rules: &CudaKernel,
    buffers: &[PlacedBuffer],
) -> Result<Vec<u8>, Problem> {
    let mut bytes = vec![0; param.bytes as usize];
    let mut used = vec![false; bytes.len()];
    for Field { at, argument: field } in fields {
        let value = match &field.passed {
            Passed::Scalar(kind, bits) => {
                let mut value = Vec::new();
                kind.write(*bits, &mut value);
                value
            }
            Passed::Bytes(value) => value.clone(),
            Passed::TensorMap(map) => tensor_map(field, map, buffers)?.encode().to_vec(),
            _ => {
                let next = fields.iter().map(|next| next.at).filter(|next| next > at).min();
                let room = next.unwrap_or(param.bytes).saturating_sub(*at);
                // A module of early PTX need not name the size of its addresses.
                let bytes = rules.address_bytes.unwrap_or(if room < 8 { 4 } else { 8 });
                address_of(field, buffers).to_le_bytes()[..bytes as usize].to_vec()
            }
        };
        let end = at.saturating_add(value.len() as u64);
        let Some(target) = bytes.get_mut(*at as usize..end as usize).filter(|_| end <= param.bytes) else {
            let message = format!("it ends at byte {end}, but the parameter has {} bytes", param.bytes);
            return Err(wrong(field, message));
        };
        target.copy_from_slice(&value);
        let taken = &mut used[*at as usize..end as usize];
        if taken.contains(&true) {
            let whole = argument.name();
            return Err(wrong(field, format!("it overlaps another field of `{whole}`: move one")));
        }
        taken.fill(true);
    }
    Ok(bytes)
}

/// The tensor map that an argument describes.
fn tensor_map(
    argument: &Argument,
    map: &TensorMapArgument,
    buffers: &[PlacedBuffer],
) -> Result<TensorMap, Problem> {
    let element = buffers.iter().find(|buffer| buffer.name == argument.name());
    let element = element.map_or(ScalarType::U8, |buffer| buffer.element);
    map.map(argument, element, address_of(argument, buffers))
}

/// The address ranges of the buffers that the prerequisite grid writes.
fn prerequisite_writes(launch: &Launch, buffers: &[PlacedBuffer]) -> Result<Vec<(u64, u64)>, Problem> {
    let range = |name: &String| match buffers.iter().find(|buffer| buffer.name == *name) {
        Some(buffer) => Ok((buffer.address, buffer.len)),
        None => Err(problem(launch, "prerequisite_writes", no_such_buffer(name, buffers))),
    };
    launch.prerequisite_writes.iter().map(range).collect()
}

fn check_scalar(kind: ScalarType, param: &Parameter) -> Result<(), String> {
    // LLVM declares halves, and structures of one number, as arrays of bytes.
    if param.scalar.is_none() && param.bytes == kind.bytes() as u64 {
        return Ok(());
    }
    let Some(wanted) = param.scalar else {
        return Err(format!("the parameter is {}: pass `fields = […]` or `bytes = \"…\"`", shape(param)));
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
        None => format!("{} bytes and not a scalar", param.bytes),
    }
}
