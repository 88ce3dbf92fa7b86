//! The inferred launch of a kernel without a configured one.

use super::INFERRED;
use super::kernel::{Kernel, KernelKind, Parameter, PtxKernel};
use super::model::{Argument, Buffer, Contents, Field, Fill, Launch, Passed};
use super::pointers::{Access, Body, Part};
use super::scalar::{Class, ScalarKind};
use crate::wave;

/// Threads of a block if the kernel does not specify them.
const BLOCK: u32 = 32;
/// Threads that are taken of a larger `.maxntid`: two warps show more than one, and more than two show little more.
const LARGEST_BLOCK: u32 = 64;
/// Bytes of a buffer for each thread.
const BUFFER_BYTES: u64 = 4096;
/// Bytes of a buffer, however many threads there are.
const LARGEST_BUFFER: u64 = 16 << 20;
/// Bytes of dynamic shared memory (`.extern .shared` arrays): the limit of each device for each kernel.
const DYNAMIC_SHARED: u32 = 49_152;
/// The same for a kernel that needs more: the opt-in limit of the largest device.
const MOST_DYNAMIC_SHARED: u32 = 232_448;
/// The size of a tile that may follow the largest constant offset from an address.
const TILE: u64 = 4096;

/// The inferred launch of `kernel`, whose body determines its arguments.
pub fn inferred(kernel: &Kernel, body: &Body) -> Launch {
    let (grid, block) = inferred_size(kernel);
    let launch = Launch {
        name: INFERRED.to_owned(),
        entry: Some(kernel.name.to_string()),
        grid: Some(grid),
        block: Some(block),
        ..Launch::default()
    };
    with_arguments(launch, kernel, body)
}

/// Adds inferred arguments to a launch that has only a number of threads.
pub fn with_arguments(launch: Launch, kernel: &Kernel, body: &Body) -> Launch {
    let KernelKind::Ptx(ptx) = &kernel.kind else { return launch };
    let (grid, block) = inferred_size(kernel);
    let threads = threads(launch.grid.unwrap_or(grid)).saturating_mul(threads(launch.block.unwrap_or(block)));
    let argument = |(index, param): (usize, &Parameter)| match param.scalar {
        Some(kind) => whole(param, kind, body.access(index), ptx, threads),
        None => structure(param, body.params.get(index).map_or(&[][..], Vec::as_slice), ptx, threads),
    };
    Launch {
        dynamic_shared: launch.dynamic_shared.or(body.dynamic_shared.map(dynamic_shared)),
        args: ptx.params.iter().enumerate().map(argument).collect(),
        ..launch
    }
}

/// Grid and block of the inferred launch, for which the body need not be read.
pub fn inferred_size(kernel: &Kernel) -> ([u32; 3], [u32; 3]) {
    match &kernel.kind {
        KernelKind::Ptx(ptx) => (ptx.required_cluster.unwrap_or([1; 3]), ptx.block()),
        KernelKind::Wave(wave) => ([1; 3], wave.workgroup.unwrap_or([wave::DEFAULT_WAVE_WIDTH, 1, 1])),
    }
}

impl PtxKernel {
    /// The block of a launch that does not specify one.
    pub(crate) fn block(&self) -> [u32; 3] {
        let most = self.largest_block.map_or(u64::MAX, threads);
        let shaped = self.shaped_block.filter(|block| threads(*block) <= most);
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

pub(crate) fn threads(extent: [u32; 3]) -> u64 {
    extent.into_iter().fold(1, |product: u64, size| product.saturating_mul(size.into()))
}

fn dynamic_shared(reach: u64) -> u32 {
    if reach + TILE > DYNAMIC_SHARED.into() { MOST_DYNAMIC_SHARED } else { DYNAMIC_SHARED }
}

fn whole(
    param: &Parameter,
    kind: ScalarKind,
    access: Option<Access>,
    ptx: &PtxKernel,
    threads: u64,
) -> Argument {
    let stored = Access { element: ScalarKind::B32, loaded: false };
    let access = access.or(param.is_pointer.then_some(stored)).filter(|_| ptx.takes_address(param));
    Argument { name: Some(param.name.to_string()), passed: passed(kind, access, threads), at: None }
}

/// A parameter of several numbers: those that the kernel loads, and zeros elsewhere.
fn structure(param: &Parameter, parts: &[Part], ptx: &PtxKernel, threads: u64) -> Argument {
    let inside = |part: &&Part| part.at + part.kind.bytes() as u64 <= param.bytes;
    let field = |part: &Part| {
        let address = |access: &Access| ptx.takes_address_in(part.kind).then_some(*access);
        let access = part.access.as_ref().and_then(address);
        let name = Some(format!("{}.{}", param.name, part.at));
        Field {
            at: part.at,
            argument: Argument { name, passed: passed(part.kind, access, threads), at: None },
        }
    };
    let fields: Vec<_> = parts.iter().filter(inside).map(field).collect();
    let passed = match fields.is_empty() {
        true => Passed::Bytes(vec![0; param.bytes as usize]),
        false => Passed::Fields(fields),
    };
    Argument { name: Some(param.name.to_string()), passed, at: None }
}

fn passed(kind: ScalarKind, access: Option<Access>, threads: u64) -> Passed {
    match access {
        Some(access) => Passed::Buffer(buffer(access, threads)),
        None if kind.class() == Class::Float => Passed::Scalar(kind, kind.bits_of_float(1.0)),
        None => {
            let (_, largest) = kind.integer_range();
            Passed::Scalar(kind, kind.bits_of_integer(largest.min(threads.into())).unwrap_or_default())
        }
    }
}

fn buffer(access: Access, threads: u64) -> Buffer {
    let Access { element, loaded } = access;
    let len = threads.saturating_mul(BUFFER_BYTES).min(LARGEST_BUFFER) / element.bytes() as u64;
    let fill = if loaded { Fill::Iota } else { Fill::Zero };
    Buffer { element, contents: Contents::Filled { len, fill } }
}

#[cfg(test)]
mod tests;
