//! Accesses whose address depends on what a launch passes: on the contents of its buffers, or on a scalar that decides which
//! threads share an element, as in `out[tid / n]`. If the launch is inferred, so are their races.

use warplens_sim_cuda::semantics::bits::{Logic, Shift};
use warplens_sim_cuda::semantics::integer::IntOp;

use super::passes::settles;
use crate::program::{Function, Mixing, Op, ReadKind, Space};

/// What the values of a register are computed from, least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    Other,
    /// Arguments, and sums with them.
    Argument,
    /// The contents of buffers, or arguments that decide which threads share a value.
    Guess,
}

pub(super) fn computed_addresses(function: &Function) -> Vec<u32> {
    let all = 0..function.code.len() as u32;
    let loads = |pc: u32| matches!(function.code[pc as usize].op, Op::Load(_));
    if !all.clone().any(loads) {
        return Vec::new();
    }
    let mut origins = vec![Origin::Other; function.frame.registers.len()];
    settles(|| {
        let mut changed = false;
        for pc in all.clone() {
            let origin = written(function, pc, &origins);
            for &register in function.writes_of(pc) {
                let known = &mut origins[register as usize];
                changed |= origin > *known;
                *known = origin.max(*known);
            }
        }
        changed
    });
    let is_access = |pc: u32| function.code[pc as usize].op.is_access();
    all.filter(|&pc| is_access(pc) && address(function, pc, &origins) == Origin::Guess).collect()
}

fn address(function: &Function, pc: u32, origins: &[Origin]) -> Origin {
    let reads = function.flow.reads_of(pc).iter().filter(|read| read.part == ReadKind::Address);
    reads.map(|read| origins[read.register as usize]).max().unwrap_or(Origin::Other)
}

/// The origin of what an instruction writes.
fn written(function: &Function, pc: u32, origins: &[Origin]) -> Origin {
    let op = function.code[pc as usize].op;
    if let Op::Load(id) = op {
        return match function.tables[id].space {
            Space::Param => Origin::Argument,
            Space::Global => Origin::Guess,
            // An address of the stack is not computed from an argument.
            Space::Generic if address(function, pc, origins) != Origin::Other => Origin::Guess,
            _ => Origin::Other,
        };
    }
    if function.flow.mixing_of(pc) == Mixing::Defined && op.exchange().is_none() {
        return Origin::Other;
    }
    let sources = || {
        let reads = function.flow.reads_of(pc).iter().filter(|read| read.part == ReadKind::Source);
        reads.map(|read| origins[read.register as usize])
    };
    let origin = sources().max().unwrap_or(Origin::Other);
    match origin {
        Origin::Argument if drops_bits(op) && sources().any(|source| source == Origin::Other) => {
            Origin::Guess
        }
        origin => origin,
    }
}

/// Whether different values of an operand may have the same result.
fn drops_bits(op: Op) -> bool {
    match op {
        Op::Logic(Logic::And, _) | Op::ExtractField(..) => true,
        Op::Shift(shift, _) => shift != Shift::Left,
        Op::Int(op, _) => {
            matches!(op, IntOp::Div | IntOp::Rem | IntOp::MulHigh | IntOp::Min | IntOp::Max)
        }
        _ => false,
    }
}
