//! Finds loops with low lane utilization: most iterations execute with less than half of the lanes that
//! entered.

use warplens_sim_warp::finding_kind::FindingKind;
use warplens_sim_warp::trace::{Finding, Mask, Related, RunResult, StatementId, Visit, WarpId};

use super::op::{Action, Control};
use super::program::Program;

/// Loops with fewer iterations are not reported.
const MIN_ITERATIONS: u64 = 8;

/// The iterations of a loop by one wave.
#[derive(Clone, Copy, Debug, Default)]
struct Iterations {
    all: u64,
    /// Iterations with less than half of the lanes that entered the loop.
    sparse: u64,
    /// The lanes of the last sparse iteration.
    last: Mask,
}

/// One finding for each loop in which a wave ran more than half of the iterations with less than half of its
/// lanes. The worst wave is reported.
pub(super) fn loop_efficiency(program: &Program, result: &RunResult) -> Vec<Finding> {
    let loops = program.ops.iter().enumerate().filter_map(|(at, op)| match op.action {
        Action::Control(Control::Loop { end }) => Some((at as u32, end)),
        _ => None,
    });
    loops.filter_map(|(open, end)| worst(program, result, open, end)).collect()
}

fn worst(program: &Program, result: &RunResult, open: u32, end: u32) -> Option<Finding> {
    let of_wave = |warp: &warplens_sim_warp::trace::WarpTrace| {
        let iterations = iterations(&warp.line(StatementId(open))?.visits);
        (iterations.all >= MIN_ITERATIONS && 2 * iterations.sparse > iterations.all)
            .then_some((iterations, warp.cta, warp.warp))
    };
    let (iterations, cta, warp) =
        result.warps.iter().filter_map(of_wave).max_by_key(|(iterations, ..)| iterations.sparse)?;
    let breaks = (open..end)
        .filter(|at| matches!(program.ops[*at as usize].action, Action::Control(Control::Break { .. })));
    let related =
        breaks.map(|at| Related::new(at, "lanes break out of the loop here in different iterations"));
    let message = format!(
        "{} of {} iterations ran with less than half of the lanes\nthe other lanes that entered the loop had left \
         by `break` and waited: give the lanes of a wave similar iteration counts, or move the remaining work after \
         the loop",
        iterations.sparse, iterations.all
    );
    let wave = WarpId { cta, warp };
    Some(wave.finding(FindingKind::ScatteredBreak, message, open, iterations.last).with(related))
}

/// Counts the iterations in the visits of a `loop`. Lanes that were not in the previous iteration have just
/// entered.
fn iterations(visits: &[Visit]) -> Iterations {
    let mut iterations = Iterations::default();
    let (mut entered, mut before): (u32, Mask) = (0, 0);
    for visit in visits {
        let lanes = visit.active.count_ones();
        if visit.active & !before != 0 {
            entered = lanes;
        }
        before = visit.active;
        iterations.all += visit.repeat;
        if 2 * lanes < entered {
            iterations.sparse += visit.repeat;
            iterations.last = visit.active;
        }
    }
    iterations
}
