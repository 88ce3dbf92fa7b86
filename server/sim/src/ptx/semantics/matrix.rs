//! Products of small matrices whose elements lie spread over the registers of a warp.
//!
//! Which lane holds which element: with `g = lane / 4` and `t = lane % 4`, and `E` elements to a 32-bit register, register `r`
//! of A holds row `g + 8 * (r & 1)` (8-row shapes: `g`) and columns `(r >> 1) * 4E + tE + e`; register `r` of B holds column `g`
//! and rows `r * 4E + tE + e`; 32- and 64-bit elements of C and D are at row `g + 8 * (r >> 1)`, column `2t + (r & 1)`, pairs of
//! halves at row `g + 8r`, columns `2t` and `2t + 1`.

use super::float::fma_32;
use super::narrow::{E4M3, E5M2};
use crate::soft_float::{BF16, F16, F64, Format, Number, Rounding};

/// What the elements of a factor are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the types")]
pub enum Factor {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
    F64,
    S8,
    U8,
    S4,
    U4,
    /// Bits, multiplied by `xor`
    BitsXor,
    /// Bits, multiplied by `and`
    BitsAnd,
}

impl Factor {
    /// Bits of an element in a register.
    pub fn bits(self) -> u32 {
        match self {
            Factor::F16 | Factor::Bf16 => 16,
            Factor::Tf32 => 32,
            Factor::E4m3 | Factor::E5m2 | Factor::S8 | Factor::U8 => 8,
            Factor::S4 | Factor::U4 => 4,
            Factor::F64 => 64,
            Factor::BitsXor | Factor::BitsAnd => 1,
        }
    }

    /// Whether elements are integers.
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

    fn float(self, bits: u64) -> f64 {
        let double = |number: Number| f64::from_bits(F64.pack(number, Rounding::Nearest));
        match self {
            Factor::F16 => double(F16.unpack(bits)),
            Factor::Bf16 => double(BF16.unpack(bits)),
            // The low bits are not looked at.
            Factor::Tf32 => f64::from(f32::from_bits(bits as u32 & !0x1fff)),
            Factor::E4m3 => double(E4M3.unpack(bits as u8)),
            Factor::E5m2 => double(E5M2.unpack(bits as u8)),
            _ => f64::from_bits(bits),
        }
    }
}

/// What the elements of a sum are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the types")]
pub enum Sum {
    F16,
    F32,
    F64,
    S32,
}

/// A product of matrices, `D = A * B + C`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Product {
    /// Rows of A.
    pub m: u32,
    /// Columns of A.
    pub k: u32,
    /// Elements of A.
    pub a: Factor,
    /// Elements of B.
    pub b: Factor,
    /// Elements of C.
    pub c: Sum,
    /// Elements of D.
    pub d: Sum,
    /// `.satfinite`: integer sums clamp.
    pub saturate: bool,
}

/// Columns of B in every shape.
const N: u32 = 8;

impl Product {
    /// How many registers of A, B, C and D a lane has.
    pub fn registers(&self) -> [usize; 4] {
        let count = |rows: u32, columns: u32, bits: u32| (rows * columns * bits / 32 / bits.max(32)) as usize;
        let sum = |sum: Sum| match sum {
            Sum::F16 => 16,
            Sum::F32 | Sum::S32 => 32,
            Sum::F64 => 64,
        };
        // A register holds 32 bits, or one 64-bit element.
        let factor = |rows, columns, bits: u32| match bits {
            64 => (rows * columns / 32) as usize,
            _ => count(rows, columns, bits),
        };
        let accumulator = |bits: u32| match bits {
            64 => (self.m * N / 32) as usize,
            _ => count(self.m, N, bits),
        };
        [
            factor(self.m, self.k, self.a.bits()),
            factor(self.k, N, self.b.bits()),
            accumulator(sum(self.c)),
            accumulator(sum(self.d)),
        ]
    }

    /// Computes D. `read(which, register, lane)` gives a register of A (0), B (1) or C (2); `write(register, lane, bits)` takes
    /// one of D.
    pub fn compute(
        &self,
        read: impl Fn(usize, usize, usize) -> u64,
        mut write: impl FnMut(usize, usize, u64),
    ) {
        let element_a =
            |row, k| element(self.a.bits(), self.m, row, k, |register, lane| read(0, register, lane));
        let element_b =
            |k, column| element(self.b.bits(), N, column, k, |register, lane| read(1, register, lane));
        let registers = self.registers()[3];
        for lane in 0..32 {
            for register in 0..registers {
                let mut bits = 0;
                for (part, (row, column)) in self.positions(self.d, register as u32, lane as u32).enumerate()
                {
                    let sum = self.sum(row, column, &element_a, &element_b, &read);
                    bits |= sum << (16 * part);
                }
                write(register, lane, bits);
            }
        }
    }

