//! Converts masks to vectors of lanes and back. Both have 32 lanes.

#![expect(
    clippy::needless_range_loop,
    reason = "a plain loop over lanes becomes vectors wherever it is inlined"
)]

use std::hint::black_box;

use pulp::Simd;

/// For each value of a byte of a mask, its eight lanes: all ones where the bit is set.
static LANE_MASK_TABLE: [[i32; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut at = 0;
    while at < 256 * 8 {
        if (at / 8) >> (at % 8) & 1 == 1 {
            table[at / 8][at % 8] = -1;
        }
        at += 1;
    }
    table
};

/// The mask of the lanes that are all ones; all other lanes must be 0.
#[inline(always)]
#[cfg_attr(
    not(target_arch = "x86_64"),
    expect(unused_variables, reason = "only x86 has instructions for it")
)]
pub fn mask_of<S: Simd>(simd: S, holds: &[u32; 32]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    {
        let simd: &dyn std::any::Any = &simd;
        if let Some(simd) = simd.downcast_ref::<pulp::x86::V4>() {
            let signs = |&half: &[u32; 16]| u32::from(simd.avx512dq._mm512_movepi32_mask(pulp::cast(half)));
            return holds.as_chunks().0.iter().rev().map(signs).fold(0, |mask, half| mask << 16 | half);
        }
        if let Some(simd) = simd.downcast_ref::<pulp::x86::V3>() {
            let signs = |&eight: &[u32; 8]| simd.avx._mm256_movemask_ps(pulp::cast(eight)) as u32;
            return holds.as_chunks().0.iter().rev().map(signs).fold(0, |mask, eight| mask << 8 | eight);
        }
    }
    // Hides how the lanes were made: if the compiler sees both loops, it does not vectorize this one.
    let holds = black_box(holds);
    let mut mask = 0;
    for lane in 0..32 {
        mask |= holds[lane] & 1 << lane;
    }
    mask
}

/// All ones in the lanes of a mask. A table, because the compiler turns a computed mask into masked stores, which are
/// slow on some CPUs.
#[inline(always)]
pub fn expand_mask(mask: u32) -> [i32; 32] {
    let mut lanes = [0; 32];
    let (eights, _) = lanes.as_chunks_mut::<8>();
    for (eight, byte) in eights.iter_mut().zip(mask.to_le_bytes()) {
        *eight = LANE_MASK_TABLE[usize::from(byte)];
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_of_a_mask_and_back() {
        for mask in [0, 1, 0x8000_0005, 0x00ff_0f30, u32::MAX] {
            let lanes = expand_mask(mask);
            assert_eq!(
                std::array::from_fn::<bool, 32, _>(|lane| lanes[lane] == -1),
                std::array::from_fn(|lane| mask >> lane & 1 == 1)
            );
            let holds = lanes.map(|lane| lane as u32);
            assert_eq!(mask_of(pulp::Scalar::new(), &holds), mask);
            #[cfg(target_arch = "x86_64")]
            {
                let of_v3 = pulp::x86::V3::try_new().map(|simd| simd.vectorize(|| mask_of(simd, &holds)));
                let of_v4 = pulp::x86::V4::try_new().map(|simd| simd.vectorize(|| mask_of(simd, &holds)));
                assert_eq!([of_v3, of_v4].map(|of| of.unwrap_or(mask)), [mask; 2]);
            }
        }
    }
}
