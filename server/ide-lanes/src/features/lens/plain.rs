//! The lenses of clients that know only the commands of the server.

use super::click::{Click, Lens, LensRank};
use super::titles::{assumed, broken, ended, expected, launch_title, under};
use crate::count::count;
use crate::features::warps::percent;
use crate::launches::{AvailableLaunch, LaunchSource};
use crate::simulator::DocumentKernel;
use crate::view::{LaneView, LineOf, first_divergence};

/// The maximum number of launches of a kernel with lenses.
const MOST_LAUNCHES: usize = 3;

pub(super) fn over(
    kernel: &DocumentKernel,
    launches: &[&AvailableLaunch],
    running: Option<&LaneView>,
    line_of: LineOf<'_>,
) -> Vec<Lens> {
    let entry = kernel.kernel.name.to_string();
    let lens = |title: String, click: Click| Lens { range: kernel.name, title, click, rank: LensRank::Run };
    let mut lenses = Vec::new();
    if let Some(shown) = running {
        lenses.push(lens(run_title(shown, line_of), Click::Nothing));
        lenses.extend(expected(shown).map(|title| lens(title, Click::Nothing)));
        lenses.extend(first_divergence(shown, line_of).map(|divergence| lens(divergence, Click::Nothing)));
        lenses.push(lens("■ Stop".to_owned(), Click::Stop));
    }
    let (written, inferred): (Vec<&AvailableLaunch>, Vec<_>) =
        launches.iter().partition(|launch| launch.source != LaunchSource::Inferred);
    let usable = written.iter().filter(|launch| launch.problem.is_none());
    let is_running =
        |launch: &AvailableLaunch| running.is_some_and(|shown| shown.launch().name == launch.name);
    for launch in usable.take(MOST_LAUNCHES).chain(&inferred).filter(|launch| !is_running(launch)) {
        let click = Click::Select { entry: entry.clone(), launch: launch.name.clone() };
        lenses.push(lens(launch_title(launch), click));
    }
    lenses.extend(broken(launches).map(|title| lens(title, Click::Nothing)));
    lenses.extend(kernel.note.clone().map(|note| lens(note, Click::Nothing)));
    lenses
}

/// A summary of the run, in a few words.
fn run_title(shown: &LaneView, line_of: LineOf<'_>) -> String {
    let result = &shown.result;
    let totals = &result.totals;
    let share = percent(totals.thread_instructions, totals.warp_instructions * u64::from(shown.width()));
    let findings = match result.findings.len() {
        0 => String::new(),
        findings => format!(", {}", count(findings, "finding")),
    };
    let ran = match totals.warp_instructions {
        0 => "nothing was run".to_owned(),
        steps => format!("{steps} warp instructions, {share}% of lanes"),
    };
    let (assumed, under) = (assumed(shown.launch()), under(shown));
    let ended = ended(shown, line_of, ", ");
    format!("{}{assumed}{under}: {ran}{findings}{ended}", shown.launch().name)
}
