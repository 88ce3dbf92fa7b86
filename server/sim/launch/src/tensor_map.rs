//! Tensor maps as arguments. Their keys are named after the parameters of `cuTensorMapEncodeTiled` and
//! `cuTensorMapEncodeIm2col`.

use warplens_sim_cuda::tensor::map::{ElementType, TensorMap};
use warplens_sim_warp::scalar_type::ScalarType;

use super::model::{Argument, TensorMapArgument};
use super::problem::Problem;

impl TensorMapArgument {
    /// The element type of the map for a buffer with elements of type `buffer`.
    fn element_type(&self, buffer: ScalarType) -> Option<ElementType> {
        let same_width = match buffer {
            ScalarType::S8 | ScalarType::B8 => "u8",
            ScalarType::S16 | ScalarType::B16 => "u16",
            ScalarType::B32 => "u32",
            ScalarType::B64 => "u64",
            other => other.name(),
        };
        self.element.or_else(|| ElementType::from_name(same_width))
    }

    /// An error at a key, or at the dimensions if the key is missing.
    pub(super) fn wrong(&self, argument: &Argument, key: &str, rule: &str) -> Problem {
        Problem {
            at: self.spans.get(key).or(self.spans.get("dims")).cloned().or(argument.at.clone()),
            ..Problem::anywhere(format!("argument `{}`: tensormap `{key}`: {rule}", argument.name()))
        }
    }

    /// Checks that all lists have a number for each dimension. An error is a key and its rule.
    fn check_counts(&self) -> Result<(), (&'static str, String)> {
        let rank = self.dims.len();
        let counted = [
            ("strides", self.strides.as_ref().map(|list| list.len() + 1)),
            ("box", self.im2col.is_none().then_some(self.extents.len())),
            ("element_strides", (!self.element_strides.is_empty()).then_some(self.element_strides.len())),
        ];
        if let Some((key, _)) =
            counted.into_iter().find(|(_, count)| count.is_some_and(|count| count != rank))
        {
            let (wanted, less) = match key {
                "strides" => (rank.saturating_sub(1), ", one less than the dimensions"),
                _ => (rank, ""),
            };
            return Err((key, format!("`dims` has {rank} dimensions: write {wanted} numbers{less}")));
        }
        match rank {
            1..=5 => Ok(()),
            _ => Err(("dims", format!("the rank must be 1 to 5, not {rank}"))),
        }
    }

    /// The map of a buffer with these elements at an address; an error names the key.
    pub(super) fn map(
        &self,
        argument: &Argument,
        buffer: ScalarType,
        address: u64,
    ) -> Result<TensorMap, Problem> {
        let wrong = |key: &str, rule: &str| self.wrong(argument, key, rule);
        let Some(element) = self.element_type(buffer) else {
            return Err(wrong(
                "type",
                &format!("{buffer} is not an element type of tensor maps: set `type`"),
            ));
        };
        self.check_counts().map_err(|(key, rule)| wrong(key, &rule))?;
        let rank = self.dims.len();
        let dense = || {
            let row = self.dims[0].div_ceil(element.unit()).saturating_mul(element.global_bytes() as u64);
            let product = |stride: &mut u64, dim: &u64| {
                let this = *stride;
                *stride = stride.saturating_mul(*dim);
                Some(this)
            };
            self.dims[1..].iter().scan(row, product).collect::<Vec<u64>>()
        };
        let strides = self.strides.clone().unwrap_or_else(dense);
        let mut map = TensorMap {
            address: address.wrapping_add(self.offset),
            element,
            rank: rank as u8,
            element_strides: [1; 5],
            interleave: self.interleave,
            swizzle: Some(self.swizzle),
            nan: self.nan,
            im2col: self.im2col,
            ..TensorMap::default()
        };
        map.dims[..rank].copy_from_slice(&self.dims);
        map.strides[..rank - 1].copy_from_slice(&strides);
        map.extents[..self.extents.len()].copy_from_slice(&self.extents);
        map.element_strides[..self.element_strides.len()].copy_from_slice(&self.element_strides);
        match map.violation() {
            None => Ok(map),
            Some((key, rule)) => Err(wrong(key, &rule)),
        }
    }
}
