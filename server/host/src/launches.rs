//! Launches of kernels that a host file writes: `kernel<<<grid, block>>>(…)`, `cudaLaunchKernel(…)`, `kernel[grid](…)`.
//!
//! **Invariant:** only what the file says is used. A launch whose size depends on anything else, such as an argument of the program, is
//! not listed.

pub(crate) mod value;

use std::ops::Range;

/// A launch in a host file. Its size is known, its arguments as far as the file says them.
#[derive(Debug, Clone, PartialEq)]
pub struct HostLaunch {
    /// The kernel, as it is named there, without template arguments: `reduce`, `detail::reduce`.
    pub kernel: String,
    /// The template arguments. `None` stands for one that is not known; deduced ones at the end are absent.
    pub template: Vec<Option<String>>,
    /// The launch, in bytes of the host file.
    pub range: Range<usize>,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory, if the launch says how many.
    pub shared: Option<u32>,
    pub is_cooperative: bool,
    /// The arguments in parameter order, with the values that are known; `None` if the file does not list them.
    pub arguments: Option<Vec<Option<Number>>>,
    /// How many parameters the compiler may add after the arguments.
    pub added: usize,
}

/// The value of an argument.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Number {
    Integer(i128),
    Float(f64),
}

/// The largest number of threads of a block.
const MAX_THREADS: u64 = 1024;

/// The extents of a grid or a block, if a GPU has them.
pub(crate) fn extents(values: [i128; 3]) -> Option<[u32; 3]> {
    let [x, y, z] = values.map(|value| u32::try_from(value).ok().filter(|value| *value > 0));
    Some([x?, y?, z?])
}

pub(crate) fn is_block(block: [u32; 3]) -> bool {
    block
        .iter()
        .map(|extent| u64::from(*extent))
        .try_fold(1u64, u64::checked_mul)
        .is_some_and(|all| all <= MAX_THREADS)
}
