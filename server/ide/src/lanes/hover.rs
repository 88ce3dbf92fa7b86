//! What a statement did, for whoever points at it: a sentence, then a grid of lanes with the values that it wrote.

mod flow;

use std::fmt::Write;

use text_size::TextSize;
use warplens_sim::launch::show;
use warplens_sim::{LineTrace, Mask, RegisterValues, WarpId};

use super::shown::{Shown, ShownStatement};
use super::text::{Role, ranges, splits};
use crate::answer::Hover;

/// Lanes in a row of the grid.
const COLUMNS: usize = 8;

/// The line of an offset, from 0.
pub type LineOf<'t> = &'t dyn Fn(TextSize) -> u32;

/// What `shown` has to say about the statement at `offset`.
pub fn hover(shown: &Shown, offset: TextSize, line_of: LineOf<'_>) -> Option<Hover> {
    let statement = shown.statements().find(|statement| statement.range.contains_inclusive(offset))?;
    let WarpId { cta: [x, y, z], warp } = shown.warp();
    let mut markdown = sentence(&statement, shown.launched());
    if let Some(trace) = statement.trace {
        let flow =
            [flow::parting(&statement, trace, shown, line_of), flow::meeting(statement.meetings, trace)];
        for sentence in flow.into_iter().flatten() {
            let _ = write!(markdown, " {sentence}");
        }
    }
    let _ = write!(
        markdown,
        "\n\nLaunch *{}*, block {x},{y},{z}, warp {warp}, model `{}`.",
        shown.launch().name,
        shown.model()
    );
    if let Some(trace) = statement.trace {
        let values: Vec<_> = statement
            .writes
            .iter()
            .filter_map(|(name, kind)| Some(Written { register: shown.register(name)?, kind: *kind }))
            .collect();
        markdown += &grid(trace, shown, values.first());
        for value in values.iter().skip(1) {
            markdown += &grid(trace, shown, Some(value));
        }
    }
    Some(Hover { range: statement.range, markdown })
}

/// A register that only this statement wrote: its final values are what the statement wrote last.
struct Written<'s> {
    register: &'s RegisterValues,
    kind: warplens_sim::launch::ScalarKind,
}

fn sentence(statement: &ShownStatement<'_>, launched: Mask) -> String {
    let all = launched.count_ones();
    let Some(trace) = statement.trace else {
        return "**Not run**: no lane of this warp came here.".to_owned();
    };
    let [visit] = &*trace.visits else { return several_visits(trace, all) };
    let often = match trace.count {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let mut text = match visit.active == launched {
        true => format!("**All {all} lanes** came here, {often}"),
        false => format!(
            "**{} of {all} lanes** came here, {often}: {}",
            visit.active.count_ones(),
            listed(visit.active)
        ),
    };
    let resting = visit.active & !visit.executed;
    let parts = statement.role == Role::Branch && splits(visit);
    if !statement.parts.is_empty() || parts || resting == 0 {
        text.push('.');
    } else if visit.executed == 0 {
        text += "; the guard let none of them act.";
    } else {
        let _ =
            write!(text, "; the guard let {} act: {}.", visit.executed.count_ones(), listed(visit.executed));
    }
    if statement.role == Role::Join && statement.meetings.is_empty() {
        text += " Lanes that had parted are together again.";
    }
    text
}

fn several_visits(trace: &LineTrace, all: u32) -> String {
    let counts = trace.visits.iter().map(|visit| visit.executed.count_ones());
    let (least, most) = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
    let share = trace.executed_lanes as f64 / trace.count.max(1) as f64;
    let mut text = format!(
        "**{} visits** by {least} to {most} of {all} lanes, {share:.1} on average; {} of them acted at least once.",
        trace.count,
        trace.executed.count_ones(),
    );
    if trace.truncated {
        let _ = write!(text, " Only the first {} different visits are kept.", trace.visits.len());
    }
    text
}

/// `lane 3`, `lanes 0-15, 20`
fn listed(mask: Mask) -> String {
    let ranges = ranges(mask);
    let word = if mask.count_ones() == 1 { "lane" } else { "lanes" };
    format!("{word} {}", ranges.join(", "))
}

/// The lanes in rows of eight: the value written, or what the lane did.
fn grid(trace: &LineTrace, shown: &Shown, written: Option<&Written<'_>>) -> String {
    let launched = shown.launched();
    let cells: Vec<String> =
        (0..shown.width()).map(|lane| cell(trace, launched, lane as usize, written)).collect();
    let widest = cells.iter().map(|cell| cell.len()).max().unwrap_or(0);
    let title = written.map_or(String::new(), |written| format!("{}\n", written.register.name));
    let mut text = format!("\n\n```text\n{title}lane");
    for column in 0..COLUMNS {
        let _ = write!(text, "  {:>widest$}", format!("+{column}"));
    }
    for (row, cells) in cells.chunks(COLUMNS).enumerate() {
        let _ = write!(text, "\n{:>4}", row * COLUMNS);
        for cell in cells {
            let _ = write!(text, "  {cell:>widest$}");
        }
    }
    text + "\n```"
}

fn cell(trace: &LineTrace, launched: Mask, lane: usize, written: Option<&Written<'_>>) -> String {
    let has = |mask: Mask| mask >> lane & 1 == 1;
    if has(trace.executed) {
        let value = written.and_then(|written| {
            let bits = (*written.register.lanes.get(lane)?)?;
            Some(match written.register.bits {
                1 => bits.to_string(),
                65.. => format!("{bits:x}"),
                _ => show(written.kind, bits as u64),
            })
        });
        return value.unwrap_or_else(|| "ran".to_owned());
    }
    match (has(trace.active), has(launched)) {
        (true, _) => "off",
        (false, true) => "-",
        (false, false) => "",
    }
    .to_owned()
}

#[cfg(test)]
mod tests;
