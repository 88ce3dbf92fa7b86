//! Operations across the lanes of a path: shuffles, votes, matches, reductions, elections.

use pulp::Scalar;
use warplens_sim_cuda::address::{AtomicOp, Space};
use warplens_sim_cuda::inactive_sources::{Absence, InactiveSources};
use warplens_sim_cuda::memory::atomic_operation::apply;
use warplens_sim_cuda::registers::{PerLane, each, filter_lanes, lanes, lanes_where};
use warplens_sim_cuda::semantics::shuffle::ShuffleMode;
use warplens_sim_warp::scalar_type::ScalarType;

use super::context::ExecContext;
use crate::program::{Op, Operation, VoteMode};
use crate::registers::Registers;

pub(super) fn execute(op: Op, o: &Operation, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) {
    // A uniform result is written to all lanes of its row.
    let written = if o.uniform { u32::MAX } else { mask };
    match op {
        Op::Shuffle(mode) => shuffle(mode, o, r, ctx, mask),
        Op::Vote(mode) => {
            let holds = r.holds(o.p[0]) & mask;
            let vote = match mode {
                VoteMode::All => holds == mask,
                VoteMode::Any => holds != 0,
                VoteMode::Equal => holds == mask || holds == 0,
            };
            r.set(o.d, written, &[holds; 32]);
            r.set_predicate(o.q[0], written, if vote { u32::MAX } else { 0 });
        }
        Op::Match { all, wide } => {
            let values = if wide { r.bits_64(o.s[0].row) } else { r.row(o.s[0].row).map(u64::from) };
            let same = |lane: usize| lanes_where(Scalar::new(), |other| values[other] == values[lane]) & mask;
            match all {
                false => r.set(o.d, mask, &each(same)),
                true => {
                    let first = mask.trailing_zeros() as usize % 32;
                    let agrees = same(first) == mask;
                    r.set(o.d, mask, &[if agrees { mask } else { 0 }; 32]);
                    r.set_predicate(o.q[0], mask, if agrees { mask } else { 0 });
                }
            }
        }
        Op::Reduce(reduction) => {
            let values = *r.row(o.s[0].row);
            let ty = if reduction.signed { ScalarType::S32 } else { ScalarType::U32 };
            let reduced = lanes(mask)
                .map(|lane| u128::from(values[lane]))
                .reduce(|all, value| apply(reduction.op, ty, Space::Global, all, value, 0));
            r.set(o.d, written, &[reduced.unwrap_or(0) as u32; 32]);
        }
        Op::Elect { masked } => {
            let named = if masked { *r.row(o.s[0].row).first().unwrap_or(&0) } else { u32::MAX };
            let candidates = mask & r.holds(o.p[0]) & named;
            let elected = if candidates == 0 { 0 } else { 1 << candidates.trailing_zeros() };
            r.set_predicate(o.q[0], mask, elected);
            r.set(o.d, u32::MAX, &[candidates.trailing_zeros() % 32; 32]);
        }
        Op::FirstLane => {
            let values = *r.row(o.s[0].row);
            let first = values[mask.trailing_zeros() as usize % 32];
            r.set(o.d, u32::MAX, &[first; 32]);
            r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| values[lane] != first));
        }
        _ => {}
    }
}

fn shuffle(mode: ShuffleMode, o: &Operation, r: &mut Registers, ctx: &mut ExecContext<'_>, mask: u32) {
    let [a, b, c] = r.sources(&o.s).map(|row| *row);
    let sources: PerLane<(usize, bool)> = std::array::from_fn(|lane| mode.source(lane, b[lane], c[lane]));
    r.set(o.d, mask, &sources.map(|(from, _)| a[from]));
    r.set_predicate(o.q[0], mask, lanes_where(Scalar::new(), |lane| sources[lane].1));
    let readers = filter_lanes(mask, |lane| mask >> sources[lane].0 & 1 == 0);
    if readers != 0
        && let Some(sanitizer) = &mut ctx.sanitizer
    {
        let read = lanes(readers).fold(0, |all, lane| all | 1 << sources[lane].0);
        let why = if read & ctx.live == 0 { Absence::Exited } else { Absence::Elsewhere };
        sanitizer.shuffled(InactiveSources { readers, sources: read, why });
    }
}

/// The operation of a reduction with this modifier.
pub(crate) fn reduction_named(name: &str) -> Option<AtomicOp> {
    Some(match name {
        "SUM" => AtomicOp::Add,
        "AND" => AtomicOp::And,
        "OR" => AtomicOp::Or,
        "XOR" => AtomicOp::Xor,
        "MIN" => AtomicOp::Min,
        "MAX" => AtomicOp::Max,
        _ => return None,
    })
}
