//! Products of small matrices whose elements are distributed over the registers of a warp as
//! [`fragments`](super::fragments) describes.
//!
//! Products are exact. Sums of singles and halves round to single precision at each step along `k`, because the order
//! and the roundings of the hardware are unspecified. Sums of doubles round once per step, as the instruction
//! specifies.

use warplens_sim_warp::soft_float::{self, F16, F32, F64, Number, Rounding};

use super::float::sum_32;
use super::fragments::{Layout, Matrix};
use super::narrow::{E2M1, E2M3, E3M2, E4M3, E5M2, Element, Narrow, UE4M3};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Factor {
    F16,
    Bf16,
    Tf32,
    /// A narrow float, with the number of bits that it occupies in a register and the number of unused bits below it.
    Narrow(Narrow, u32, u32),
    F64,
    S8,
    U8,
    S4,
    U4,
    /// Single bits, multiplied with `xor`
    BitsXor,
    /// Single bits, multiplied with `and`
    BitsAnd,
}

impl Factor {
    /// `e4m3`, `e5m2`, `e3m2` and `e2m3` in a byte each; `e2m1` in the middle of a byte.
    pub fn in_byte(name: &str) -> Option<Factor> {
        Some(match name {
            "e4m3" => Factor::Narrow(E4M3, 8, 0),
            "e5m2" => Factor::Narrow(E5M2, 8, 0),
            "e3m2" => Factor::Narrow(E3M2, 8, 0),
            "e2m3" => Factor::Narrow(E2M3, 8, 0),
            "e2m1" => Factor::Narrow(E2M1, 8, 2),
            _ => return None,
        })
    }

    /// `e2m1`, two per byte.
    pub const PACKED_E2M1: Factor = Factor::Narrow(E2M1, 4, 0);

    /// Bits of an element in a register.
    pub fn bits(self) -> u32 {
        match self {
            Factor::F16 | Factor::Bf16 => 16,
            Factor::Tf32 => 32,
            Factor::Narrow(_, bits, _) => bits,
            Factor::S8 | Factor::U8 => 8,
            Factor::S4 | Factor::U4 => 4,
            Factor::F64 => 64,
            Factor::BitsXor | Factor::BitsAnd => 1,
        }
    }

    pub fn is_integer(self) -> bool {
        matches!(self, Factor::S8 | Factor::U8 | Factor::S4 | Factor::U4 | Factor::BitsXor | Factor::BitsAnd)
    }

    fn integer(self, bits: u64) -> i64 {
        match self {
            Factor::S8 => (bits as i8).into(),
            Factor::S4 => i64::from((bits as i8) << 4 >> 4),
            _ => bits as i64,
        }
    }

    pub fn value(self, bits: u64) -> f64 {
        match self {
            _ if self.is_integer() => self.integer(bits) as f64,
            Factor::F16 => f16_value(bits as u16),
            _ => self.float(bits),
        }
    }

    fn float(self, bits: u64) -> f64 {
        match self {
            Factor::F16 => double(F16.unpack(bits)),
            Factor::Bf16 => f64::from(f32::from_bits((bits as u32) << 16)),
            // The hardware ignores the low bits.
            Factor::Tf32 => f64::from(f32::from_bits(bits as u32 & !0x1fff)),
            Factor::Narrow(format, _, below) => {
                let width = 1 + format.exponent_bits + format.fraction_bits;
                double(format.unpack((bits >> below) as u8 & (u8::MAX >> (8 - width))))
            }
            _ => f64::from_bits(bits),
        }
    }
}

