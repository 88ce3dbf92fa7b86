//! What an entry requires of its launches, and what its body reveals about the arguments and the block.

mod pointers;
mod shape;

use warplens_hir::ptx::Signature;
use warplens_sim_launch::{CudaKernel, Parameter};
use warplens_sim_warp::scalar_type::ScalarType;

pub use pointers::body;
pub use shape::Shape;

/// The kernel of an entry with this signature. The size of addresses depends on the module.
pub fn kernel(signature: &Signature, address_bytes: Option<u64>) -> CudaKernel {
    let dimensions = |directive| {
        let sizes = signature.dimensions(directive)?;
        Some(sizes.map(|size| u32::try_from(size).unwrap_or(u32::MAX)))
    };
    CudaKernel {
        params: signature.params.iter().map(parameter).collect(),
        required_block: dimensions("reqntid"),
        largest_block: dimensions("maxntid"),
        required_cluster: dimensions("reqnctapercluster"),
        shaped_block: None,
        uses_clusters: false,
        address_bytes,
    }
}

fn parameter(param: &warplens_hir::ptx::Parameter) -> Parameter {
    let is_scalar = param.dimensions.is_empty() && param.vector.is_none();
    Parameter {
        name: param.name.clone().unwrap_or_default(),
        bytes: param.bytes(),
        align: param.alignment(),
        scalar: param.ty.filter(|_| is_scalar).and_then(|ty| ScalarType::of_launches(ty.name())),
        is_pointer: param.pointer.is_some(),
    }
}
