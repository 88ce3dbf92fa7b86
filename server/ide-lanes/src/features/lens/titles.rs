//! Titles that the lenses of all clients share.

use warplens_sim_launch::{Launch, size};

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
    match shown.failures().first() {
        Some(failure) => {
            let first = failure.split(';').next().unwrap_or_default();
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

/// ` at line 3 (no-meaning)`: the finding that stopped a run.
pub(super) fn stopped_at(shown: &LaneView, line_of: LineOf<'_>) -> Option<String> {
    let (finding, at) = shown.stopped_at()?;
    Some(format!(" at line {} ({})", line_of(at) + 1, finding.kind))
}

/// `, wave-emu`: the model of the run, if it is not a default.
pub(super) fn under(shown: &LaneView) -> String {
    if shown.is_usual_model() { String::new() } else { format!(", {}", shown.model()) }
}
