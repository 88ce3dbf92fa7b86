//! Counts the launches that have ended, for the terminal and the exit code.

use std::fmt;

use anyhow::Error;
use indicatif::{HumanCount, ProgressBar, ProgressStyle};

use super::earlier_results::EarlierResults;
use super::result::Counted;
use crate::cli::outcome::{Outcome, print_message, unusable};

/// The counts so far. A terminal shows them while the batch runs.
pub(super) struct Summary {
    bar: ProgressBar,
    counts: Counts,
}

#[derive(Debug, Default, Clone, Copy)]
struct Counts {
    passed: u64,
    failed: u64,
    incomplete: u64,
    invalid: u64,
    /// The number of launches with an earlier result, and how many of them did not pass.
    earlier: [u64; 2],
}

impl Summary {
    pub(super) fn new(earlier: &EarlierResults) -> Summary {
        let style = ProgressStyle::with_template("{spinner} {msg}, {per_sec}").expect("valid template");
        let counts = Counts { earlier: [earlier.count(), earlier.failed], ..Counts::default() };
        Summary { bar: ProgressBar::new_spinner().with_style(style), counts }
    }

    pub(super) fn add(&mut self, counted: Counted) {
        let Counts { passed, failed, incomplete, invalid, .. } = &mut self.counts;
        *match counted {
            Counted::Passed => passed,
            Counted::Failed => failed,
            Counted::Incomplete => incomplete,
            Counted::Invalid => invalid,
        } += 1;
        self.bar.inc(1);
        if !self.bar.is_hidden() {
            self.bar.set_message(self.counts.to_string());
        }
    }

    /// Prints why the batch was not read to its end, if it was not, and the counts. Returns the outcome of the batch.
    pub(super) fn end(self, unread: Option<Error>) -> Outcome {
        self.bar.finish_and_clear();
        let outcome = unread.map_or(self.counts.outcome(), unusable);
        print_message(self.counts);
        outcome
    }
}

impl Counts {
    fn outcome(self) -> Outcome {
        let Counts { failed, incomplete, invalid, earlier: [_, earlier], .. } = self;
        match () {
            () if failed + invalid + earlier != 0 => Outcome::Errors,
            () if incomplete != 0 => Outcome::Incomplete,
            () => Outcome::Success,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counts { passed, failed, incomplete, invalid, earlier } = *self;
        let launches = passed + failed + incomplete + invalid;
        let plural = if launches == 1 { "" } else { "es" };
        write!(f, "{} launch{plural}: {} passed", HumanCount(launches), HumanCount(passed))?;
        for (count, what) in [(failed, "failed"), (incomplete, "incomplete"), (invalid, "invalid")] {
            if count != 0 {
                write!(f, ", {} {what}", HumanCount(count))?;
            }
        }
        match earlier {
            [0, _] => Ok(()),
            [all, 0] => write!(f, "; {} skipped, with earlier results", HumanCount(all)),
            [all, failed] => write!(
                f,
                "; {} skipped, with earlier results ({} not passed)",
                HumanCount(all),
                HumanCount(failed)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        let text = |passed, failed, invalid, earlier| {
            let counts = Counts { passed, failed, incomplete: 0, invalid, earlier };
            (counts.to_string(), counts.outcome())
        };
        let launches = |text: &str, outcome| (text.to_owned(), outcome);
        assert_eq!(text(1, 0, 0, [0; 2]), launches("1 launch: 1 passed", Outcome::Success));
        assert_eq!(
            text(1000, 2, 3, [0; 2]),
            launches("1,005 launches: 1,000 passed, 2 failed, 3 invalid", Outcome::Errors)
        );
        assert_eq!(
            text(0, 0, 0, [4, 0]),
            launches("0 launches: 0 passed; 4 skipped, with earlier results", Outcome::Success)
        );
        assert_eq!(
            text(2, 0, 0, [4, 1]),
            launches("2 launches: 2 passed; 4 skipped, with earlier results (1 not passed)", Outcome::Errors)
        );
        let limited = Counts { passed: 2, incomplete: 1, ..Counts::default() };
        assert_eq!(
            (limited.to_string(), limited.outcome()),
            launches("3 launches: 2 passed, 1 incomplete", Outcome::Incomplete)
        );
    }
}
