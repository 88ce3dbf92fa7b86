//! The lenses of clients that know only the commands of the server.

use warplens_sim_warp::Status;

use super::click::{Click, Lens};
use super::titles::{assumed, expected, launch_title, stopped_at, under};
use crate::launches::{AvailableLaunch, LaunchSource};
use crate::simulator::DocumentKernel;
use crate::view::{LaneView, LineOf, first_divergence};

/// The maximum number of launches of a kernel with lenses.
const MOST_LAUNCHES: usize = 3;

pub(super) fn over<'o>(
    kernel: &DocumentKernel,
    launches: impl Iterator<Item = &'o AvailableLaunch>,
    running: Option<&LaneView>,
    line_of: LineOf<'_>,
) -> Vec<Lens> {
    let entry = kernel.kernel.name.to_string();
    let lens = |title: String, click: Click| Lens { range: kernel.name, title, click };
    let mut lenses = Vec::new();
    if let Some(shown) = running {
        lenses.push(lens(run_title(shown, line_of), Click::Nothing));
        lenses.extend(expected(shown).map(|title| lens(title, Click::Nothing)));
        lenses.extend(first_divergence(shown, line_of).map(|divergence| lens(divergence, Click::Nothing)));
        lenses.push(lens("■ Stop".to_owned(), Click::Stop));
    }
    let (written, inferred): (Vec<_>, Vec<_>) =
        launches.partition(|launch| launch.source != LaunchSource::Inferred);
    let usable = written.iter().filter(|launch| launch.problem.is_none());
    let is_running =
        |launch: &AvailableLaunch| running.is_some_and(|shown| shown.launch().name == launch.name);
    for launch in usable.take(MOST_LAUNCHES).chain(&inferred).filter(|launch| !is_running(launch)) {
        let click = Click::Select { entry: entry.clone(), launch: launch.name.clone() };
        lenses.push(lens(launch_title(launch), click));
    }
    let broken = written.iter().find_map(|launch| Some((&launch.name, launch.problem.as_ref()?)));
    if let Some((name, problem)) = broken {
        lenses.push(lens(format!("⚠ {name}: {problem}"), Click::Nothing));
    }
    lenses.extend(kernel.note.clone().map(|note| lens(note, Click::Nothing)));
    lenses
}

/// A summary of the run, in a few words.
fn run_title(shown: &LaneView, line_of: LineOf<'_>) -> String {
    let result = shown.result();
    let totals = &result.totals;
    let width = u64::from(shown.width());
    let share = (totals.thread_instructions * 100).checked_div(totals.warp_instructions * width).unwrap_or(0);
    let findings = match result.findings.len() {
        0 => String::new(),
        1 => ", 1 finding".to_owned(),
        many => format!(", {many} findings"),
    };
    let ended = match result.status {
        _ if shown.is_partial() => ", first part of the run".to_owned(),
        Status::Finished => String::new(),
        other => format!(", {}{}", other.as_str(), stopped_at(shown, line_of).unwrap_or_default()),
    };
    let outdated = if shown.is_outdated() { " (before the last edits)" } else { "" };
    let ran = match totals.warp_instructions {
        0 => "nothing was run".to_owned(),
        steps => format!("{steps} warp instructions, {share}% of lanes"),
    };
    let under = under(shown);
    let assumed = assumed(shown.launch());
    format!("{}{assumed}{under}: {ran}{findings}{ended}{outdated}", shown.launch().name)
}
