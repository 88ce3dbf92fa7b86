//! Checks 16-bit floats, conversions and tiles bit for bit against independent implementations of the
//! formats.

use crate::alu;
use crate::lanes::Rows;
use crate::op::{Arithmetic, Binary, Ternary, Unary};

/// The finite non-negative values of binary16 in order, so that the index is the bit pattern.
fn halves() -> Vec<f64> {
    let value = |bits: u32| {
        let (exponent, fraction) = (bits >> 10, f64::from(bits & 0x3ff));
        match exponent {
            0 => fraction * 2f64.powi(-24),
            _ => (1024.0 + fraction) * 2f64.powi(exponent as i32 - 25),
        }
    };
    (0..0x7c00).map(value).collect()
}

fn half_of(halves: &[f64], bits: u32) -> f64 {
    let magnitude = match bits & 0x7fff {
        0x7c00 => f64::INFINITY,
        0x7c01.. => f64::NAN,
        finite => halves[finite as usize],
    };
    if bits & 0x8000 != 0 { -magnitude } else { magnitude }
}

/// The nearest half; the even one if two are equally near. A value nearer to 65536 than to the largest half
/// becomes infinite.
fn nearest_half(halves: &[f64], exact: f64) -> u32 {
    let sign = if exact.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = exact.abs();
    let above = halves.partition_point(|half| *half < magnitude) as u32;
    let value = |bits: u32| halves.get(bits as usize).copied().unwrap_or(65_536.0);
    if value(above) == magnitude || above == 0 {
        return sign | above;
    }
    let below = above - 1;
    let (down, up) = (magnitude - value(below), value(above) - magnitude);
    let up = if down == up { above.is_multiple_of(2) } else { up < down };
    sign | if up { above.min(0x7c00) } else { below }
}

/// Pseudorandom bits that cover every class of halves.
fn samples() -> impl Iterator<Item = u32> + Clone {
    let edges = [0, 1, 2, 0x3ff, 0x400, 0x401, 0x3bff, 0x3c00, 0x3c01, 0x7bfe, 0x7bff, 0x7c00, 0x7e00];
    let any = (0..200u32).map(|at| at.wrapping_mul(0x9e37_79b9) >> 16 & 0x7fff);
    edges.into_iter().chain(any).flat_map(|bits| [bits, bits | 0x8000])
}

/// Applies an operation to up to 64 operands.
fn each(operands: &[[u32; 3]], act: impl Fn(&mut Rows<64>)) -> Vec<u32> {
    let mut results = Vec::new();
    for part in operands.chunks(64) {
        let mut rows = Rows::<64>::new(4);
        for (lane, operands) in part.iter().enumerate() {
            (0..3).for_each(|row| rows.set(row as u32, lane, operands[row]));
        }
        act(&mut rows);
        results.extend(&rows.get(3)[..part.len()]);
    }
    results
}

fn is_nan_half(bits: u32) -> bool {
    bits & 0x7fff > 0x7c00
}

type Exact = fn(f64, f64) -> f64;

#[test]
fn half_arithmetic_rounds_the_exact_result_once() {
    let halves = halves();
    let pairs: Vec<_> = samples().flat_map(|a| samples().map(move |b| [a, b, 0])).collect();
    // Sums and products of two halves are exact in binary64.
    let kinds: [(Arithmetic, Exact); 3] = [
        (Arithmetic::Add, |a, b| a + b),
        (Arithmetic::Subtract, |a, b| a - b),
        (Arithmetic::Multiply, |a, b| a * b),
    ];
    for (arithmetic, exact) in kinds {
        let single = each(&pairs, |rows| alu::binary(rows, u64::MAX, Binary::Half(arithmetic), 3, [0, 1]));
        for ([a, b, _], found) in pairs.iter().zip(single) {
            let exact = exact(half_of(&halves, *a), half_of(&halves, *b));
            let right =
                if exact.is_nan() { is_nan_half(found) } else { found == nearest_half(&halves, exact) };
            assert!(right, "{arithmetic:?} {a:#x} {b:#x}: {found:#x}, not {exact}");
        }
    }
}