/// The value of a half, without the cost of a conversion in software.
fn f16_value(bits: u16) -> f64 {
    let (exponent, fraction) = (bits >> 10 & 31, f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * f64::from_bits(0x3E70_0000_0000_0000),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => f64::from_bits(u64::from(exponent + 1008) << 52 | u64::from(bits & 0x3ff) << 42),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

fn double(number: Number) -> f64 {
    f64::from_bits(F64.pack(number, Rounding::Nearest))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sum {
    F16,
    F32,
    F64,
    S32,
}

impl Sum {
    pub fn name(self) -> &'static str {
        match self {
            Sum::F16 => "f16",
            Sum::F32 => "f32",
            Sum::F64 => "f64",
            Sum::S32 => "s32",
        }
    }

    /// Bits of an element in a register.
    pub fn bits(self) -> u32 {
        match self {
            Sum::F16 => 16,
            Sum::F32 | Sum::S32 => 32,
            Sum::F64 => 64,
        }
    }
}

/// Scale factors for blocks of the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockScale {
    /// Blocks per row.
    pub blocks: u32,
    /// Whether the scales are `ue4m3` instead of `ue8m0`.
    pub ue4m3: bool,
}

impl BlockScale {
    pub fn value(self, byte: u32) -> f64 {
        let element = if self.ue4m3 { Element::Narrow(UE4M3) } else { Element::Power };
        double(element.unpack(byte & if self.ue4m3 { 0x7f } else { 0xff }))
    }
}

/// The scales that a warp provides: the words of its lanes, and which byte of them and which lanes of a quad to use
/// (for A, which pair of lanes).
#[derive(Clone, Copy, Debug)]
pub struct ScaleWords {
    pub a: [u32; 32],
    pub b: [u32; 32],
    pub select_a: (u32, u32),
    pub select_b: (u32, u32),
}

/// A product of matrices, `D = A * B + C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// Rows of A.
    pub m: u32,
    /// Columns of B.
    pub n: u32,
    /// Columns of A.
    pub k: u32,
    pub a: Factor,
    pub b: Factor,
    pub c: Sum,
    pub d: Sum,
    /// `.satfinite`: clamps integer sums.
    pub saturate: bool,
    /// How sums of doubles are rounded.
    pub rounding: Rounding,
    pub layout: Layout,
    pub scale: Option<BlockScale>,
}

/// Registers of a warp, one value per lane.
pub type Words = Vec<[u64; 32]>;

impl Product {
    /// What the product costs, as the [meter](crate::meter) counts it.
    pub fn work(&self) -> u64 {
        u64::from(self.m) * u64::from(self.n) * u64::from(self.k)
    }

    pub fn matrices(&self) -> [Matrix; 4] {
        let tiles = self.layout.tiles();
        let factor = |outer, bits, is_b| {
            let matrix = Matrix::new(outer, self.k, bits, is_b, tiles);
            // Fragments of `wmma` hold copies of halves.
            let copies = self.layout == Layout::Own && self.a == Factor::F16;
            if copies { Matrix { registers: 8, ..matrix } } else { matrix }
        };
        let sum = |sum: Sum| Matrix::new(self.m, self.n, sum.bits(), false, tiles);
        [factor(self.m, self.a.bits(), false), factor(self.n, self.b.bits(), true), sum(self.c), sum(self.d)]
    }

    /// Computes the registers of D from the registers of A, B and C.
    pub fn compute(&self, a: &Words, b: &Words, c: &Words, scales: Option<&ScaleWords>) -> Words {
        let [of_a, of_b, of_c, of_d] = self.matrices();
        let mut out = vec![[0; 32]; of_d.registers as usize];
        for tile in 0..self.layout.tiles() {
            let factor = |of: Matrix, words: &Words, outer: u32, k: u32| {
                let at = self.layout.factor(of, tile, outer, k);
                let bits = words[at.register][at.lane] >> at.shift;
                if of.bits == 64 { bits } else { bits & ((1 << of.bits) - 1) }
            };
            let row_of_a: Vec<Vec<u64>> =
                (0..self.m).map(|row| (0..self.k).map(|k| factor(of_a, a, row, k)).collect()).collect();
            let column_of_b: Vec<Vec<u64>> =
                (0..self.n).map(|column| (0..self.k).map(|k| factor(of_b, b, column, k)).collect()).collect();
            let start = |row, column| {
                let at = self.layout.sum(of_c, tile, row, column);
                let bits = c[at.register][at.lane] >> at.shift;
                if of_c.bits == 16 { bits & 0xffff } else { bits }
            };
            let mut give = |row, column, bits: u64| {
                let at = self.layout.sum(of_d, tile, row, column);
                out[at.register][at.lane] |= bits << at.shift;
            };
            if self.d == Sum::S32 {
                self.integers(&row_of_a, &column_of_b, start, &mut give);
            } else {
                self.floats(&row_of_a, &column_of_b, scales, start, &mut give);
            }
        }
        out
    }

