//! The launch of a kernel for which nobody wrote one.

use super::INFERRED;
use super::kernel::{Kernel, KernelKind, Parameter, PtxKernel};
use super::model::{Argument, Buffer, Contents, Fill, Launch, Passed};
use super::pointers::{Access, Body};
use super::scalar::{Class, ScalarKind};
use crate::wave;

/// Threads of a block where the kernel says nothing.
const BLOCK: u32 = 32;
/// Threads that are taken of a larger `.maxntid`: two warps show more than one, and more than two show little more.
const LARGEST_BLOCK: u32 = 64;
/// Bytes of a buffer for each thread.
const BUFFER_BYTES: u64 = 4096;
/// Bytes behind `.extern .shared` arrays: as much as every device has.
const DYNAMIC_SHARED: u32 = 49_152;

/// The inferred launch of `kernel`, whose body tells what its parameters are.
pub fn inferred(kernel: &Kernel, body: &Body) -> Launch {
    let (grid, block) = inferred_size(kernel);
    let launch = Launch {
        name: INFERRED.to_owned(),
        entry: Some(kernel.name.to_string()),
        grid: Some(grid),
        block: Some(block),
        ..Launch::default()
    };
    let KernelKind::Ptx(ptx) = &kernel.kind else { return launch };
    let threads = threads(grid) * threads(block);
    let argument =
        |(index, param)| argument(param, body.accesses.get(index).copied().flatten(), ptx, threads);
    Launch {
        dynamic_shared: body.dynamic_shared.then_some(DYNAMIC_SHARED),
        args: ptx.params.iter().enumerate().map(argument).collect(),
        ..launch
    }
}

/// Grid and block of the inferred launch, for which the body need not be read.
pub fn inferred_size(kernel: &Kernel) -> ([u32; 3], [u32; 3]) {
    match &kernel.kind {
        KernelKind::Ptx(ptx) => (ptx.required_cluster.unwrap_or([1; 3]), ptx.block()),
        KernelKind::Wave(wave) => {
            ([1; 3], wave.workgroup.unwrap_or([wave::LaunchConfig::DEFAULT_WAVE_WIDTH, 1, 1]))
        }
    }
}

impl PtxKernel {
    /// The block of a launch that does not say one.
    pub(crate) fn block(&self) -> [u32; 3] {
        match (self.required_block, self.largest_block) {
            (Some(required), _) => required,
            (None, Some(largest)) => {
                let mut room = LARGEST_BLOCK;
                largest.map(|extent| {
                    let kept = extent.clamp(1, room);
                    room /= kept;
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

fn argument(param: &Parameter, access: Option<Access>, ptx: &PtxKernel, threads: u64) -> Argument {
    let stored = Access { element: ScalarKind::B32, loaded: false };
    let access = access.or(param.is_pointer.then_some(stored));
    let passed = match (param.scalar, access) {
        (Some(_), Some(access)) if ptx.takes_address(param) => Passed::Buffer(buffer(access, threads)),
        (Some(kind), _) if kind.class() == Class::Float => Passed::Scalar(kind, kind.bits_of_float(1.0)),
        (Some(kind), _) => {
            let (_, largest) = kind.integer_range();
            Passed::Scalar(kind, kind.bits_of_integer(largest.min(threads.into())).unwrap_or_default())
        }
        (None, _) => Passed::Bytes(vec![0; param.bytes as usize]),
    };
    Argument { name: Some(param.name.to_string()), passed, at: None }
}

fn buffer(access: Access, threads: u64) -> Buffer {
    let Access { element, loaded } = access;
    let len = threads.saturating_mul(BUFFER_BYTES) / element.bytes() as u64;
    let fill = if loaded { Fill::Iota } else { Fill::Zero };
    Buffer { element, contents: Contents::Filled { len, fill } }
}

#[cfg(test)]
mod tests;
