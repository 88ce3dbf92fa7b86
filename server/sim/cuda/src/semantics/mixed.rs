//! Sums and products of operands in several float formats, with one to four elements per register, each rounded once.

use warplens_sim_warp::soft_float::{F32, Number, Rounding};

use super::convert::{Clamp, clamp_float};
use super::narrow::Element;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MixedOp {
    Add,
    Sub,
    Mul,
    /// `a * b + c`
    Fma,
}

impl MixedOp {
    pub fn operands(self) -> usize {
        if self == MixedOp::Fma { 3 } else { 2 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Elements {
    pub element: Element,
    /// The distance between elements in bits.
    pub stride: u32,
}

impl Elements {
    fn number(self, word: u64, index: u32, flush: bool) -> Number {
        let bits = (word >> (self.stride * index)) as u32;
        let subnormal = self.element == Element::Single && bits & 0x7f80_0000 == 0;
        self.element.unpack(if flush && subnormal { bits & 0x8000_0000 } else { bits })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mixed {
    pub op: MixedOp,
    pub to: Elements,
    pub from: [Elements; 3],
    pub count: u32,
    pub rounding: Rounding,
    /// `.ftz`
    pub flush: bool,
    /// `.sat`
    pub saturate: bool,
    /// `.satfinite`
    pub finite: bool,
}

impl Mixed {
    pub fn apply(&self, words: [u64; 3]) -> u64 {
        (0..self.count).fold(0, |word, index| {
            let at = |operand: usize| self.from[operand].number(words[operand], index, self.flush);
            let exact = match self.op {
                MixedOp::Add => at(0).plus(at(1), self.rounding),
                MixedOp::Sub => at(0).minus(at(1), self.rounding),
                MixedOp::Mul => at(0).times(at(1)),
                MixedOp::Fma => at(0).times(at(1)).plus(at(2), self.rounding),
            };
            word | u64::from(self.finished(exact)) << (self.to.stride * index)
        })
    }

    fn finished(&self, exact: Number) -> u32 {
        match self.to.element {
            Element::Narrow(narrow) if !self.finite => narrow.pack_unbounded(exact, self.rounding).into(),
            Element::Single if self.saturate => {
                clamp_float(F32, Clamp::Saturate, F32.pack(exact, self.rounding)) as u32
            }
            element => {
                let bits = element.pack(exact, self.rounding, Clamp::None);
                match element {
                    Element::Half(format)
                        if self.flush && u64::from(bits) & (format.infinity(false)) == 0 =>
                    {
                        bits & format.sign_bit() as u32
                    }
                    _ => bits,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::narrow::{E2M1, E4M3, E5M2, half};

    const SINGLE: Elements = Elements { element: Element::Single, stride: 32 };

    fn mixed(op: MixedOp, to: Elements, from: [Elements; 3], count: u32) -> Mixed {
        let rounding = Rounding::Nearest;
        Mixed { op, to, from, count, rounding, flush: false, saturate: false, finite: false }
    }

    #[test]
    fn a_half_and_a_single() {
        let f16 = Elements { element: half(false), stride: 16 };
        let add = mixed(MixedOp::Add, SINGLE, [f16, SINGLE, SINGLE], 1);
        assert_eq!(add.apply([0x3c00, 0.5f32.to_bits().into(), 0]), u64::from(1.5f32.to_bits()));
        let fma = mixed(MixedOp::Fma, SINGLE, [f16, f16, SINGLE], 1);
        let c = 2f32.powi(-20).to_bits();
        assert_eq!(fma.apply([0x4000, 0x4200, c.into()]), u64::from((6.0 + 2f32.powi(-20)).to_bits()));
        let clamped = Mixed { saturate: true, ..fma };
        assert_eq!(clamped.apply([0x4000, 0x4200, 0]), u64::from(1f32.to_bits()));
    }

    #[test]
    fn four_bytes() {
        let e4m3 = Elements { element: Element::Narrow(E4M3), stride: 8 };
        let e2m1 = Elements { element: Element::Narrow(E2M1), stride: 4 };
        // 1, 2, 448, -448 and the small ones 1, 2, 6, -6.
        let add = mixed(MixedOp::Add, e4m3, [e2m1, e4m3, e4m3], 4);
        assert_eq!(add.apply([0xf742, 0xfe7e_4038, 0]), 0xfe7e_4840);
        let mul = mixed(MixedOp::Mul, e4m3, [e2m1, e4m3, e4m3], 4);
        assert_eq!(mul.apply([0xf742, 0xfe7e_4038, 0]) & 0x7f7f_ffff, 0x7f7f_4838);
        assert_eq!(Mixed { finite: true, ..mul }.apply([0xf742, 0xfe7e_4038, 0]), 0x7e7e_4838);
        let e5m2 = Elements { element: Element::Narrow(E5M2), stride: 8 };
        let wide = mixed(MixedOp::Mul, e5m2, [e5m2; 3], 4);
        assert_eq!(wide.apply([0x7b, 0x7b, 0]), 0x7c);
    }
}
