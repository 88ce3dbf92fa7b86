//! Adds D to a sum of products, with a single rounding.

use crate::semantics::matrix::{Factor, Sum};
use warplens_sim_warp::soft_float::{F16, F64, Rounding};

/// The bits of the new element: the sum of products plus the old element divided by 2 to the power of `shift`.
pub fn accumulate(kind: Sum, saturate: bool, sum: f64, old: Option<u32>, shift: u32) -> u32 {
    let scale = f64::from_bits(u64::from(1023 - shift.min(1022)) << 52);
    match kind {
        Sum::S32 => {
            let sum = sum as i64 + old.map_or(0, |old| i64::from(old as i32));
            match saturate {
                true => sum.clamp(i32::MIN.into(), i32::MAX.into()) as u32,
                false => sum as u32,
            }
        }
        Sum::F16 => {
            let sum = sum + old.map_or(0.0, |old| scale * Factor::F16.value((old & 0xffff).into()));
            match sum.is_nan() {
                true => 0x7fff,
                false => F16.pack(F64.unpack(sum.to_bits()), Rounding::Nearest) as u32,
            }
        }
        _ => {
            let sum = sum + old.map_or(0.0, |old| scale * f64::from(f32::from_bits(old)));
            if sum.is_nan() { 0x7fff_ffff } else { (sum as f32).to_bits() }
        }
    }
}
