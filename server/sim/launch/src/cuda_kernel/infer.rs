//! Infers a launch for a kernel that has no configured one.

use std::collections::BTreeMap;

use warplens_sim_cuda::grid::launch::MAX_DYNAMIC_SHARED;
use warplens_sim_cuda::tensor::map::{BYTES, Interleave};
use warplens_sim_cuda::tensor::swizzle::Swizzle;
use warplens_sim_warp::launch_config::volume;
use warplens_sim_warp::scalar_type::{Class, ScalarType};

use super::{CudaKernel, MAX_PARAMETERS, Parameter};
use crate::body::{Access, Body, EmptySlot, MapUse, Part};
use crate::model::{Argument, Buffer, Contents, Field, Fill, Launch, MapBuffer, Passed, TensorMapArgument};

/// Threads of a block if the kernel does not specify them.
const BLOCK: u32 = 32;
/// Upper bound of the block size for kernels with a larger `.maxntid`: two warps show more than one, but more than two
/// show little more.
const LARGEST_BLOCK: u32 = 64;
/// Block sizes to try if the inferred launch has findings.
const LINEAR_BLOCKS: [u32; 10] = [1, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
/// Block sizes to try for kernels that read `%tid.y`.
const LAYERED_BLOCKS: [[u32; 3]; 5] = [[8, 8, 1], [16, 16, 1], [32, 8, 1], [32, 16, 1], [32, 32, 1]];
/// The cluster of a kernel that works on pairs of blocks.
const PAIR: [u32; 3] = [2, 1, 1];
/// Maximum number of threads of a block.
const MAX_THREADS: u64 = 1024;
/// Bytes of a buffer per thread.
const BUFFER_BYTES: u64 = 4096;
/// Maximum size of a buffer in bytes, however many threads there are.
const LARGEST_BUFFER: u64 = 16 << 20;
/// Maximum size of all buffers together, in bytes.
pub(crate) const ALL_BUFFERS: u64 = 64 << 20;
/// Assumed bytes of a slot in a table: as many as the slots of most tables have, or more.
const SLOT_BYTES: u64 = 64;
/// Bytes of dynamic shared memory (`.extern .shared` arrays): the limit that every device grants every kernel.
const DYNAMIC_SHARED: u32 = 49_152;
/// Bytes of a box if the kernel does not announce its size.
const BOX_BYTES: u64 = 1024;
/// Words of the innermost dimension of a box.
const BOX_ROW: u64 = 32;
/// Maximum number of elements of a box in one dimension.
const MAX_EXTENT: u64 = 256;
/// How many devices a multimem address stands for.
const REPLICAS: usize = 2;
/// The size in bytes of a tile that may follow the largest constant offset from an address.
const TILE: u64 = 4096;

impl CudaKernel {
    /// Adds inferred arguments to a launch that has only grid and block.
    pub(super) fn infer_arguments(&self, launch: Launch, body: &Body) -> Launch {
        let (grid, block) = self.size();
        let threads =
            volume(launch.grid.unwrap_or(grid)).saturating_mul(volume(launch.block.unwrap_or(block)));
        let fields: usize = body.params.iter().map(Vec::len).sum();
        let most = LARGEST_BUFFER.min(ALL_BUFFERS / fields.max(self.params.len()).max(1) as u64);
        let sizes = Sizes { threads, buffer: threads.saturating_mul(BUFFER_BYTES).min(most) };
        let map = |index: usize, param: &Parameter| {
            let map = body.maps.get(index).copied().flatten();
            map.filter(|_| param.bytes == BYTES as u64)
        };
        let inferred = |(index, param): (usize, &Parameter)| match param.scalar {
            _ if let Some(map) = map(index, param) => tensor_map(param, map),
            Some(kind) => whole(param, kind, body.part(index, 0), self, sizes),
            None => structure(param, body.params.get(index).map_or(&[][..], Vec::as_slice), self, sizes),
        };
        let argument = |(index, param): (usize, &Parameter)| {
            let mut argument = inferred((index, param));
            if let Passed::Scalar(kind, bits) = &mut argument.passed
                && let Some(Some(known)) = launch.known.get(index)
            {
                *bits = known.passed_as(*kind).unwrap_or(*bits);
            }
            argument
        };
        let is_clustered = self.uses_clusters
            && self.required_cluster.is_none()
            && launch.grid.is_none_or(|[columns, ..]| columns.is_multiple_of(PAIR[0]));
        Launch {
            cluster: launch.cluster.or(is_clustered.then_some(PAIR)),
            dynamic_shared: launch.dynamic_shared.or(body.dynamic_shared.map(dynamic_shared)),
            cooperative: launch.cooperative.or(body.is_cooperative.then_some(true)),
            args: self.params.iter().enumerate().map(argument).collect(),
            ..launch
        }
    }

    /// The grid and block of a launch that does not specify them.
    pub(super) fn size(&self) -> ([u32; 3], [u32; 3]) {
        let pair = self.uses_clusters.then_some(PAIR);
        (self.required_cluster.or(pair).unwrap_or([1; 3]), self.block())
    }

    /// Other block sizes that kernels are often written for, if this kernel's directives allow them.
    pub(super) fn other_blocks(&self, body: &Body) -> Vec<[u32; 3]> {
        if self.required_block.is_some() {
            return Vec::new();
        }
        let rows = LAYERED_BLOCKS.iter().filter(|_| body.has_rows);
        let common = LINEAR_BLOCKS.iter().map(|threads| [*threads, 1, 1]).chain(rows.copied());
        let most = self.largest_block.map_or(u64::MAX, volume);
        let fits = |block: &[u32; 3]| volume(*block) <= most;
        common.filter(fits).chain(self.largest_block.filter(|block| volume(*block) <= MAX_THREADS)).collect()
    }

    /// The block of a launch that does not specify one.
    pub(super) fn block(&self) -> [u32; 3] {
        let most = self.largest_block.map_or(u64::MAX, volume);
        let shaped = self.shaped_block.filter(|block| volume(*block) <= most);
        match (self.required_block.or(shaped), self.largest_block) {
            (Some(block), _) => block,
            (None, Some(largest)) => {
                let mut budget = LARGEST_BLOCK;
                largest.map(|extent| {
                    let kept = extent.clamp(1, budget);
                    budget /= kept;
                    kept
                })
            }
            (None, None) => [BLOCK, 1, 1],
        }
    }
}

/// What the sizes of arguments derive from.
#[derive(Clone, Copy)]
struct Sizes {
    /// Threads of the launch.
    threads: u64,
    /// Bytes of each buffer.
    buffer: u64,
}

fn dynamic_shared(reach: u64) -> u32 {
    if reach + TILE > DYNAMIC_SHARED.into() { MAX_DYNAMIC_SHARED } else { DYNAMIC_SHARED }
}

fn whole(
    param: &Parameter,
    kind: ScalarType,
    part: Option<&Part>,
    rules: &CudaKernel,
    sizes: Sizes,
) -> Argument {
    let stored =
        Access { element: ScalarType::B32, loaded: false, stored: true, multimem: false, empty: None };
    let access = part.and_then(|part| part.access).or(param.is_pointer.then_some(stored));
    let access = access.filter(|_| rules.takes_address(param));
    Argument { name: Some(param.name.to_string()), passed: passed(kind, access, part, sizes), at: None }
}

/// A map of a tensor that is four boxes wide in each of its first two dimensions. A box has as many bytes as the kernel
/// announces.
fn tensor_map(param: &Parameter, map: MapUse) -> Argument {
    let words = map.bytes.unwrap_or(BOX_BYTES) / 4;
    // The innermost dimension must be a multiple of 16 bytes.
    let row = words.min(if map.rank == 1 { MAX_EXTENT } else { BOX_ROW }) / 4 * 4;
    let rows = (words / row.max(1)).clamp(1, MAX_EXTENT);
    let extent = |axis: u8| match axis {
        0 => row.max(4),
        1 => rows,
        _ => 1,
    };
    let extents: Vec<u64> = (0..map.rank).map(extent).collect();
    let dims: Vec<u64> =
        extents.iter().enumerate().map(|(axis, extent)| if axis < 2 { 4 * extent } else { 4 }).collect();
    let fill = if map.loaded { Fill::Iota } else { Fill::Zero };
    let contents = Contents::Filled { len: dims.iter().product(), fill };
    let map = TensorMapArgument {
        buffer: MapBuffer::Own(Box::new(Buffer::new(ScalarType::U32, contents))),
        offset: 0,
        element: None,
        dims,
        strides: None,
        extents: extents.into_iter().map(|extent| extent as u16).collect(),
        element_strides: Vec::new(),
        interleave: Interleave::default(),
        swizzle: Swizzle::default(),
        nan: false,
        im2col: None,
        spans: BTreeMap::new(),
    };
    Argument { name: Some(param.name.to_string()), passed: Passed::TensorMap(Box::new(map)), at: None }
}

/// A parameter with several numbers: those that the kernel loads, and zeros elsewhere.
fn structure(param: &Parameter, parts: &[Part], rules: &CudaKernel, sizes: Sizes) -> Argument {
    let inside = |part: &&Part| part.at + part.kind.bytes() as u64 <= param.bytes;
    let field = |part: &Part| {
        let address = |access: &Access| rules.takes_address_in(part.kind).then_some(*access);
        let access = part.access.as_ref().and_then(address);
        let name = Some(format!("{}.{}", param.name, part.at));
        let passed = passed(part.kind, access, Some(part), sizes);
        Field { at: part.at, argument: Argument { name, passed, at: None } }
    };
    let fields: Vec<_> = parts.iter().filter(inside).map(field).collect();
    let passed = match fields.is_empty() {
        // Resolving the launch reports a parameter that is too large.
        true => Passed::Bytes(vec![0; param.bytes.min(MAX_PARAMETERS) as usize]),
        false => Passed::Fields(fields),
    };
    Argument { name: Some(param.name.to_string()), passed, at: None }
}

fn passed(kind: ScalarType, access: Option<Access>, part: Option<&Part>, sizes: Sizes) -> Passed {
    if let Some(access) = access {
        let buffer = buffer(access, sizes.buffer);
        return match access.multimem {
            true => Passed::Multimem(vec![buffer; REPLICAS]),
            false => Passed::Buffer(buffer),
        };
    }
    if kind.class() == Class::Float {
        return Passed::Scalar(kind, kind.bits_of_float(1.0));
    }
    let (_, largest) = kind.integer_range();
    let log_slots = (sizes.buffer / SLOT_BYTES).max(1).ilog2().min(largest.ilog2());
    let number = match part {
        Some(Part { table: Some(table), .. }) => table.number(1 << log_slots),
        Some(Part { is_exponent: true, .. }) => sizes.threads.max(1).ilog2().into(),
        _ => sizes.threads.into(),
    };
    Passed::Scalar(kind, kind.bits_of_integer(largest.min(number)).unwrap_or_default())
}

fn buffer(access: Access, bytes: u64) -> Buffer {
    let Access { element, loaded, empty, .. } = access;
    let len = bytes / element.bytes() as u64;
    let fill = match empty.filter(|empty| empty.bytes == element.bytes() as u64) {
        Some(EmptySlot { bits: 0, .. }) => Fill::Zero,
        Some(EmptySlot { bits, .. }) => Fill::Value(bits),
        None if loaded => Fill::Iota,
        None => Fill::Zero,
    };
    Buffer::new(element, Contents::Filled { len, fill })
}

#[cfg(test)]
mod tests;
