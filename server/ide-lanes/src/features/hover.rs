//! The hover of a statement in a run: a sentence, then a grid of lanes with the values that it wrote.

mod flow;
mod meaning;
mod notes;
mod stack;

use std::fmt::Write;

use text_size::TextSize;
use warplens_ide_db::Hover;
use warplens_ide_db::markdown::{escape, escape_message};
use warplens_sim_ptx::meaning::OperandMeaning;
use warplens_sim_warp::{LaneSet, LineTrace, Mask, TracedRegister, TracedVisit, WarpId};

use crate::count::count;
use crate::run::{Role, splits};
use crate::view::{LaneView, LineOf, StatementView, counters, model_diff};

/// Lanes in a row of the grid.
const COLUMNS: usize = 8;

/// The maximum width of a grid in characters; hovers wrap longer lines.
const MAX_WIDTH: usize = 60;

/// The hover for the statement at `offset` and the `word` there.
pub fn hover(shown: &LaneView, offset: TextSize, word: &str, line_of: LineOf<'_>) -> Option<Hover> {
    let statement = shown.statements().find(|statement| statement.range.contains_inclusive(offset))?;
    let WarpId { cta: [x, y, z], warp } = shown.warp;
    let visited = statement.seen.into_iter();
    let registers = visited.flat_map(|seen| seen.registers.iter().map(move |held| (seen, held)));
    let registers = registers.map(|(seen, held)| Held { statement: &statement, seen, held, shown });
    let pointed: Vec<Held<'_>> =
        registers.clone().filter(|register| names(&register.held.name, word)).collect();
    let mut markdown = String::new();
    if let Some(seen) = statement.seen {
        markdown.extend(pointed.iter().map(Held::after));
        markdown += &meaning::of_register(&statement, seen, &|register| names(register, word));
    }
    markdown += &nothing_ran(shown, line_of).unwrap_or_else(|| sentence(&statement, shown.launched()));
    if let Some(trace) = statement.trace {
        markdown += &shown_visit(&statement, trace, shown);
        let flow = [
            flow::divergence(&statement, trace, shown, line_of),
            flow::reconvergence(statement.reconvergences, trace),
        ];
        for sentence in flow.into_iter().flatten() {
            let _ = write!(markdown, " {sentence}");
        }
    }
    if let Some(stack) = statement.seen.and_then(|seen| stack::sentences(seen, &statement, shown, line_of)) {
        let _ = write!(markdown, "\n\n{stack}");
    }
    let _ = write!(
        markdown,
        "\n\nLaunch *{}*, block {x},{y},{z}, warp {warp}, model `{}`.",
        escape(&shown.launch().name),
        shown.model()
    );
    if let Some(other) = model_diff::at_statement(&statement, shown, line_of, &sentence) {
        let _ = write!(markdown, "\n\n{other}");
    }
    if shown.partial {
        markdown += " This is the first part of a run that has not ended.";
    }
    if shown.outdated {
        markdown += " This is from before the last edits: the present program has an error that stops a run.";
    }
    if let Some(trace) = statement.trace {
        if let Some(cost) = counters::sentences(trace, shown.width()) {
            let _ = write!(markdown, "\n\n{cost}");
        }
        if let Some(all) = cost_of_all_warps(&statement, trace, shown) {
            let _ = write!(markdown, "\n\n{all}");
        }
        let is_cell_address = meaning::of(&statement, &|register| names(register, word))
            .is_some_and(OperandMeaning::is_cell_address);
        if pointed.is_empty() || is_cell_address {
            markdown += &notes::of_statement(&statement, shown, line_of);
        }
        if pointed.is_empty() {
            markdown += &all_values(registers);
        }
    }
    Some(Hover { range: statement.range, markdown })
}

/// The lanes that executed a statement, followed by the documentation of the name at the same offset.
pub fn with_documentation(lanes: Option<Hover>, documented: Option<Hover>) -> Option<Hover> {
    match (lanes, documented) {
        (Some(lanes), Some(documented)) => Some(Hover {
            markdown: format!("{}\n\n---\n\n{}", lanes.markdown, documented.markdown),
            ..documented
        }),
        (lanes, documented) => documented.or(lanes),
    }
}

