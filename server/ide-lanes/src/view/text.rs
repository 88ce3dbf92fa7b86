//! The words at the end of a line: the lanes that executed it. Pure.
//!
//! Words and digits only, for screen readers; short, because editors truncate long hints.

use warplens_sim_warp::lanes::{Pattern, ranges};
use warplens_sim_warp::{LineTrace, Mask, TracedVisit, Visit};

use crate::count::count;
use crate::json::{StatementTrace, hex};
use crate::run::{Role, splits};

/// The format of sets of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// `24/32 0-15,20-27`
    #[default]
    Ranges,
    /// `0fffffff`
    Hex,
    /// One cell for four lanes, with a quadrant for each: `████▌·▛█`
    Blocks,
    /// `24/32`
    Count,
    /// `16 odd`, or else `24/32`: after a strip, which shows the lanes.
    Label,
}

impl Format {
    /// The format that the setting `warplens.lanes.format` names.
    pub fn from_name(name: &str) -> Option<Format> {
        Some(match name {
            "ranges" => Format::Ranges,
            "hex" => Format::Hex,
            "blocks" => Format::Blocks,
            "count" => Format::Count,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Style {
    pub format: Format,
    /// Whether a line that all lanes executed once also has a hint (`32`).
    pub full: bool,
    /// Whether the values that a line wrote are also shown.
    pub values: bool,
}

/// The maximum length of the text for a warp of 32 lanes.
const BUDGET: usize = 26;

/// The text for a line: that of its first statement that some lanes did not execute exactly once.
pub fn line<'t>(statements: impl IntoIterator<Item = StatementTrace<'t>>, style: Style) -> Option<String> {
    let mut full = None;
    for statement in statements {
        match text(&statement, style.format) {
            Some(text) => return Some(text),
            None => full = Some(statement.launched.count_ones()),
        }
    }
    full.filter(|_| style.full).map(|lanes| lanes.to_string())
}

/// The label beside a strip of lanes. It has the numbers of lanes; the strip shows which lanes they are. It is as narrow as possible,
/// because the code follows it. After two spaces are the condition at which lanes diverged and `notes` about the statement, as far as
/// they fit.
pub(crate) fn label(statement: &StatementTrace<'_>, notes: &[String]) -> String {
    let style = Style { format: Format::Label, full: true, values: false };
    let label = line([*statement], style).unwrap_or_default().replace(" | ", "|");
    let condition = statement.condition.filter(|_| statement.has_split()).map(str::to_owned);
    match joined(condition.into_iter().chain(notes.iter().cloned())) {
        Some(rest) => format!("{label}  {rest}"),
        None => label,
    }
}

/// The number of characters of a hint that editors do not cut.
const LONGEST: usize = 43;

/// `16 odd; 8 sectors, ideal 4`; the last parts are omitted if it gets too long.
pub(super) fn joined(parts: impl Iterator<Item = String>) -> Option<String> {
    parts.reduce(|text, part| match text.len() + 2 + part.len() > LONGEST {
        true => text,
        false => format!("{text}; {part}"),
    })
}

/// The text for one statement; `None` if all lanes executed it once.
fn text(statement: &StatementTrace<'_>, format: Format) -> Option<String> {
    let Some(trace) = statement.trace.filter(|trace| trace.count > 0) else {
        return Some("not run".to_owned());
    };
    match statement.chosen {
        Some(None) => return Some("not yet run".to_owned()),
        Some(Some(seen)) if trace.count > 1 => return Some(chosen_visit(statement, trace, seen, format)),
        _ => {}
    }
    match &*trace.visits {
        [visit] if trace.count == 1 => one_visit(statement, visit, format, BUDGET),
        [visit] if !trace.truncated => {
            Some(times(trace.count, |budget| one_visit(statement, visit, format, budget)))
        }
        visits => Some(several_visits(statement, trace, visits, format)),
    }
}

/// `visit 2/4`, and the lanes of that visit.
fn chosen_visit(
    statement: &StatementTrace<'_>,
    trace: &LineTrace,
    seen: &TracedVisit,
    format: Format,
) -> String {
    let number = format!("visit {}/{}", seen.visit, trace.count);
    let visit = Visit { active: seen.active, executed: seen.executed, repeat: 1 };
    match one_visit(statement, &visit, format, BUDGET.saturating_sub(number.len() + 1)) {
        Some(text) => format!("{number} {text}"),
        None => number,
    }
}

/// `x4`, and the lanes that all visits have in common.
fn times(count: u64, each: impl FnOnce(usize) -> Option<String>) -> String {
    let times = format!("x{count}");
    match each(BUDGET.saturating_sub(times.len() + 1)) {
        Some(text) => format!("{times} {text}"),
        None => times,
    }
}

fn one_visit(statement: &StatementTrace<'_>, visit: &Visit, format: Format, budget: usize) -> Option<String> {
    let Visit { active, executed, .. } = *visit;
    let (there, acted) = (active.count_ones(), executed.count_ones());
    if !statement.parts.is_empty() {
        return Some(format!("split {}", some_parts(statement.parts)));
    }
    if statement.role == Role::Branch && splits(visit) {
        return Some(format!("split {acted} | {}", there - acted));
    }
    if executed != active {
        let of = format!("{acted} of {there}");
        return Some(match format {
            _ if executed == 0 => of,
            Format::Ranges => {
                let prefix = format!("{of} @ ");
                let budget = budget.saturating_sub(prefix.len());
                prefix + &in_words(executed, statement.launched, budget)
            }
            Format::Hex => format!("{} of {}", hex(executed, statement.width), hex(active, statement.width)),
            Format::Blocks => format!("{of} {}", blocks(executed, statement.width)),
            Format::Count => of,
            Format::Label => match Pattern::of(executed, statement.launched) {
                Some(pattern) => format!("{of}, {pattern}"),
                None => of,
            },
        });
    }
    if statement.role == Role::Join {
        return Some(format!("join {there}"));
    }
    part(active, statement, format, budget)
}

/// The sizes of at most four groups.
fn some_parts(parts: &[u32]) -> String {
    const MOST: usize = 4;
    let mut shown: Vec<String> = parts.iter().take(MOST).map(u32::to_string).collect();
    if parts.len() > MOST {
        shown.push("..".to_owned());
    }
    shown.join(" | ")
}

/// A part of the launched lanes; `None` if it is all of them.
fn part(lanes: Mask, of: &StatementTrace<'_>, format: Format, budget: usize) -> Option<String> {
    let launched = of.launched;
    if lanes == launched {
        return None;
    }
    let count = format!("{}/{}", lanes.count_ones(), launched.count_ones());
    Some(match format {
        Format::Hex => hex(lanes, of.width),
        Format::Blocks => blocks(lanes, of.width),
        Format::Count => count,
        Format::Label => match Pattern::of(lanes, launched) {
            Some(pattern) => format!("{} {pattern}", lanes.count_ones()),
            None => count,
        },
        Format::Ranges => {
            let budget = budget.saturating_sub(count.len() + 1);
            format!("{count} {}", in_words(lanes, launched, budget))
        }
    })
}

fn several_visits(
    statement: &StatementTrace<'_>,
    trace: &LineTrace,
    visits: &[Visit],
    format: Format,
) -> String {
    let mut lanes: Vec<Mask> = visits
        .iter()
        .map(|visit| match statement.role {
            // How many lanes took the branch is visible in the lines around it.
            Role::Branch => visit.active,
            _ => visit.executed,
        })
        .collect();
    lanes.dedup();
    if let ([lanes], false) = (lanes.as_slice(), trace.truncated) {
        let splits: u64 = visits.iter().filter(|visit| splits(visit)).map(|visit| visit.repeat).sum();
        if statement.role == Role::Branch && splits > 0 {
            return format!("{} visits, splits {splits}", trace.count);
        }
        return times(trace.count, |budget| part(*lanes, statement, format, budget));
    }
    let counts: Vec<u32> = lanes.iter().map(|mask| mask.count_ones()).collect();
    several_counts(trace.count, &counts, trace.truncated)
}

/// The numbers of lanes of visits whose lanes differ: `x4 32>24>16>8`, `32 visits, 1 lane each`. No format writes the union of the
/// lanes, which would look like the lanes of one visit.
fn several_counts(visits: u64, counts: &[u32], truncated: bool) -> String {
    let words: Vec<String> = counts.iter().map(u32::to_string).collect();
    let counts = match words.as_slice() {
        [first, rest @ ..] if rest.iter().all(|other| other == first) => {
            return format!("{visits} visits, {} each", count(counts[0], "lane"));
        }
        [first @ .., _] if truncated => format!("{}>..", first[..first.len().min(3)].join(">")),
        [a, b, c, _, .., last] if counts.len() > 4 => format!("{a}>{b}>{c}>..>{last}"),
        few => few.join(">"),
    };
    format!("x{visits} {counts}")
}

/// The lanes as a pattern, or else as ranges.
fn in_words(lanes: Mask, launched: Mask, budget: usize) -> String {
    match Pattern::of(lanes, launched) {
        Some(pattern) => pattern.to_string(),
        None => some_ranges(lanes, budget),
    }
}

/// At most three ranges, fewer if they do not fit the budget; `..` if some are omitted.
fn some_ranges(lanes: Mask, budget: usize) -> String {
    let ranges = ranges(lanes);
    let fits = |shown: usize| {
        let mut text = ranges[..shown].join(",");
        if shown < ranges.len() {
            text.push_str("..");
        }
        text
    };
    let most = ranges.len().min(3);
    (1..=most).rev().map(fits).find(|text| text.len() <= budget).unwrap_or_else(|| fits(most.min(1)))
}

/// A cell for every four lanes, lane 0 first. Its quadrants are the lanes: the upper two, then the lower two.
pub fn blocks(lanes: Mask, width: u32) -> String {
    const CELLS: [char; 16] =
        ['·', '▘', '▝', '▀', '▖', '▌', '▞', '▛', '▗', '▚', '▐', '▜', '▄', '▙', '▟', '█'];
    let cells = if width <= 32 { 8 } else { 16 };
    (0..cells).map(|cell| CELLS[(lanes >> (cell * 4) & 0xf) as usize]).collect()
}

#[cfg(test)]
mod tests;
