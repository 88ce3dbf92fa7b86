//! Percentiles of measured times, and their output.

use std::time::Duration;

/// The times of one kind of event.
#[derive(Default)]
pub(crate) struct Times(Vec<Duration>);

impl Times {
    pub(crate) fn push(&mut self, time: Duration) {
        self.0.push(time);
    }

    pub(crate) fn extend(&mut self, other: &Times) {
        self.0.extend_from_slice(&other.0);
    }

    /// The time within which `share` (0 to 1) of all times are: the nearest rank.
    fn percentile(&self, share: f64) -> Duration {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let rank = (share * sorted.len() as f64).ceil() as usize;
        sorted.get(rank.saturating_sub(1)).copied().unwrap_or_default()
    }

    pub(crate) fn print(&self, name: &str) {
        let milliseconds = |share| self.percentile(share).as_secs_f64() * 1e3;
        println!(
            "{name:<34} n={:<5} p50 {:7.2} ms   p95 {:7.2} ms   max {:7.2} ms",
            self.0.len(),
            milliseconds(0.5),
            milliseconds(0.95),
            milliseconds(1.0),
        );
    }
}
