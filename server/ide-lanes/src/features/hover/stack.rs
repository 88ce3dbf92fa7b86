//! WAVE's divergence stack after a control flow instruction.

use std::fmt::Write;

use warplens_sim_warp::{LaneSet, Mask, StackEntry, TracedVisit, WaitingLanes};

use crate::view::{LaneView, LineOf, StatementView};

/// The number of entries that the stack can have.
const CAPACITY: usize = 32;

/// The entries, innermost first, in the shown visit; `None` if the statement does not change the stack.
pub(super) fn sentences(
    seen: &TracedVisit,
    statement: &StatementView<'_>,
    shown: &LaneView,
    line_of: LineOf<'_>,
) -> Option<String> {
    let stack = seen.stack.as_ref()?;
    let visits = statement.trace.map_or(1, |trace| trace.count);
    let visit = if visits > 1 { format!(" after visit {} of {visits}", seen.visit) } else { String::new() };
    let calls = stack.iter().filter(|entry| matches!(entry.waiting, WaitingLanes::Call(_))).count();
    let mut text = match stack.len() - calls {
        0 => format!("**Divergence stack**{visit}: empty."),
        1 => format!("**Divergence stack**{visit}: 1 of {CAPACITY} entries is used."),
        used => {
            format!(
                "**Divergence stack**{visit}: {used} of {CAPACITY} entries are used, the innermost first."
            )
        }
    };
    if !stack.is_empty() {
        text.push('\n');
    }
    for entry in stack.iter().rev() {
        let line = shown.place(entry.opened).map(|place| format!(" of line {}", line_of(place.end()) + 1));
        let _ = write!(text, "\n- {}", words(entry, &line.unwrap_or_default()));
    }
    Some(text)
}

fn words(entry: &StackEntry, line: &str) -> String {
    let (word, waiting, end) = match entry.waiting {
        WaitingLanes::Other(other) => ("if", vec![("waiting for `else`", other)], "after `endif`"),
        WaitingLanes::Loop { broken, continued } => {
            let waiting = vec![("waiting for the next iteration", continued), ("broke", broken)];
            ("loop", waiting, "after `endloop`")
        }
        WaitingLanes::Call(waiting) => ("call", vec![("not called", waiting)], "after `return`"),
    };
    let mut text = format!("`{word}`{line}");
    for (what, mask) in waiting.into_iter().filter(|(_, mask)| *mask != 0).chain([(end, entry.reconverging)])
    {
        let _ = write!(text, "; {what}: {}", lanes(mask));
    }
    text
}

fn lanes(mask: Mask) -> String {
    if mask == 0 { "no lanes".to_owned() } else { LaneSet(mask).to_string() }
}