    fn integers(
        &self,
        a: &[Vec<u64>],
        b: &[Vec<u64>],
        start: impl Fn(u32, u32) -> u64,
        give: &mut impl FnMut(u32, u32, u64),
    ) {
        let product = |a: i64, b: i64| match self.a {
            Factor::BitsXor => a ^ b,
            _ => a * b,
        };
        for (row, a) in (0..).zip(a) {
            for (column, b) in (0..).zip(b) {
                let products = a.iter().zip(b).map(|(&a, &b)| product(self.a.integer(a), self.b.integer(b)));
                let sum = i64::from(start(row, column) as i32) + products.sum::<i64>();
                let clamped = sum.clamp(i32::MIN.into(), i32::MAX.into());
                give(row, column, u64::from(if self.saturate { clamped as u32 } else { sum as u32 }));
            }
        }
    }

    fn floats(
        &self,
        a: &[Vec<u64>],
        b: &[Vec<u64>],
        scales: Option<&ScaleWords>,
        start: impl Fn(u32, u32) -> u64,
        give: &mut impl FnMut(u32, u32, u64),
    ) {
        let scaled = |is_b: bool, outer: u32, k: usize, value: f64| match (self.scale, scales) {
            (Some(scale), Some(words)) => value * self.scale_of(scale, words, is_b, outer, k as u32),
            _ => value,
        };
        let values = |is_b: bool, ty: Factor, lines: &[Vec<u64>]| -> Vec<Vec<f64>> {
            let line = |(outer, line): (u32, &Vec<u64>)| {
                let values = line.iter().enumerate();
                values.map(|(k, &bits)| scaled(is_b, outer, k, ty.float(bits))).collect()
            };
            (0..).zip(lines).map(line).collect()
        };
        let (a, b) = (values(false, self.a, a), values(true, self.b, b));
        for (row, a) in (0..).zip(&a) {
            for (column, b) in (0..).zip(&b) {
                let factors = a.iter().zip(b);
                let start = start(row, column);
                give(
                    row,
                    column,
                    if self.d == Sum::F64 {
                        factors.fold(start, |sum, (a, b)| {
                            soft_float::op::fma(F64, self.rounding, a.to_bits(), b.to_bits(), sum)
                        })
                    } else {
                        let start = match self.c {
                            Sum::F16 => double(F16.unpack(start)) as f32,
                            _ => f32::from_bits(start as u32),
                        };
                        let sum = factors.fold(start, |sum, (a, b)| sum_32(a * b, sum.into()));
                        let format = if self.d == Sum::F16 { F16 } else { F32 };
                        format.pack(F32.unpack(sum.to_bits().into()), Rounding::Nearest)
                    },
                );
            }
        }
    }

    /// The scale of the block that contains an element, from the selected byte and lane.
    fn scale_of(&self, scale: BlockScale, words: &ScaleWords, is_b: bool, outer: u32, k: u32) -> f64 {
        let block = k / (self.k / scale.blocks);
        let (word, byte) = if is_b {
            (words.b[(outer % 8 * 4 + (words.select_b.1 & 3)) as usize], words.select_b.0)
        } else {
            let lane = outer % 8 * 4 + 2 * (words.select_a.1 & 1) + outer / 8;
            (words.a[lane as usize], words.select_a.0)
        };
        scale.value(word >> (8 * ((byte + block) & 3)))
    }
}

#[cfg(test)]
mod tests;
