//! The requirements of a CUDA kernel on its launches, in PTX or SASS: the block must fit the kernel, the arguments its parameters.

mod infer;
mod resolve;

use smol_str::SmolStr;
use warplens_sim_warp::scalar_type::{Class, ScalarType};

/// The limit of the parameters of an entry together, in bytes: the largest of any target.
const MAX_PARAMETERS: u64 = 32_764;

/// The requirements of a CUDA kernel on its launches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CudaKernel {
    /// In order.
    pub params: Vec<Parameter>,
    /// `.reqntid`
    pub required_block: Option<[u32; 3]>,
    /// `.maxntid`
    pub largest_block: Option<[u32; 3]>,
    /// The block that its body is written for, if that can be inferred.
    pub shaped_block: Option<[u32; 3]>,
    /// `.reqnctapercluster`
    pub required_cluster: Option<[u32; 3]>,
    /// Bytes of an address, if the module specifies it; otherwise 4 and 8 are accepted.
    pub address_bytes: Option<u64>,
}

/// One parameter of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: SmolStr,
    /// Its size.
    pub bytes: u64,
    /// Where it may start in the parameter block.
    pub align: u64,
    /// Its type, if it is a scalar.
    pub scalar: Option<ScalarType>,
    /// `.ptr`
    pub is_pointer: bool,
}

impl CudaKernel {
    /// The bytes of all parameters, each at a multiple of its alignment.
    pub fn parameter_bytes(&self) -> u64 {
        self.params.iter().fold(0u64, |end, param| {
            let start = end.checked_next_multiple_of(param.align.max(1)).unwrap_or(u64::MAX);
            start.saturating_add(param.bytes)
        })
    }

    /// Whether an address can be passed to `param`.
    pub(crate) fn takes_address(&self, param: &Parameter) -> bool {
        param.scalar.is_some_and(|kind| self.takes_address_in(kind))
    }

    /// Whether an address can be passed as a number of a kind.
    pub(crate) fn takes_address_in(&self, kind: ScalarType) -> bool {
        let bytes = kind.bytes() as u64;
        let fits = self.address_bytes.map_or(matches!(bytes, 4 | 8), |address| bytes == address);
        fits && kind.class() != Class::Float
    }
}