    fn sum(
        &self,
        row: u32,
        column: u32,
        a: &impl Fn(u32, u32) -> u64,
        b: &impl Fn(u32, u32) -> u64,
        read: &impl Fn(usize, usize, usize) -> u64,
    ) -> u64 {
        let start = self.addend(row, column, read);
        if self.d == Sum::S32 {
            let product = |a: i64, b: i64| match self.a {
                Factor::BitsXor => a ^ b,
                _ => a * b,
            };
            let products =
                (0..self.k).map(|k| product(self.a.integer(a(row, k)), self.b.integer(b(k, column))));
            let sum = i64::from(start as i32) + products.sum::<i64>();
            let clamped = sum.clamp(i32::MIN.into(), i32::MAX.into());
            return u64::from(if self.saturate { clamped as u32 } else { sum as u32 });
        }
        let factors = (0..self.k).map(|k| (self.a.float(a(row, k)), self.b.float(b(k, column))));
        if self.d == Sum::F64 {
            return factors.fold(f64::from_bits(start), |sum, (a, b)| a.mul_add(b, sum)).to_bits();
        }
        let start = match self.c {
            Sum::F16 => f64::from_bits(F64.pack(F16.unpack(start), Rounding::Nearest)) as f32,
            _ => f32::from_bits(start as u32),
        };
        let sum = factors.fold(start, |sum, (a, b)| fma_32(a as f32, b as f32, sum));
        let format: Format = if self.d == Sum::F16 { F16 } else { crate::soft_float::F32 };
        format.pack(crate::soft_float::F32.unpack(sum.to_bits().into()), Rounding::Nearest)
    }

    /// The element of C at a place, by the inverse of [`Self::positions`].
    fn addend(&self, row: u32, column: u32, read: &impl Fn(usize, usize, usize) -> u64) -> u64 {
        let lane = (row % 8 * 4 + column / 2) as usize;
        match self.c {
            Sum::F16 => read(2, (row / 8) as usize, lane) >> (16 * (column % 2)) & 0xffff,
            _ => read(2, (row / 8 * 2 + column % 2) as usize, lane),
        }
    }

    /// The elements that a register of D holds, lowest first.
    fn positions(&self, sum: Sum, register: u32, lane: u32) -> impl Iterator<Item = (u32, u32)> {
        let (g, t) = (lane / 4, lane % 4);
        let halves = sum == Sum::F16;
        let row = g + 8 * if halves { register } else { register >> 1 };
        let column = 2 * t + if halves { 0 } else { register & 1 };
        (0..if halves { 2 } else { 1 }).map(move |part| (row, column + part))
    }
}

/// An element of a factor: `row` among `rows` (for B, its column), `k` along the sum.
fn element(bits: u32, rows: u32, row: u32, k: u32, read: impl Fn(usize, usize) -> u64) -> u64 {
    let per = (32 / bits.min(32)).max(1);
    let (step, within) = (k / (4 * per), k % (4 * per));
    let (t, part) = (within / per, within % per);
    let lane = row % 8 * 4 + t;
    // Sixteen rows take two registers a step.
    let register = if rows == 16 { step * 2 + row / 8 } else { step };
    let word = read(register as usize, lane as usize);
    if bits == 64 { word } else { word >> (bits * part) & ((1 << bits) - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every element of A is its row, of B its column + 1, of C 100.
    #[test]
    fn bytes() {
        let product =
            Product { m: 16, k: 32, a: Factor::U8, b: Factor::S8, c: Sum::S32, d: Sum::S32, saturate: false };
        assert_eq!(product.registers(), [4, 2, 4, 4]);
        let read = |which: usize, register: usize, lane: usize| match which {
            0 => (lane as u64 / 4 + 8 * (register as u64 & 1)) * 0x0101_0101,
            1 => (lane as u64 / 4 + 1) * 0x0101_0101,
            _ => 100,
        };
        let mut wrong = 0;
        product.compute(read, |register, lane, bits| {
            let (row, column) = (lane / 4 + 8 * (register >> 1), 2 * (lane % 4) + (register & 1));
            wrong += u32::from(bits != (32 * row * (column + 1) + 100) as u64);
        });
        assert_eq!(wrong, 0);
    }

    #[test]
    fn single_bits() {
        let product = Product {
            m: 8,
            k: 128,
            a: Factor::BitsXor,
            b: Factor::BitsXor,
            c: Sum::S32,
            d: Sum::S32,
            saturate: false,
        };
        assert_eq!(product.registers(), [1, 1, 2, 2]);
        let read = |which: usize, _: usize, _: usize| if which == 0 { 0xff } else { 0 };
        product.compute(read, |_, _, bits| assert_eq!(bits, 32));
    }

    #[test]
    fn halves_by_the_identity() {
        let product = Product {
            m: 16,
            k: 8,
            a: Factor::F16,
            b: Factor::F16,
            c: Sum::F16,
            d: Sum::F32,
            saturate: false,
        };
        assert_eq!(product.registers(), [2, 1, 2, 4]);
        // B is the identity, so D is A: its element at row r, column c is r + c.
        let half = |value: u32| {
            F16.pack(crate::soft_float::F32.unpack((value as f32).to_bits().into()), Rounding::Nearest)
        };
        let read = |which: usize, register: usize, lane: usize| {
            let (g, t) = (lane as u32 / 4, lane as u32 % 4);
            match which {
                0 => {
                    let row = g + 8 * register as u32;
                    half(row + 2 * t) | half(row + 2 * t + 1) << 16
                }
                1 => half(u32::from(2 * t == g)) | half(u32::from(2 * t + 1 == g)) << 16,
                _ => 0,
            }
        };
        product.compute(read, |register, lane, bits| {
            let (row, column) = (lane / 4 + 8 * (register >> 1), 2 * (lane % 4) + (register & 1));
            assert_eq!(f32::from_bits(bits as u32), (row + column) as f32);
        });
    }
}