#[test]
fn packed_halves_are_two_of_them() {
    let operands: Vec<_> = samples()
        .zip(samples().skip(31))
        .zip(samples().skip(67))
        .map(|((a, b), c)| [a | b << 16, b | c << 16, c | a << 16])
        .collect();
    let split = |shift: u32| operands.iter().map(|all| all.map(|x| x >> shift & 0xffff)).collect::<Vec<_>>();
    let check = |packed: Vec<u32>, low: Vec<u32>, high: Vec<u32>| {
        let joined: Vec<_> = low.iter().zip(high).map(|(low, high)| low | high << 16).collect();
        assert_eq!(packed, joined);
    };
    for (one, two) in [
        (Binary::Half as fn(Arithmetic) -> Binary, Binary::Half2 as fn(Arithmetic) -> Binary),
        (Binary::Brain, Binary::Brain2),
    ] {
        for arithmetic in [Arithmetic::Add, Arithmetic::Multiply] {
            let act = |op: Binary| move |rows: &mut Rows<64>| alu::binary(rows, u64::MAX, op, 3, [0, 1]);
            let single = |shift| each(&split(shift), act(one(arithmetic)));
            check(each(&operands, act(two(arithmetic))), single(0), single(16));
        }
    }
    for (one, two) in [
        (Ternary::HalfMultiplyAdd, Ternary::Half2MultiplyAdd),
        (Ternary::BrainMultiplyAdd, Ternary::Brain2MultiplyAdd),
    ] {
        let act = |op: Ternary| move |rows: &mut Rows<64>| alu::ternary(rows, u64::MAX, op, 3, [0, 1, 2]);
        let single = |shift| each(&split(shift), act(one));
        check(each(&operands, act(two)), single(0), single(16));
    }
}

#[test]
fn a_fused_half_is_rounded_from_the_single_that_it_is_computed_in() {
    let halves = halves();
    let operands: Vec<_> = samples()
        .flat_map(|a| samples().step_by(7).map(move |b| [a, b, b.rotate_left(5) & 0xffff ^ a >> 3]))
        .collect();
    let found = each(&operands, |rows| alu::ternary(rows, u64::MAX, Ternary::HalfMultiplyAdd, 3, [0, 1, 2]));
    for (operands, found) in operands.iter().zip(found) {
        let [a, b, c] = operands.map(|bits| half_of(&halves, bits));
        // The product is exact in binary64, and the host fuses the addition in binary32.
        let single = (a as f32).mul_add(b as f32, c as f32);
        let right = match single.is_nan() {
            true => is_nan_half(found),
            false => found == nearest_half(&halves, single.into()),
        };
        assert!(right, "{operands:x?}: {found:#x}, not {single}");
    }
}

#[test]
fn bfloat16_is_cut_off() {
    let operands: Vec<_> = (0..4096u32)
        .map(|at| at.wrapping_mul(0x9e37_79b9))
        .map(|bits| [bits >> 16, bits & 0xffff, (bits ^ bits << 7) >> 16])
        .collect();
    let single = |bits: u32| f32::from_bits(bits << 16);
    let check = |found: Vec<u32>, meaning: &dyn Fn([f32; 3]) -> f32| {
        for (operands, found) in operands.iter().zip(found) {
            let exact = meaning(operands.map(single));
            let right = if exact.is_nan() { single(found).is_nan() } else { found == exact.to_bits() >> 16 };
            assert!(right, "{operands:x?}: {found:#x}, not {exact}");
        }
    };
    let binary = |arithmetic| {
        each(&operands, |rows| alu::binary(rows, u64::MAX, Binary::Brain(arithmetic), 3, [0, 1]))
    };
    check(binary(Arithmetic::Add), &|[a, b, _]| a + b);
    check(binary(Arithmetic::Subtract), &|[a, b, _]| a - b);
    check(binary(Arithmetic::Multiply), &|[a, b, _]| a * b);
    let fused = each(&operands, |rows| alu::ternary(rows, u64::MAX, Ternary::BrainMultiplyAdd, 3, [0, 1, 2]));
    check(fused, &|[a, b, c]| a.mul_add(b, c));
}

