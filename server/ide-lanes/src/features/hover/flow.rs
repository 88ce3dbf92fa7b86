//! Divergence and reconvergence at a statement.

use std::fmt::Write;

use warplens_sim_warp::{LaneSet, LineTrace, Mask, Reconvergence};

use crate::run::{Role, splits};
use crate::view::{LaneView, LineOf, StatementView};

/// The maximum number of groups that are listed.
const NAMED: usize = 4;

/// The divergence at a branch, in a sentence or two; `None` if it was uniform.
pub(super) fn divergence(
    statement: &StatementView<'_>,
    trace: &LineTrace,
    shown: &LaneView,
    line_of: LineOf<'_>,
) -> Option<String> {
    let mut text = match &*trace.visits {
        _ if !statement.parts.is_empty() => {
            let parts: Vec<_> = statement.parts.iter().map(u32::to_string).collect();
            format!("The branch diverged into groups of {} lanes.", parts.join(", "))
        }
        [visit] if statement.role == Role::Branch && splits(visit) => format!(
            "The branch diverged: taken by {:#}, not taken by {:#}.",
            LaneSet(visit.executed),
            LaneSet(visit.active & !visit.executed)
        ),
        several if statement.role == Role::Branch => {
            let diverged: u64 = several.iter().filter(|visit| splits(visit)).map(|visit| visit.repeat).sum();
            match diverged {
                0 => return None,
                1 => "The branch diverged once.".to_owned(),
                times => format!("The branch diverged {times} times."),
            }
        }
        _ => return None,
    };
    if let Some(condition) = &statement.statement.condition {
        let _ = write!(text, " Its condition is `{condition}`.");
    }
    match statement.statement.flow.reconvergence().map(|reconvergence| shown.place(reconvergence)) {
        Some(Some(place)) => {
            let _ = write!(text, " The lanes reconverge at line {}.", line_of(place.end()) + 1);
        }
        Some(None) => {}
        None => text += " The lanes do not reconverge before they exit.",
    }
    Some(text)
}

/// The groups that first reconverged at a statement; `None` if none did.
pub(super) fn reconvergence(reconvergences: &[Reconvergence], trace: &LineTrace) -> Option<String> {
    let active: Vec<Mask> = trace.visits.iter().map(|visit| visit.active).collect();
    let when = |reconvergence: &Reconvergence| {
        let all = reconvergence.parts.iter().fold(0, |all, part| all | part);
        active.iter().position(|active| *active == all)
    };
    let (at, first) = reconvergences
        .iter()
        .filter_map(|reconvergence| Some((when(reconvergence)?, reconvergence)))
        .min_by_key(|(at, _)| *at)?;
    let mut parts: Vec<String> =
        first.parts.iter().take(NAMED).map(|part| format!("{:#}", LaneSet(*part))).collect();
    if first.parts.len() > NAMED {
        parts.push(format!("{} more groups", first.parts.len() - NAMED));
    }
    let last = parts.pop()?;
    let when = match active.len() {
        1 => "",
        _ if at == 0 => " at the first visit",
        _ => " at a later visit",
    };
    Some(format!("Reconverged here{when}: {} and {last}.", parts.join("; ")))
}
