//! Stores of floats that a warp has reduced by exchanging values, as the butterfly of a Welford reduction does.
//!
//! If the reduction is not commutative to the last bit, the lanes end with values that differ by rounding. Each
//! lane nevertheless has a valid result, so a compiler may have all of them store it to one address.

use warplens_sim_cuda::semantics::bits::Logic;
use warplens_sim_warp::scalar_type::{Class, ScalarType};

use super::passes::settles;
use crate::program::{Function, Op, ReadKind};

/// What all instructions that write a register compute.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Computed {
    /// Nothing writes it.
    Nothing,
    /// Floats of a type, by rounding arithmetic.
    Float { ty: ScalarType, is_exchanged: bool },
    /// Values of another kind, such as loaded ones, or of several kinds.
    Other,
}

impl Computed {
    fn and(self, other: Computed) -> Computed {
        match (self, other) {
            (Computed::Nothing, other) | (other, Computed::Nothing) => other,
            (Computed::Float { ty, is_exchanged: one }, Computed::Float { ty: other, is_exchanged: two })
                if ty == other =>
            {
                Computed::Float { ty, is_exchanged: one | two }
            }
            _ => Computed::Other,
        }
    }
}

/// Plain stores of which every value is such a float, with its type.
pub(super) fn rounded_stores(function: &Function) -> Vec<(u32, ScalarType)> {
    let all = 0..function.code.len() as u32;
    let shuffles = |pc: u32| matches!(function.code[pc as usize].op, Op::Shuffle(_));
    if !all.clone().any(shuffles) {
        return Vec::new();
    }
    let mut exchanged = vec![false; function.frame.registers.len()];
    let mut known = vec![Computed::Nothing; function.frame.registers.len()];
    let is_settled = settles(|| {
        let mut now = vec![Computed::Nothing; known.len()];
        let mut changed = false;
        for pc in all.clone() {
            let is_exchanged = shuffles(pc) || sources(function, pc).any(|register| exchanged[register]);
            let computed = computed(function, pc, &known, is_exchanged);
            for &register in function.writes_of(pc) {
                let register = register as usize;
                now[register] = now[register].and(computed);
                changed |= is_exchanged && !std::mem::replace(&mut exchanged[register], true);
            }
        }
        changed |= now != known;
        known = now;
        changed
    });
    let reduced = |pc: u32| Some((pc, stored(function, pc, &known)?));
    if is_settled { all.filter_map(reduced).collect() } else { Vec::new() }
}

fn sources(function: &Function, pc: u32) -> impl Iterator<Item = usize> + '_ {
    let reads = function.flow.reads_of(pc).iter().filter(|read| read.part == ReadKind::Source);
    reads.map(|read| read.register as usize)
}

/// What an instruction writes. A register that nothing has written yet may turn out to be anything.
fn computed(function: &Function, pc: u32, known: &[Computed], is_exchanged: bool) -> Computed {
    let float = |ty| Computed::Float { ty, is_exchanged };
    let instruction = &function.code[pc as usize];
    match instruction.op {
        Op::Float32(..) | Op::FloatPair(..) | Op::Approximate(..) | Op::Extremum3(..) => {
            float(ScalarType::F32)
        }
        Op::Float64(..) => float(ScalarType::F64),
        Op::Half(half) => float(if half.brain { ScalarType::Bf16 } else { ScalarType::F16 }),
        Op::Convert(id) => {
            let convert = &function.tables[id];
            match (convert.from.class(), convert.to.class()) {
                (Class::Float, Class::Float) => float(convert.to),
                _ => Computed::Other,
            }
        }
        // Copies of registers and of numbers.
        Op::Logic(Logic::Copy, _) | Op::Select(_) | Op::Shuffle(_) => {
            let copied = sources(function, pc).map(|register| known[register]);
            copied.fold(Computed::Nothing, Computed::and)
        }
        _ => Computed::Other,
    }
}

/// The type of the floats that a plain store writes, if all are exchanged ones.
fn stored(function: &Function, pc: u32, known: &[Computed]) -> Option<ScalarType> {
    let Op::Store(_) = function.code[pc as usize].op else { return None };
    let reads = function.flow.reads_of(pc).iter();
    let values = reads.filter(|read| !matches!(read.part, ReadKind::Guard | ReadKind::Address));
    match values.map(|read| known[read.register as usize]).fold(Computed::Nothing, Computed::and) {
        Computed::Float { ty, is_exchanged: true } => Some(ty),
        _ => None,
    }
}