#[test]
fn conversions_between_singles_and_halves() {
    let halves = halves();
    let unary = |op, values: &[u32]| {
        let operands: Vec<_> = values.iter().map(|bits| [*bits, 0, 0]).collect();
        each(&operands, |rows| alu::unary(rows, u64::MAX, op, 3, 0))
    };
    let all: Vec<u32> = (0..0x1_0000).collect();
    for (bits, found) in all.iter().zip(unary(Unary::F32FromF16, &all)) {
        let (exact, found) = (half_of(&halves, *bits), f32::from_bits(found));
        assert!(
            exact.is_nan() && found.is_nan() || f64::from(found).to_bits() == exact.to_bits(),
            "{bits:#x}"
        );
    }
    // Every half, the midpoint between it and the next one, and the neighbors of the midpoint.
    let middles = halves.windows(2).map(|pair| ((pair[0] + pair[1]) / 2.0) as f32);
    let singles: Vec<u32> = middles
        .flat_map(|middle| [middle.to_bits() - 1, middle.to_bits(), middle.to_bits() + 1])
        .chain([65_519.99f32, 65_520.0, 1e30, f32::INFINITY, 1e-30, -0.0, -65_520.0].map(f32::to_bits))
        .collect();
    for (bits, found) in singles.iter().zip(unary(Unary::F16FromF32, &singles)) {
        assert_eq!(found, nearest_half(&halves, f32::from_bits(*bits).into()), "{bits:#x}");
    }
}

#[test]
fn conversions_between_singles_and_integers() {
    let unary = |op, value: u32| each(&[[value, 0, 0]], |rows| alu::unary(rows, u64::MAX, op, 3, 0))[0];
    for (value, signed, unsigned) in [
        (2.9f32, 2, 2),
        (-2.9, -2, 0),
        (-0.5, 0, 0),
        (2_147_483_520.0, 2_147_483_520, 2_147_483_520),
        (2_147_483_648.0, i32::MAX, 1 << 31),
        (-2_147_483_648.0, i32::MIN, 0),
        (4_294_967_040.0, i32::MAX, 4_294_967_040),
        (1e20, i32::MAX, u32::MAX),
        (-1e20, i32::MIN, 0),
        (f32::INFINITY, i32::MAX, u32::MAX),
        (f32::NAN, 0, 0),
    ] {
        assert_eq!(unary(Unary::I32FromF32, value.to_bits()) as i32, signed, "{value}");
        assert_eq!(unary(Unary::U32FromF32, value.to_bits()), unsigned, "{value}");
    }
    // To nearest, ties to even.
    for (value, float) in [
        (0, 0f32),
        (16_777_217, 16_777_216.0),
        (16_777_219, 16_777_220.0),
        (33_554_434, 33_554_432.0),
        (33_554_438, 33_554_440.0),
        (2_147_483_647, 2_147_483_648.0),
    ] {
        assert_eq!(f32::from_bits(unary(Unary::F32FromI32, value)), float);
        assert_eq!(f32::from_bits(unary(Unary::F32FromU32, value)), float);
        assert_eq!(f32::from_bits(unary(Unary::F32FromI32, value.wrapping_neg())), 0.0 - float);
    }
    assert_eq!(f32::from_bits(unary(Unary::F32FromU32, u32::MAX)), 4_294_967_296.0);
}

#[test]
fn a_tile_is_summed_in_order_with_two_roundings() {
    let number = |at: u32| (at.wrapping_mul(2_654_435_761) >> 8) as f32 / 3_000_000.0 - 2.0;
    let mut text = String::from(".registers 8\n");
    for at in 0..32u32 {
        text += &format!("local_store.u32 {:#x}, {}\n", number(at).to_bits(), 4 * at);
    }
    text += "mma_load_a r0, 0, 16\nmma_load_b r1, 64, 16\nmma_compute r0, r1, r2\nmma_compute r0, r1, r2\nmma_store_c 128, 16, r2\n";
    for (row, column) in [(0, 0), (1, 2), (3, 3), (2, 1)] {
        let load = format!("{text}local_load.u32 r1, {}", 128 + 16 * row + 4 * column);
        let mut sum = 0f32;
        for _ in 0..2 {
            for k in 0..4 {
                let product = number(4 * row + k) * number(16 + 4 * k + column);
                sum += product;
            }
        }
        assert_eq!(super::value(&load), sum.to_bits(), "{row} {column}");
    }
}
