//! The launch of a kernel for which nobody wrote one.

use super::INFERRED;
use super::kernel::{Guess, Kernel, KernelKind, Parameter, PtxKernel};
use super::model::{Argument, Buffer, Contents, Fill, Launch, Passed};
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

/// The inferred launch of `kernel`.
pub fn inferred(kernel: &Kernel) -> Launch {
    let launch =
        Launch { name: INFERRED.to_owned(), entry: Some(kernel.name.to_string()), ..Launch::default() };
    match &kernel.kind {
        KernelKind::Ptx(ptx) => {
            let grid = ptx.required_cluster.unwrap_or([1; 3]);
            let block = ptx.block();
            let threads = threads(grid) * threads(block);
            Launch {
                grid: Some(grid),
                block: Some(block),
                dynamic_shared: ptx.dynamic_shared.then_some(DYNAMIC_SHARED),
                args: ptx.params.iter().map(|param| argument(param, threads)).collect(),
                ..launch
            }
        }
        KernelKind::Wave(wave) => {
            let block = wave.workgroup.unwrap_or([wave::LaunchConfig::DEFAULT_WAVE_WIDTH, 1, 1]);
            Launch { grid: Some([1; 3]), block: Some(block), ..launch }
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

fn argument(param: &Parameter, threads: u64) -> Argument {
    let passed = match (param.guess, param.scalar) {
        (Guess::Buffer { element, loaded }, _) => Passed::Buffer(buffer(element, loaded, threads)),
        (Guess::Threads, Some(kind)) => {
            let (_, largest) = kind.integer_range();
            Passed::Scalar(kind, kind.bits_of_integer(largest.min(threads.into())).unwrap_or_default())
        }
        (Guess::One, Some(kind)) if kind.class() == Class::Float => {
            Passed::Scalar(kind, kind.bits_of_float(1.0))
        }
        _ => Passed::Bytes(vec![0; param.bytes as usize]),
    };
    Argument { name: Some(param.name.to_string()), passed, at: None }
}

fn buffer(element: ScalarKind, loaded: bool, threads: u64) -> Buffer {
    let len = threads.saturating_mul(BUFFER_BYTES) / element.bytes() as u64;
    let fill = if loaded { Fill::Iota } else { Fill::Zero };
    Buffer { element, contents: Contents::Filled { len, fill } }
}

#[cfg(test)]
mod tests;