/// Whether `word` names a register: the register itself, a vector that contains it, or in WAVE one of its halves or a negated
/// predicate.
fn names(register: &str, word: &str) -> bool {
    let word = word.trim_start_matches('!');
    let word = word.strip_suffix(".lo").or_else(|| word.strip_suffix(".hi")).unwrap_or(word);
    register.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// A register that a statement names, in the shown visit.
#[derive(Clone, Copy)]
struct Held<'h> {
    statement: &'h StatementView<'h>,
    seen: &'h TracedVisit,
    held: &'h TracedRegister,
    shown: &'h LaneView,
}

impl Held<'_> {
    /// The values after the statement.
    fn after(&self) -> String {
        let visits = self.statement.trace.map_or(1, |trace| trace.count);
        let visit =
            if visits > 1 { format!(", visit {} of {visits}", self.seen.visit) } else { String::new() };
        match self.sentence() {
            Some(sentence) => format!("**`{}`** {sentence}, after this line{visit}.\n\n", self.held.name),
            None => format!(
                "**`{}`** after this line{visit}:\n\n```text\n{}\n```\n\n",
                self.held.name,
                self.grid()
            ),
        }
    }

    /// The values in the active lanes as a sentence, if they have a simple form.
    fn sentence(&self) -> Option<String> {
        let reading = self.statement.reading(self.held, self.seen.active);
        let objects = self.shown.address_of(self.statement, &self.held.name);
        let address = objects.and_then(|objects| reading.address(objects));
        address.or_else(|| reading.sentence(self.shown.launched()))
    }

    /// The values in the active lanes, lane by lane.
    fn grid(&self) -> String {
        let reading = self.statement.reading(self.held, self.seen.active);
        grid(self.shown, &|lane| match self.seen.active >> lane & 1 {
            1 => reading.in_lane(lane).unwrap_or_else(|| "never".to_owned()),
            _ => "-".to_owned(),
        })
    }
}

/// The counters of a statement summed over all warps, if others than the shown one reached it too.
fn cost_of_all_warps(statement: &StatementView<'_>, trace: &LineTrace, shown: &LaneView) -> Option<String> {
    let sum = shown.result.summed.iter().find(|sum| sum.statement == statement.id)?;
    let cost = counters::sentences(sum, shown.width()).filter(|_| sum.count > trace.count)?;
    Some(format!("All warps, {}: {cost}", count(sum.count, "visit")))
}

/// The values of all registers of a statement: a sentence for each, or a grid of lanes for a written register without a simple form.
fn all_values<'h>(registers: impl Iterator<Item = Held<'h>>) -> String {
    let (mut sentences, mut grids) = (String::new(), String::new());
    for register in registers {
        let name = &register.held.name;
        if let Some(sentence) = register.sentence() {
            let _ = write!(sentences, "\n- `{name}` {sentence}");
        } else if register.held.written {
            let _ = write!(grids, "\n\n```text\n{name}\n{}\n```", register.grid());
        }
    }
    if !sentences.is_empty() {
        sentences.insert(0, '\n');
    }
    sentences + &grids
}

/// Why the launch did not start; `None` if it did.
fn nothing_ran(shown: &LaneView, line_of: LineOf<'_>) -> Option<String> {
    let (finding, at) = shown.stopped_at().filter(|_| shown.launched() == 0)?;
    Some(format!(
        "**Nothing was run** because of line {}: {}.",
        line_of(at) + 1,
        escape_message(&finding.message.replace('\n', ": "))
    ))
}

