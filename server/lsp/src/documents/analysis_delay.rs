//! How long the analyses of a document wait after an edit of a very large function.
//!
//! The cost of an edit is not known in advance, so an analysis waits if the one after the previous edit took long or did not finish.

use std::time::Duration;
use warplens_system::clock::Instant;

/// Only edits of functions with more bytes cause a delay.
const LARGE: usize = 1 << 20;

/// How long there must be no edit.
const DELAY: Duration = Duration::from_millis(300);

/// An analysis that takes longer than this waits after the next edit.
const LONG: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Analysis {
    Diagnostics,
    Preparation,
}

/// The delay of the analyses of a document.
#[derive(Debug, Default)]
pub(crate) struct AnalysisDelay {
    /// The end of the delay; `None` if the last edit was not in a very large function.
    until: Option<Instant>,
    /// Whether the last diagnostics after such an edit took long.
    diagnostics: bool,
    /// Whether the last preparation after such an edit took long.
    preparation: bool,
}

impl AnalysisDelay {
    /// Starts a delay after an edit. `largest_item` is the size of the largest item that it changed.
    pub(crate) fn start(&mut self, largest_item: usize) {
        self.until = (largest_item > LARGE).then(|| Instant::now() + DELAY);
    }

    /// How long an analysis still waits.
    pub(crate) fn remaining(&mut self, analysis: Analysis) -> Duration {
        let takes_long = *self.takes_long(analysis);
        let remaining = |until: Instant| until.saturating_duration_since(Instant::now());
        self.until.filter(|_| takes_long).map_or(Duration::ZERO, remaining)
    }

    pub(crate) fn is_over(&self) -> bool {
        self.until.is_none_or(|until| until <= Instant::now())
    }

    /// Records how long an analysis took, and whether an edit cancelled it.
    pub(crate) fn record(&mut self, analysis: Analysis, took: Duration, is_cancelled: bool) {
        if self.until.is_some() {
            *self.takes_long(analysis) = is_cancelled || took > LONG;
        }
    }

    fn takes_long(&mut self, analysis: Analysis) -> &mut bool {
        match analysis {
            Analysis::Diagnostics => &mut self.diagnostics,
            Analysis::Preparation => &mut self.preparation,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the diagnostics and the preparation wait after an edit.
    fn wait_after(delay: &mut AnalysisDelay, largest_item: usize) -> (bool, bool) {
        delay.start(largest_item);
        let mut waits = |analysis| !delay.remaining(analysis).is_zero();
        (waits(Analysis::Diagnostics), waits(Analysis::Preparation))
    }

    #[test]
    fn an_analysis_waits_after_one_that_took_long() {
        let mut delay = AnalysisDelay::default();
        assert_eq!(wait_after(&mut delay, 2 * LARGE), (false, false), "nothing is known yet");
        delay.record(Analysis::Diagnostics, 2 * LONG, false);
        assert_eq!(wait_after(&mut delay, 2 * LARGE), (true, false));
        delay.record(Analysis::Preparation, LONG / 2, true);
        assert_eq!(wait_after(&mut delay, 2 * LARGE), (true, true));
        delay.record(Analysis::Diagnostics, LONG / 2, false);
        assert_eq!(wait_after(&mut delay, 2 * LARGE), (false, true));
    }

    #[test]
    fn small_functions_are_analyzed_at_once() {
        let mut delay = AnalysisDelay::default();
        assert_eq!(wait_after(&mut delay, LARGE / 2), (false, false));
        delay.record(Analysis::Diagnostics, 2 * LONG, false);
        assert_eq!(wait_after(&mut delay, 2 * LARGE), (false, false), "the function was another one");
        assert!(!delay.is_over());
    }
}
