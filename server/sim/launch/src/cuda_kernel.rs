//! What a CUDA kernel (PTX or SASS) requires of its launches: the block must fit the kernel, the arguments its
//! parameters.

pub(crate) mod infer;
mod resolve;

use smol_str::SmolStr;
use warplens_sim_warp::scalar_type::{Class, ScalarType};

/// Limit of all parameters of an entry together, in bytes: the largest of any target.
const MAX_PARAMETERS: u64 = 32_764;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CudaKernel {
    pub params: Vec<Parameter>,
    /// `.reqntid`
    pub required_block: Option<[u32; 3]>,
    /// `.maxntid`
    pub largest_block: Option<[u32; 3]>,
    /// The block that the body is written for, if it can be inferred.
    pub shaped_block: Option<[u32; 3]>,
    /// `.reqnctapercluster`
    pub required_cluster: Option<[u32; 3]>,
    /// Whether instructions concern other blocks of a cluster (`mapa`, `.multicast::cluster`, `.cta_group::2`).
    pub uses_clusters: bool,
    /// The size of an address in bytes, if the module specifies it; otherwise both 4 and 8 are accepted.
    pub address_bytes: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    pub name: SmolStr,
    /// Size in bytes.
    pub bytes: u64,
    /// Alignment in the parameter block, in bytes.
    pub align: u64,
    /// The type, if the parameter is a scalar.
    pub scalar: Option<ScalarType>,
    /// `.ptr`
    pub is_pointer: bool,
}

impl CudaKernel {
    /// The size of the parameter block in bytes; each parameter starts at a multiple of its alignment.
    pub fn parameter_bytes(&self) -> u64 {
        self.params.iter().fold(0u64, |end, param| {
            let start = end.checked_next_multiple_of(param.align.max(1)).unwrap_or(u64::MAX);
            start.saturating_add(param.bytes)
        })
    }

    /// Whether `param` can hold an address.
    pub(crate) fn takes_address(&self, param: &Parameter) -> bool {
        param.scalar.is_some_and(|kind| self.takes_address_in(kind))
    }

    /// Whether a number of this type can hold an address.
    pub(crate) fn takes_address_in(&self, kind: ScalarType) -> bool {
        let bytes = kind.bytes() as u64;
        let fits = self.address_bytes.map_or(matches!(bytes, 4 | 8), |address| bytes == address);
        fits && kind.class() != Class::Float
    }
}
