//! The progress of `compare --random`.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A progress bar on standard error, if that is a terminal.
pub(super) fn progress(launches: usize) -> ProgressBar {
    let is_terminal = std::io::stderr().is_terminal();
    let target = if is_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(launches as u64), target);
    let style =
        ProgressStyle::with_template("{bar:20} launch {pos} of {len}, {msg}").expect("valid template");
    bar.with_style(style)
}
