//! Where objects with an address are stored, and the bits of constants.

use warplens_hir::ptx::{Constant, Dimension, Parameter, Signature, Type, TypeKind, Variable};
use warplens_sim_cuda::windows;
use warplens_sim_warp::objects::{ArrayShape, Object};

use crate::program::Space;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// An address in global memory, or an offset in the memory of any other space.
    At(Space, u64),
    DynamicShared,
    /// An offset in the frame's local memory.
    Frame(u64),
}

impl Storage {
    /// The address in the storage's own space; `None` if each frame has its own.
    pub(super) fn address(self, dynamic_shared: u32) -> Option<u64> {
        match self {
            Storage::At(_, at) => Some(at),
            Storage::DynamicShared => Some(dynamic_shared.into()),
            Storage::Frame(_) => None,
        }
    }

    pub(super) fn space(self) -> Space {
        match self {
            Storage::At(space, _) => space,
            Storage::DynamicShared => Space::Shared,
            Storage::Frame(_) => Space::Local,
        }
    }
}

/// The number to add to an address of a space to make it generic.
pub(super) fn window(space: Space) -> u64 {
    match space {
        Space::Shared => windows::SHARED,
        Space::Local => windows::LOCAL,
        Space::Const => windows::CONST,
        Space::Param => windows::PARAM,
        Space::Global | Space::Generic => 0,
    }
}

/// The parameters of an entry as objects of the parameter block, in which each starts at the next multiple of its
/// alignment, and the size of the block.
pub(super) fn entry_params(signature: &Signature) -> (Vec<Object>, u32) {
    let mut end = 0;
    let object = |param: &Parameter| {
        let start = place(&mut end, param);
        let name = param.name.clone().unwrap_or_default();
        Object { name, start, len: param.bytes(), shape: param_shape(param) }
    };
    let params = signature.params.iter().map(object).collect();
    (params, end.min(u64::from(u32::MAX)) as u32)
}

/// The elements of a variable. Compilers declare arrays of any type as bytes.
pub(super) fn variable_shape(variable: &Variable) -> ArrayShape {
    shape(variable.ty, variable.element_bytes(), &variable.dimensions)
}

pub(super) fn param_shape(param: &Parameter) -> ArrayShape {
    shape(param.ty, param.element_bytes(), &param.dimensions)
}

fn shape(ty: Option<Type>, element: u64, dimensions: &[Dimension]) -> ArrayShape {
    let is_bytes = ty.is_none_or(|ty| ty.kind() == TypeKind::Bits) && element <= 1;
    let dimensions = dimensions.iter().map(|dimension| dimension.0.unwrap_or(0)).collect();
    ArrayShape { element: if is_bytes { 0 } else { element }, dimensions }
}

pub(super) fn formals(signature: &Signature, returns: bool) -> &[Parameter] {
    if returns { &signature.returns } else { &signature.params }
}

/// The offset of a parameter after `end`; moves `end` past the parameter.
pub(super) fn place(end: &mut u64, param: &Parameter) -> u64 {
    let offset = end.checked_next_multiple_of(param.alignment().max(1)).unwrap_or(*end);
    *end = offset.saturating_add(param.bytes());
    offset
}

pub(super) fn constant_bits(constant: Constant, ty: Type) -> u64 {
    let bits = match (constant, ty.bits()) {
        (Constant::Single(bits), 64) if ty.kind() == TypeKind::Float => {
            f64::from(f32::from_bits(bits)).to_bits()
        }
        (Constant::Single(bits), _) => bits.into(),
        (Constant::Double(bits), 64) => bits,
        (Constant::Double(bits), _) => (f64::from_bits(bits) as f32).to_bits().into(),
        (constant, _) => constant.as_integer().unwrap_or(0),
    };
    match ty.bits() {
        64.. => bits,
        // Any predicate other than zero is true.
        1 => u64::from(bits != 0),
        width => bits & ((1 << width) - 1),
    }
}
