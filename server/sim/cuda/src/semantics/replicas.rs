//! Reductions of the values that several replicas of a buffer hold at one offset.

use warplens_sim_warp::scalar_type::ScalarType;
use warplens_sim_warp::soft_float::{BF16, F16, F32, Format, Number, Rounding};

use super::convert::Clamp;
use super::float::{FloatOp, extremum_32};
use super::narrow::{E4M3, E5M2, Element};
use crate::address::{AtomicOp, Space};
use crate::memory::atomic_operation::apply;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReplicaReduction {
    pub op: AtomicOp,
    pub element: ReplicaElement,
    /// The precision of sums, if the statement specifies one. Otherwise sums have the precision of the elements, or of
    /// `f32` for elements of eight bits, for which the guide specifies none.
    pub accumulator: Option<Format>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReplicaElement {
    Number(ScalarType),
    /// One or several floats of at most 32 bits.
    Floats(Element),
}

impl ReplicaElement {
    /// The elements of the type with this name in the instruction.
    pub fn of_name(name: &str) -> Option<ReplicaElement> {
        let floats = match name {
            "f32" => Element::Single,
            "f16" | "f16x2" => Element::Half(F16),
            "bf16" | "bf16x2" => Element::Half(BF16),
            "e4m3" | "e4m3x2" | "e4m3x4" => Element::Narrow(E4M3),
            "e5m2" | "e5m2x2" | "e5m2x4" => Element::Narrow(E5M2),
            _ => return ScalarType::from_name(name).map(ReplicaElement::Number),
        };
        Some(ReplicaElement::Floats(floats))
    }
}

impl ReplicaReduction {
    /// The result for values of `bits` bits, each of which holds one or several elements.
    pub fn of(&self, bits: u32, values: &[u64]) -> u64 {
        match self.element {
            ReplicaElement::Number(ty) => {
                let next = |all: u64, value: &u64| {
                    apply(self.op, ty, Space::Global, all.into(), u128::from(*value), 0) as u64
                };
                values.iter().copied().reduce(|all, value| next(all, &value)).unwrap_or(0)
            }
            ReplicaElement::Floats(element) => {
                let width = element.stride();
                let keep = u64::MAX >> (64 - width);
                let part = |at: u32| {
                    let parts = values.iter().map(|value| element.unpack((value >> at & keep) as u32));
                    u64::from(self.floats(element, parts)) << at
                };
                (0..bits).step_by(width as usize).map(part).fold(0, |all, part| all | part)
            }
        }
    }

    fn floats(&self, element: Element, mut values: impl Iterator<Item = Number>) -> u32 {
        let Some(first) = values.next() else { return 0 };
        let sum_format = self.accumulator.unwrap_or(match element {
            Element::Half(format) => format,
            _ => F32,
        });
        let next = |all: Number, value: Number| match self.op {
            AtomicOp::Min => extremum(FloatOp::Min, all, value),
            AtomicOp::Max => extremum(FloatOp::Max, all, value),
            _ => {
                let sum = all.plus(value, Rounding::Nearest);
                sum_format.unpack(sum_format.pack(sum, Rounding::Nearest))
            }
        };
        element.pack(values.fold(first, next), Rounding::Nearest, Clamp::None)
    }
}

/// All formats of at most 32 bits are subsets of `f32`.
fn extremum(op: FloatOp, a: Number, b: Number) -> Number {
    let single = |number: Number| f32::from_bits(F32.pack(number, Rounding::Nearest) as u32);
    F32.unpack(extremum_32(op, single(a), single(b)).to_bits().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(op: AtomicOp, name: &str, accumulator: Option<Format>, bits: u32, values: &[u64]) -> u64 {
        let element = ReplicaElement::of_name(name).expect("a type");
        ReplicaReduction { op, element, accumulator }.of(bits, values)
    }

    #[test]
    fn integers_in_their_type() {
        assert_eq!(run(AtomicOp::Min, "s32", None, 32, &[1, 0xffff_ffff, 5]), 0xffff_ffff);
        assert_eq!(run(AtomicOp::Max, "u32", None, 32, &[1, 0xffff_ffff, 5]), 0xffff_ffff);
        assert_eq!(run(AtomicOp::Add, "u64", None, 64, &[u64::MAX, 3]), 2);
        assert_eq!(run(AtomicOp::Xor, "b32", None, 32, &[6, 3, 1]), 4);
    }

    #[test]
    fn the_accumulator_decides_where_sums_are_rounded() {
        // 2048 + 1 + 1: each addition in f16 rounds to 2048; a sum in f32 is 2050.
        let values = [0x6800, 0x3c00, 0x3c00];
        assert_eq!(run(AtomicOp::Add, "f16", None, 16, &values), 0x6800);
        assert_eq!(run(AtomicOp::Add, "f16", Some(F32), 16, &values), 0x6801);
    }

    #[test]
    fn packed_elements_are_separate() {
        let pair = |low: u64, high: u64| low | high << 16;
        assert_eq!(
            run(AtomicOp::Add, "f16x2", None, 32, &[pair(0x3c00, 0x4000), pair(0x3c00, 0xc000)]),
            pair(0x4000, 0)
        );
        assert_eq!(
            run(AtomicOp::Max, "bf16x2", None, 32, &[pair(0x3f80, 0xbf80), pair(0x4000, 0xc000)]),
            pair(0x4000, 0xbf80)
        );
        // 1.0 + 1.0 and 2.0 + 1.0 in e4m3: 2.0 is 0x40, 3.0 is 0x44.
        assert_eq!(run(AtomicOp::Add, "e4m3x2", Some(F16), 16, &[0x4038, 0x3838]), 0x4440);
    }
}
