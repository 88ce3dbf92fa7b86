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
use crate::work::{DOUBLE_MULTIPLICATION, MULTIPLICATION, PRODUCT_START};

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
        let multiplications = u64::from(self.m) * u64::from(self.n) * u64::from(self.k);
        let tiles = u64::from(self.layout.tiles());
        let each = if self.d == Sum::F64 { DOUBLE_MULTIPLICATION } else { MULTIPLICATION };
        (multiplications + PRODUCT_START) * tiles * each
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
                let a = self.elements(a, of_a, tile, |_, _, bits| self.a.integer(bits));
                let b = self.elements(b, of_b, tile, |_, _, bits| self.b.integer(bits));
                self.integers(&a, &b, start, &mut give);
            } else {
                let scaled = |is_b, outer, k, value: f64| match (self.scale, scales) {
                    (Some(scale), Some(words)) => value * self.scale_of(scale, words, is_b, outer, k),
                    _ => value,
                };
                let a = self
                    .elements(a, of_a, tile, |outer, k, bits| scaled(false, outer, k, self.a.value(bits)));
                let b =
                    self.elements(b, of_b, tile, |outer, k, bits| scaled(true, outer, k, self.b.value(bits)));
                self.floats(&a, &b, start, &mut give);
            }
        }
        out
    }

    /// The elements of a factor, in the order of `k` for each row of A or column of B.
    fn elements<T>(
        &self,
        words: &Words,
        of: Matrix,
        tile: u32,
        value: impl Fn(u32, u32, u64) -> T,
    ) -> Vec<T> {
        let mut elements = Vec::with_capacity((of.outer * self.k) as usize);
        let mask = u64::MAX >> (64 - of.bits);
        for outer in 0..of.outer {
            for k in 0..self.k {
                let at = self.layout.factor(of, tile, outer, k);
                elements.push(value(outer, k, words[at.register][at.lane] >> at.shift & mask));
            }
        }
        elements
    }

    fn integers(
        &self,
        a: &[i64],
        b: &[i64],
        start: impl Fn(u32, u32) -> u64,
        give: &mut impl FnMut(u32, u32, u64),
    ) {
        let k = self.k as usize;
        for (row, a) in (0..).zip(a.chunks_exact(k)) {
            for (column, b) in (0..).zip(b.chunks_exact(k)) {
                let pairs = a.iter().zip(b);
                let products: i64 = match self.a {
                    Factor::BitsXor => pairs.map(|(a, b)| a ^ b).sum(),
                    _ => pairs.map(|(a, b)| a * b).sum(),
                };
                let sum = i64::from(start(row, column) as i32) + products;
                let clamped = sum.clamp(i32::MIN.into(), i32::MAX.into());
                give(row, column, u64::from(if self.saturate { clamped as u32 } else { sum as u32 }));
            }
        }
    }

    fn floats(
        &self,
        a: &[f64],
        b: &[f64],
        start: impl Fn(u32, u32) -> u64,
        give: &mut impl FnMut(u32, u32, u64),
    ) {
        let (k, n) = (self.k as usize, self.n as usize);
        if self.d == Sum::F64 {
            for (row, a) in (0..).zip(a.chunks_exact(k)) {
                for (column, b) in (0..).zip(b.chunks_exact(k)) {
                    let sum = a.iter().zip(b).fold(start(row, column), |sum, (a, b)| {
                        soft_float::op::fma(F64, self.rounding, a.to_bits(), b.to_bits(), sum)
                    });
                    give(row, column, sum);
                }
            }
            return;
        }
        // The sums of a row advance along `k` together, because one addition need not wait for the others.
        let by_k: Vec<f64> = (0..k).flat_map(|k_of| b.iter().skip(k_of).step_by(k)).copied().collect();
        let mut sums = vec![0f32; n];
        for (row, a) in (0..).zip(a.chunks_exact(k)) {
            for (column, sum) in (0..).zip(&mut sums) {
                let start = start(row, column);
                *sum = match self.c {
                    Sum::F16 => double(F16.unpack(start)) as f32,
                    _ => f32::from_bits(start as u32),
                };
            }
            for (a, b) in a.iter().zip(by_k.chunks_exact(n)) {
                sums.iter_mut().zip(b).for_each(|(sum, b)| *sum = sum_32(a * b, f64::from(*sum)));
            }
            let format = if self.d == Sum::F16 { F16 } else { F32 };
            for (column, sum) in (0..).zip(&sums) {
                give(row, column, format.pack(F32.unpack(sum.to_bits().into()), Rounding::Nearest));
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