fn sentence(statement: &StatementView<'_>, launched: Mask) -> String {
    let all = launched.count_ones();
    let Some(trace) = statement.trace else {
        return "**Not executed**: no lane of this warp reached this line.".to_owned();
    };
    let [visit] = &*trace.visits else { return several_visits(trace, all) };
    let often = match trace.count {
        1 => "once".to_owned(),
        times => format!("{times} times"),
    };
    let mut text = match visit.active == launched {
        true => format!("**All {all} lanes** reached this line, {often}"),
        false => format!(
            "**{} of {all} lanes** reached this line, {often}: {:#}",
            visit.active.count_ones(),
            LaneSet(visit.active)
        ),
    };
    let resting = visit.active & !visit.executed;
    let parts = statement.role == Role::Branch && splits(visit);
    if !statement.parts.is_empty() || parts || resting == 0 {
        text.push('.');
    } else if visit.executed == 0 {
        text += "; all of them were predicated off.";
    } else {
        let _ = write!(
            text,
            "; {} executed, the others were predicated off: {:#}.",
            visit.executed.count_ones(),
            LaneSet(visit.executed)
        );
    }
    if statement.role == Role::Join && statement.reconvergences.is_empty() {
        text += " Lanes that had diverged reconverged here.";
    }
    text
}

/// Which of several visits was chosen; empty if none was.
fn shown_visit(statement: &StatementView<'_>, trace: &LineTrace, shown: &LaneView) -> String {
    let all = shown.launched().count_ones();
    match statement.seen.filter(|_| shown.moment.is_some() && trace.count > 1) {
        Some(seen) if seen.executed != 0 => format!(
            " Visit {} of {} is shown: {} of {all} lanes executed, {:#}.",
            seen.visit,
            trace.count,
            seen.executed.count_ones(),
            LaneSet(seen.executed)
        ),
        Some(seen) => format!(" Visit {} of {} is shown: no lane executed.", seen.visit, trace.count),
        None => String::new(),
    }
}

fn several_visits(trace: &LineTrace, all: u32) -> String {
    let active = range(trace.visits.iter().map(|visit| visit.active));
    let average = trace.active_lanes as f64 / trace.count.max(1) as f64;
    let each =
        if active.contains(" to ") { format!(", {average:.1} on average") } else { " each".to_owned() };
    let mut text = format!("**{} visits** by {active} of {all} lanes{each}; ", trace.count);
    let at_least_once = trace.executed.count_ones();
    let _ = match trace.active_lanes == trace.executed_lanes {
        true => write!(text, "{at_least_once} executed at least once"),
        false => {
            let executed = range(trace.visits.iter().map(|visit| visit.executed));
            write!(text, "{executed} executed per visit, {at_least_once} at least once")
        }
    };
    match at_least_once {
        0 => text.push('.'),
        lanes if lanes == all => text.push('.'),
        _ => {
            let _ = write!(text, ": {:#}.", LaneSet(trace.executed));
        }
    }
    if trace.truncated {
        let _ =
            write!(text, " Truncated: only the first {} different visits are stored.", trace.visits.len());
    }
    text
}

/// The fewest and the most lanes of any mask: `1 to 32`, or one number if all have as many.
fn range(masks: impl Iterator<Item = Mask> + Clone) -> String {
    let counts = masks.map(Mask::count_ones);
    let (least, most) = (counts.clone().min().unwrap_or(0), counts.max().unwrap_or(0));
    if least == most { most.to_string() } else { format!("{least} to {most}") }
}

/// The lanes in rows of eight, or in shorter rows if those would be wrapped.
fn grid(shown: &LaneView, cell: &dyn Fn(u32) -> String) -> String {
    let cells: Vec<String> = (0..shown.width()).map(cell).collect();
    let widest = cells.iter().map(|cell| cell.len()).max().unwrap_or(0);
    let fits = |columns: &usize| 4 + columns * (widest + 2) <= MAX_WIDTH;
    let columns = [COLUMNS, COLUMNS / 2, COLUMNS / 4].into_iter().find(fits).unwrap_or(1);
    let mut text = "lane".to_owned();
    for column in 0..columns {
        let _ = write!(text, "  {:>widest$}", format!("+{column}"));
    }
    for (row, cells) in cells.chunks(columns).enumerate() {
        let _ = write!(text, "\n{:>4}", row * columns);
        for cell in cells {
            let _ = write!(text, "  {cell:>widest$}");
        }
    }
    text
}

#[cfg(test)]
mod tests;
