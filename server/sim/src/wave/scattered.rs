//! Loops that go on for a few lanes: what the trips of a run show of how scattered the `break`s of a loop are.

use crate::trace::{Finding, Mask, Related, RunResult, Severity, StatementId, Visit};

use super::program::{Action, Program};

/// Loops with fewer trips are not worth a word.
const FEW: u64 = 8;

/// Trips of a loop by one wave.
#[derive(Clone, Copy, Debug, Default)]
struct Trips {
    all: u64,
    /// With less than half of the lanes that came into the loop.
    sparse: u64,
    /// Lanes of the last sparse trip.
    last: Mask,
}

/// The loops of which some wave ran more than half of the trips with less than half of its lanes, each once: where it was worst.
pub(super) fn scattered(program: &Program, result: &RunResult) -> Vec<Finding> {
    let loops = program.ops.iter().enumerate().filter_map(|(at, op)| match op.action {
        Action::Loop { end } => Some((at as u32, end)),
        _ => None,
    });
    loops.filter_map(|(open, end)| worst(program, result, open, end)).collect()
}

fn worst(program: &Program, result: &RunResult, open: u32, end: u32) -> Option<Finding> {
    let of_wave = |warp: &crate::trace::WarpTrace| {
        let trips = trips(&warp.line(StatementId(open))?.visits);
        (trips.all >= FEW && 2 * trips.sparse > trips.all).then_some((trips, warp.cta, warp.warp))
    };
    let (trips, cta, warp) =
        result.warps.iter().filter_map(of_wave).max_by_key(|(trips, ..)| trips.sparse)?;
    let breaks = (open..end).filter(|at| matches!(program.ops[*at as usize].action, Action::Break { .. }));
    let related = breaks.map(|at| Related {
        statement: StatementId(at),
        message: "lanes leave the loop here, some early and some late".to_owned(),
    });
    Some(Finding {
        code: "scattered-break",
        severity: Severity::Information,
        message: format!(
            "{} of {} trips of this loop ran with less than half of the lanes that came in; the others had broken and \
             waited: give lanes of a wave work of like length, or do the long rest after the loop",
            trips.sparse, trips.all
        ),
        statement: Some(StatementId(open)),
        cta,
        warp,
        lanes: trips.last,
        related: related.collect(),
    })
}

/// The trips in the visits of a `loop`. Lanes that were not in the trip before have come in anew.
fn trips(visits: &[Visit]) -> Trips {
    let mut trips = Trips::default();
    let (mut entered, mut before): (u32, Mask) = (0, 0);
    for visit in visits {
        let lanes = visit.active.count_ones();
        if visit.active & !before != 0 {
            entered = lanes;
        }
        before = visit.active;
        trips.all += visit.repeat;
        if 2 * lanes < entered {
            trips.sparse += visit.repeat;
            trips.last = visit.active;
        }
    }
    trips
}
