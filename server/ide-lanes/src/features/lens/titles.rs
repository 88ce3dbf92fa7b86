//! Titles that the lenses of all clients share.

use warplens_sim_launch::{Launch, size};
use warplens_sim_warp::Status;

use crate::launches::{AvailableLaunch, LaunchSource};
use crate::view::{LaneView, LineOf};

/// `▶ Run inferred 1 x 64`
pub(super) fn launch_title(launch: &AvailableLaunch) -> String {
    let (grid, block) = (size(launch.grid), size(launch.block));
    match launch.source {
        LaunchSource::Inferred => format!("▶ Run inferred {grid} x {block}"),
        _ => format!("▶ Run {}", launch.name),
    }
}

/// `✓ expected`, or the first expectation of the launch that does not hold.
pub(super) fn expected(shown: &LaneView) -> Option<String> {
    match shown.failures.first() {
        Some(failure) => {
            let first = failure.message.split(';').next().unwrap_or_default();
            Some(format!("✗ {}", first.replace('`', "")))
        }
        None => shown.is_checked().then(|| "✓ expected".to_owned()),
    }
}

/// ` with block 256`: what an inferred launch assumes because the kernel has findings without it.
pub(super) fn assumed(launch: &Launch) -> String {
    match launch.assumed.is_empty() {
        true => String::new(),
        false => format!(" with {}", launch.assumed.join(", ")),
    }
}

/// `, fault at line 3 (no-meaning)`, with the finding that stopped a run; empty for the whole run of the present text.
pub(super) fn ended(shown: &LaneView, line_of: LineOf<'_>, separator: &str) -> String {
    let stopped = shown.stopped_at();
    let stopped = stopped.map(|(finding, at)| format!(" at line {} ({})", line_of(at) + 1, finding.kind));
    let ended = match shown.result.status {
        _ if shown.partial => format!("{separator}first part of the run"),
        Status::Finished => String::new(),
        other => format!("{separator}{}{}", other.as_str(), stopped.unwrap_or_default()),
    };
    let outdated = if shown.outdated { " (before the last edits)" } else { "" };
    ended + outdated
}

/// `⚠ small: the file has no kernel`: the first configured launch that cannot be run.
pub(super) fn broken(launches: &[&AvailableLaunch]) -> Option<String> {
    let mut written = launches.iter().filter(|launch| launch.source.is_configured());
    written.find_map(|launch| Some(format!("⚠ {}: {}", launch.name, launch.problem.as_ref()?)))
}

/// `, wave-emu`: the model of the run, if it is not a default.
pub(super) fn under(shown: &LaneView) -> String {
    if shown.is_usual_model() { String::new() } else { format!(", {}", shown.model()) }
}
