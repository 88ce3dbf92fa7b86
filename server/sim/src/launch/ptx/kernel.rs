//! The requirements of a PTX entry on its launches. Nothing here needs its body.

use smol_str::SmolStr;
use warplens_hir::ptx::Signature;

use super::shape::Shape;
use crate::scalar_type::{Class, ScalarType};

/// The limit of the parameters of an entry together, in bytes: the largest of any target.
pub(super) const MAX_PARAMETERS: u64 = 32_764;

/// The requirements of a PTX entry on its launches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PtxKernel {
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

/// One parameter of a PTX entry.
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

impl PtxKernel {
    /// An entry with this signature; the size of addresses is its module's.
    pub fn new(signature: &Signature, address_bytes: Option<u64>) -> PtxKernel {
        let dimensions = |directive| {
            let sizes = signature.dimensions(directive)?;
            Some(sizes.map(|size| u32::try_from(size).unwrap_or(u32::MAX)))
        };
        PtxKernel {
            params: signature.params.iter().map(Parameter::new).collect(),
            required_block: dimensions("reqntid"),
            largest_block: dimensions("maxntid"),
            required_cluster: dimensions("reqnctapercluster"),
            shaped_block: None,
            address_bytes,
        }
    }

    /// Adds the block that is inferred from the body; `bytes` gives the size of a shared array of the module.
    pub fn with_shape(self, shape: &Shape, bytes: &dyn Fn(&str) -> Option<u64>) -> PtxKernel {
        PtxKernel { shaped_block: shape.block(bytes), ..self }
    }

    /// The bytes of all parameters, each at a multiple of its alignment.
    pub(in crate::launch) fn parameter_bytes(&self) -> u64 {
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

impl Parameter {
    fn new(param: &warplens_hir::ptx::Parameter) -> Parameter {
        let is_scalar = param.dimensions.is_empty() && param.vector.is_none();
        Parameter {
            name: param.name.clone().unwrap_or_default(),
            bytes: param.bytes(),
            align: param.alignment(),
            scalar: param.ty.filter(|_| is_scalar).and_then(|ty| ScalarType::of_launches(ty.name())),
            is_pointer: param.pointer.is_some(),
        }
    }
}
