//! The progress of a run on a terminal.

use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressStyle};
use warplens_sim_warp::Progress;

/// The delay after which the progress is shown.
const DELAY: Duration = Duration::from_millis(150);

/// A line on standard error, if that is a terminal.
pub(super) struct ProgressLine {
    bar: ProgressBar,
    started: Instant,
    is_terminal: bool,
}

impl ProgressLine {
    pub(super) fn new() -> ProgressLine {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        ProgressLine { bar, started: Instant::now(), is_terminal: io::stderr().is_terminal() }
    }

    /// Shows the progress of the run.
    pub(super) fn show(&self, progress: Progress) {
        if !self.is_terminal || self.started.elapsed() < DELAY {
            return;
        }
        if self.bar.is_hidden() {
            let template = if progress.blocks > 1 { "{bar:20} {msg}" } else { "{spinner} {msg}" };
            self.bar.set_style(ProgressStyle::with_template(template).expect("valid template"));
            self.bar.set_length(progress.blocks);
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.set_position(progress.blocks_done);
        self.bar.set_message(message(progress));
    }

    pub(super) fn end(self) {
        self.bar.finish_and_clear();
    }
}

/// The message, which fits into 60 columns.
fn message(Progress { steps, blocks_done, blocks }: Progress) -> String {
    match blocks {
        0 | 1 => format!("{} warp instructions", HumanCount(steps)),
        _ => format!("block {} of {}", HumanCount(blocks_done), HumanCount(blocks)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages() {
        let progress = Progress { steps: 1_234_567, blocks_done: 0, blocks: 1 };
        assert_eq!(message(progress), "1,234,567 warp instructions");
        let progress = Progress { steps: 9, blocks_done: 3, blocks: 4000 };
        assert_eq!(message(progress), "block 3 of 4,000");
    }
}
