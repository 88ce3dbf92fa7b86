//! How a line reads: the few words at the end of a line that say which lanes ran it. Pure.
//!
//! Words and digits only, because a screen reader reads them; short, because editors cut what is long.

use warplens_sim::lanes::{Pattern, ranges};
use warplens_sim::{LineTrace, Mask, TracedVisit, Visit};

/// How sets of lanes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Format {
    /// `24/32 0-15,20-27`
    #[default]
    Ranges,
    /// `0fffffff`
    Hex,
    /// One cell for four lanes: `████░·▓█`
    Blocks,
    /// `24/32`
    Count,
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

/// What a reader wants to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Style {
    /// How sets of lanes are written.
    pub format: Format,
    /// Whether a line that all lanes ran says so (`32`) rather than nothing.
    pub full: bool,
    /// Whether the values that a line wrote are said too.
    pub values: bool,
}

/// One statement as one warp saw it.
#[derive(Debug, Clone, Copy)]
pub struct Reading<'t> {
    /// Lanes that exist.
    pub launched: Mask,
    /// Lanes of a full warp.
    pub width: u32,
    /// What happened at the statement; `None` where the warp never came.
    pub trace: Option<&'t LineTrace>,
    /// What the statement does to groups of lanes.
    pub role: Role,
    /// How many lanes a statement with several targets sent to each of them, where that is known.
    pub parts: &'t [u32],
    /// The visit to tell of, where one was chosen; `None` inside where the warp had not come yet at that moment.
    pub chosen: Option<Option<&'t TracedVisit>>,
}

/// What a statement does to groups of lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// Nothing.
    #[default]
    Plain,
    /// Sends lanes to different places: those that executed to one, the others to the next.
    Branch,
    /// Lanes that a branch parted are together again here.
    Join,
}

/// Longest text for a warp of 32 lanes.
const BUDGET: usize = 26;

/// The text for a line with these statements: that of the first which not all lanes ran just once.
pub fn line<'t>(statements: impl IntoIterator<Item = Reading<'t>>, style: Style) -> Option<String> {
    let mut full = None;
    for statement in statements {
        match text(&statement, style.format) {
            Some(text) => return Some(text),
            None => full = Some(statement.launched.count_ones()),
        }
    }
    full.filter(|_| style.full).map(|lanes| lanes.to_string())
}

/// The text for one statement; `None` if all lanes ran it, once.
fn text(statement: &Reading<'_>, format: Format) -> Option<String> {
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
            Some(times(trace.count, |room| one_visit(statement, visit, format, room)))
        }
        visits => Some(several_visits(statement, trace, visits, format)),
    }
}

/// `visit 2/4`, and what that was like.
fn chosen_visit(statement: &Reading<'_>, trace: &LineTrace, seen: &TracedVisit, format: Format) -> String {
    let number = format!("visit {}/{}", seen.visit, trace.count);
    let visit = Visit { active: seen.active, executed: seen.executed, repeat: 1 };
    match one_visit(statement, &visit, format, BUDGET.saturating_sub(number.len() + 1)) {
        Some(text) => format!("{number} {text}"),
        None => number,
    }
}

/// `x4`, and what every one of the visits was like.
fn times(count: u64, each: impl FnOnce(usize) -> Option<String>) -> String {
    let times = format!("x{count}");
    match each(BUDGET.saturating_sub(times.len() + 1)) {
        Some(text) => format!("{times} {text}"),
        None => times,
    }
}

fn one_visit(statement: &Reading<'_>, visit: &Visit, format: Format, room: usize) -> Option<String> {
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
                let room = room.saturating_sub(prefix.len());
                prefix + &in_words(executed, statement.launched, room)
            }
            Format::Hex => format!("{} of {}", hex(executed, statement.width), hex(active, statement.width)),
            Format::Blocks => format!("{of} {}", blocks(executed, statement.width)),
            Format::Count => of,
        });
    }
    if statement.role == Role::Join {
        return Some(format!("join {there}"));
    }
    part(active, statement, format, room)
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

/// Whether a branch sent lanes both ways.
pub(crate) fn splits(visit: &Visit) -> bool {
    visit.executed != 0 && visit.executed != visit.active
}

/// Some of the launched lanes; nothing if it is all of them.
fn part(lanes: Mask, of: &Reading<'_>, format: Format, room: usize) -> Option<String> {
    let launched = of.launched;
    if lanes == launched {
        return None;
    }
    let count = format!("{}/{}", lanes.count_ones(), launched.count_ones());
    Some(match format {
        Format::Hex => hex(lanes, of.width),
        Format::Blocks => blocks(lanes, of.width),
        Format::Count => count,
        Format::Ranges => {
            let room = room.saturating_sub(count.len() + 1);
            format!("{count} {}", in_words(lanes, launched, room))
        }
    })
}

fn several_visits(statement: &Reading<'_>, trace: &LineTrace, visits: &[Visit], format: Format) -> String {
    let mut lanes: Vec<Mask> = visits
        .iter()
        .map(|visit| match statement.role {
            // How many came says more than how many jumped, and the lines around say it too.
            Role::Branch => visit.active,
            _ => visit.executed,
        })
        .collect();
    lanes.dedup();
    if let ([lanes], false) = (lanes.as_slice(), trace.truncated) {
        return times(trace.count, |room| part(*lanes, statement, format, room));
    }
    let union = || lanes.iter().fold(0, |union, mask| union | mask);
    let what = match format {
        Format::Hex => hex(union(), statement.width),
        Format::Blocks => blocks(union(), statement.width),
        Format::Ranges | Format::Count => {
            let counts: Vec<String> = lanes.iter().map(|mask| mask.count_ones().to_string()).collect();
            match counts.as_slice() {
                [first @ .., _] if trace.truncated => format!("{}>..", first[..first.len().min(3)].join(">")),
                [a, b, c, _, .., last] if counts.len() > 4 => format!("{a}>{b}>{c}>..>{last}"),
                few => few.join(">"),
            }
        }
    };
    format!("x{} {what}", trace.count)
}

/// The pattern of some of the launched lanes, or ranges.
fn in_words(lanes: Mask, launched: Mask, room: usize) -> String {
    match Pattern::of(lanes, launched) {
        Some(pattern) => pattern.to_string(),
        None => some_ranges(lanes, room),
    }
}

/// At most three ranges, fewer where there is no room for them; `..` where some are left out.
fn some_ranges(lanes: Mask, room: usize) -> String {
    let ranges = ranges(lanes);
    let fits = |shown: usize| {
        let mut text = ranges[..shown].join(",");
        if shown < ranges.len() {
            text.push_str("..");
        }
        text
    };
    let most = ranges.len().min(3);
    (1..=most).rev().map(fits).find(|text| text.len() <= room).unwrap_or_else(|| fits(most.min(1)))
}

/// Hex digits, highest lane first: 8, or 16 for warps of more than 32 lanes.
pub fn hex(lanes: Mask, width: u32) -> String {
    if width <= 32 { format!("{lanes:08x}") } else { format!("{lanes:016x}") }
}

/// A cell for every four lanes, lane 0 first, filled by how many of them are there.
fn blocks(lanes: Mask, width: u32) -> String {
    const CELLS: [char; 5] = ['·', '░', '▒', '▓', '█'];
    let cells = if width <= 32 { 8 } else { 16 };
    (0..cells).map(|cell| CELLS[(lanes >> (cell * 4) & 0xf).count_ones() as usize]).collect()
}

#[cfg(test)]
mod tests;
