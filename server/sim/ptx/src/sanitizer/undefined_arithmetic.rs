//! Undefined bits in arithmetic on parts of a register: they change only the results of their own part.

use warplens_sim_cuda::registers::{PerLane, WIDTH, each};
use warplens_sim_cuda::semantics::bits::DotProduct;
use warplens_sim_cuda::semantics::integer::IntOp;
use warplens_sim_cuda::semantics::video::{Shape, Then, VideoPart};
use warplens_sim_cuda::slot::{RegisterSlot, Slot};
use warplens_sim_warp::scalar_type::ScalarType;

use super::bit_sources::{BitSources, of_width, slot};
use crate::program::{Op, PackedSources};

/// The undefined bits of the result; `None` if any undefined bit makes the whole result undefined.
pub(super) fn value(sources: &BitSources<'_>) -> Option<PerLane<u64>> {
    let instruction = &sources.visit.function.code[sources.visit.pc as usize];
    Some(match instruction.op {
        Op::Packed(_, parts) | Op::SetPacked(_, parts) => {
            elements(sources, if parts.bytes { 8 } else { 16 }, 32)
        }
        Op::Half(half) if half.packed => elements(sources, 16, 32),
        Op::SetPair(..) => elements(sources, 16, 32),
        Op::FloatPair(..) => elements(sources, 32, 64),
        Op::ConvertPacked(id) => converted(sources, &sources.visit.function.tables[id])?,
        Op::Int(IntOp::Add | IntOp::Sub | IntOp::Neg, ty) => upward(sources.any(), ty.bits()),
        Op::Int(IntOp::Mul, ty) => product(sources, ty, None, ty.bits())?,
        Op::Int(IntOp::Mad, ty) => product(sources, ty, slot(instruction.s.c, ty), ty.bits())?,
        Op::MulWide(ty) => product(sources, ty, None, 2 * ty.bits())?,
        Op::MadWide(ty) => {
            let sum = if ty.bits() < 32 { RegisterSlot::Word } else { RegisterSlot::Double };
            product(sources, ty, Some(sum(instruction.s.c)), 2 * ty.bits())?
        }
        Op::Dot(dot, ..) => dot_product(sources, dot),
        Op::Video(id) => {
            let Shape::Single { a, b, then, .. } = sources.visit.function.tables[id].shape else {
                return None;
            };
            video(sources, a, b, then)
        }
        Op::VideoMad(id) => {
            let mad = &sources.visit.function.tables[id];
            video(sources, mad.a.0, mad.b.0, Then::Add)
        }
        _ => return None,
    })
}

/// Elements of this many bits are computed separately.
fn elements(sources: &BitSources<'_>, bits: u32, width: u32) -> PerLane<u64> {
    let element = u64::MAX >> (64 - bits);
    sources.any().map(|undefined| {
        let masks = (0..width / bits).map(|index| element << (bits * index));
        of_width(masks.filter(|mask| undefined & mask != 0).fold(0, |all, mask| all | mask), width)
    })
}

/// Each number of the result depends on one number of the sources. `None` if random bits or scales are undefined.
fn converted(sources: &BitSources<'_>, packed: &PackedSources) -> Option<PerLane<u64>> {
    let others = [packed.random, packed.scales];
    if others.iter().flatten().any(|slot| sources.is_undefined(RegisterSlot::Word(*slot))) {
        return None;
    }
    let (from, to) = (packed.convert.from.stride(), packed.convert.to.stride());
    let of = |slot: Slot| sources.of(RegisterSlot::Word(slot)).map(|undefined| undefined as u32);
    let numbers: Vec<PerLane<u32>> = match *packed.sources {
        [pair] => {
            let pair = of(pair);
            vec![pair.map(|pair| pair >> from), pair.map(|pair| pair & (u32::MAX >> (32 - from)))]
        }
        ref several => several.iter().map(|slot| of(*slot)).collect(),
    };
    let undefined = |number: u32| if number == 0 { 0 } else { u64::MAX >> (64 - to) };
    Some(each(|lane| numbers.iter().fold(0, |all, number| all << to | undefined(number[lane]))))
}

/// Each bit depends only on bits that are not above it.
fn upward(undefined: PerLane<u64>, width: u32) -> PerLane<u64> {
    undefined.map(|undefined| match undefined {
        0 => 0,
        _ => of_width(u64::MAX << undefined.trailing_zeros(), width),
    })
}

/// The product of `a` and `b`, with an addend: each bit depends only on bits that are not above it, and a factor that is zero leaves
/// nothing of the other.
fn product(
    sources: &BitSources<'_>,
    ty: ScalarType,
    addend: Option<RegisterSlot>,
    width: u32,
) -> Option<PerLane<u64>> {
    let s = &sources.visit.function.code[sources.visit.pc as usize].s;
    let places = [slot(s.a, ty)?, slot(s.b, ty)?];
    let known = u64::MAX >> (64 - ty.bits());
    let [[of_a, of_b], undefined] = sources.known_and_undefined(places);
    let [a, b] = undefined.map(|lanes| lanes.map(|undefined| undefined & known));
    let addend = addend.map_or([0; WIDTH], |addend| sources.of(addend));
    let undefined = each(|lane| {
        let is_zero = |undefined: u64, value: u64| undefined == 0 && value & known == 0;
        let is_nothing = is_zero(a[lane], of_a[lane]) || is_zero(b[lane], of_b[lane]);
        let product = if is_nothing { 0 } else { a[lane] | b[lane] };
        product | addend[lane]
    });
    Some(upward(undefined, width))
}

/// The sum of products of parts, and of an addend.
fn dot_product(sources: &BitSources<'_>, dot: DotProduct) -> PerLane<u64> {
    let s = &sources.visit.function.code[sources.visit.pc as usize].s;
    let factors = [s.a, s.b].map(RegisterSlot::Word);
    let [values, undefined] = sources.known_and_undefined(factors);
    let addend = sources.of(RegisterSlot::Word(s.c));
    each(|lane| {
        let [undefined, values] = [undefined, values].map(|pair| pair.map(|lanes| lanes[lane] as u32));
        let is_undefined = dot.parts().any(|parts| {
            let factors = [0, 1].map(|index| (undefined[index] & parts[index], values[index] & parts[index]));
            factors.iter().any(|(undefined, _)| *undefined != 0) && !factors.contains(&(0, 0))
        });
        if is_undefined || addend[lane] != 0 { u64::MAX } else { 0 }
    })
}

/// All bits depend on a part of `a`, a part of `b`, and on `c` as far as the operation uses it.
fn video(sources: &BitSources<'_>, a: VideoPart, b: VideoPart, then: Then) -> PerLane<u64> {
    let s = &sources.visit.function.code[sources.visit.pc as usize].s;
    let [of_a, of_b, of_c] = [s.a, s.b, s.c].map(|slot| sources.of(RegisterSlot::Word(slot)));
    let all_if = |is_undefined: bool| if is_undefined { u64::MAX } else { 0 };
    each(|lane| {
        let result = of_a[lane] & u64::from(a.mask()) | of_b[lane] & u64::from(b.mask());
        match then {
            Then::Keep => all_if(result != 0),
            Then::Merge(part) => {
                let replaced = u64::from(part.mask());
                of_width(of_c[lane] & !replaced | all_if(result != 0) & replaced, 32)
            }
            Then::Add | Then::Min | Then::Max => all_if(result | of_c[lane] != 0),
        }
    })
}
