//! `sim --trace`: each step of a warp, in order of execution.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use text_size::TextRange;
use warplens_ide::lanes::json::Positions;
use warplens_ide::lanes::{Prepared, Steps};
use warplens_sim_warp::{Cancelled, Control, WarpId};

use super::arguments::Arguments;
use super::simulated::Simulated;
use crate::cli::plain::without_tabs;

const FAINT: Style = Style::new().dimmed();
const LANES: Style = AnsiColor::Cyan.on_default();

/// The limit of the width of the columns with instructions and lanes. Longer texts stick out.
const MAX_COLUMN: usize = 44;

/// Records the steps of a warp, by default the first.
pub(super) fn record(
    prepared: &Prepared,
    warp: Option<WarpId>,
    arguments: &Arguments,
    control: Control<'_>,
) -> Result<Option<Steps>, Cancelled> {
    let warp = warp.unwrap_or(WarpId { cta: [0; 3], warp: 0 });
    prepared.steps(warp, arguments.launch.trace_bytes(), control)
}

/// Writes a table with the number of each step, the line, the instruction, the lanes and the written values.
pub(super) fn write(steps: &Steps, run: &Simulated, out: &mut dyn Write) -> io::Result<()> {
    let instruction = |range: TextRange| {
        let text = run.text.byte_slice(usize::from(range.start())..usize::from(range.end()));
        without_tabs(&text.to_string()).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let rows = || {
        steps.iter(&run.prepared).map(|step| {
            let line = run.text.byte_to_line(step.statement.range.start().into()) + 1;
            (step.number, line, instruction(step.statement.range), step.lanes(), step.written().join(", "))
        })
    };
    let mut widths = [0; 4];
    for (number, line, instruction, lanes, _) in rows() {
        let lengths =
            [number.to_string().len(), line.to_string().len(), instruction.chars().count(), lanes.len()];
        for (width, length) in widths.iter_mut().zip(lengths) {
            *width = length.min(MAX_COLUMN).max(*width);
        }
    }
    let [numbers, lines, instructions, all_lanes] = widths;
    let (numbers, lines) = (numbers.max("step".len()), lines.max("line".len()));
    writeln!(
        out,
        "{FAINT}{:>numbers$}  {:>lines$}  {:instructions$}  {:all_lanes$}  written{FAINT:#}",
        "step", "line", "instruction", "lanes"
    )?;
    for (number, line, instruction, lanes, written) in rows() {
        let gap = if written.is_empty() { 0 } else { all_lanes.saturating_sub(lanes.len()) + 2 };
        writeln!(
            out,
            "{FAINT}{number:>numbers$}{FAINT:#}  {line:>lines$}  {instruction:instructions$}  \
             {LANES}{lanes}{LANES:#}{:gap$}{written}",
            ""
        )?;
    }
    if steps.truncated {
        writeln!(out, "{FAINT}… later steps are omitted (--memory limits the trace){FAINT:#}")?;
    }
    writeln!(out)
}

/// Writes one JSON object for each step, each on its own line.
pub(super) fn write_json(run: &Simulated, at: Positions<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(steps) = &run.steps else { return Ok(()) };
    for step in steps.iter(&run.prepared).filter_map(|step| step.to_json(steps.warp, &run.prepared, at)) {
        serde_json::to_writer(&mut *out, &step)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
