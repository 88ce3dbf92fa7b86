//! The sums over the warps of a run.

use super::Recorder;
use super::runs::{RunValue, Runs};
use super::sums::Sums;
use crate::trace::{Counters, LineTrace, Totals};

/// Sums over warps: one line per statement, without visits.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    sums: Runs<Sums>,
    /// One per statement, or empty if counters are off.
    counters: Vec<Option<Box<Counters>>>,
}

impl Summary {
    /// Adds the lines of one listed warp.
    pub fn add(&mut self, lines: &[LineTrace]) {
        let is_full = |line: &LineTrace| line.active_lanes == line.executed_lanes;
        let same = |a: &LineTrace, b: &LineTrace| {
            a.statement.0 + 1 == b.statement.0 && is_full(a) && Sums::of(a) == Sums::of(b)
        };
        for run in lines.chunk_by(same) {
            let (Some(first), Some(last)) = (run.first(), run.last()) else { continue };
            self.add_run(first.statement.0, last.statement.0 + 1, &Sums::of(first));
        }
        for line in lines {
            if let Some(counters) = &line.counters {
                self.add_counters(line.statement.index(), counters);
            }
        }
    }

    /// Adds a warp whose visits are not kept and resets its recorder, except for the runs: the next warp most likely
    /// takes the same paths.
    pub fn count(&mut self, recorder: &mut Recorder) {
        let mut at = 0;
        while let Some((first, end, sums)) = recorder.take_sums(at) {
            at = end;
            if sums.count != 0 {
                self.add_run(first, end, &sums);
            }
        }
        recorder.take_counters(|statement, counters| self.add_counters(statement, counters));
    }

    fn add_run(&mut self, first: u32, end: u32, sums: &Sums) {
        if self.sums.statements() < end as usize {
            self.sums.grow(end as usize, Sums::default());
        }
        let mut at = first;
        while at < end {
            let part = at;
            at = self.sums.arrange(part, end, |_, _| {});
            let joined = if at == end { *sums } else { sums.before_last() };
            self.sums.at(part).value.join(&joined);
        }
    }

    fn add_counters(&mut self, statement: usize, counters: &Counters) {
        if self.counters.len() <= statement {
            self.counters.resize(statement + 1, None);
        }
        self.counters[statement].get_or_insert_default().add(counters);
    }

    /// The statements reached by any warp, and the totals.
    pub fn finish(mut self) -> (Vec<LineTrace>, Totals) {
        let (mut totals, mut lines) = (Totals::default(), Vec::new());
        let mut at = 0;
        while let Some(first) = self.sums.next(at) {
            let run = self.sums.at(first);
            at = run.end;
            run.value.add_to(&mut totals, run.end - first);
            lines.extend(run.value.lines(first..run.end).map(|line| {
                let counters = self.counters.get_mut(line.statement.index()).and_then(Option::take);
                LineTrace { counters, ..line }
            }));
        }
        (lines, totals)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::trace::{Mask, StatementId};

    #[test]
    fn costs_are_summed_over_visits_and_warps() {
        let mut summary = Summary::default();
        for _ in 0..2 {
            let mut recorder = Recorder::new(2, 10, 100);
            recorder.count_costs();
            recorder.visit(StatementId(1), 1, 1);
            let mut cost = Counters::default();
            cost.shared.wavefronts = 3;
            recorder.cost(StatementId(1), &cost);
            recorder.cost(StatementId(1), &cost);
            summary.add(&recorder.finish().0);
        }
        let wavefronts = |line: &LineTrace| line.counters.as_ref().map(|counters| counters.shared.wavefronts);
        assert_eq!(summary.finish().0.iter().map(wavefronts).collect::<Vec<_>>(), [Some(12)]);
    }

    #[test]
    fn sums_over_warps() {
        let mut summary = Summary::default();
        for mask in [0xff, 0x0f] {
            let mut recorder = Recorder::new(1, 10, 100);
            recorder.visit(StatementId(0), mask, mask & 1);
            summary.add(&recorder.finish().0);
        }
        let (lines, totals) = summary.finish();
        assert_eq!((lines[0].count, lines[0].active, lines[0].active_lanes), (2, 0xff, 12));
        assert_eq!(
            totals,
            Totals { warp_instructions: 2, thread_instructions: 12, executed_thread_instructions: 2 }
        );
    }

    proptest! {
        /// The sums depend neither on which warps are listed nor on the paths of earlier warps.
        #[test]
        fn a_counted_warp_equals_a_listed_one(
            warps in vec(vec((0u32..12, 0u32..12, 1 as Mask..4, 0 as Mask..4), 0..8), 0..8),
        ) {
            let (mut counted, mut listed) = (Summary::default(), Summary::default());
            let mut reused = Recorder::new(12, 0, 0);
            for warp in warps {
                let mut recorder = Recorder::new(12, 4, 100);
                for (first, end, active, executed) in warp {
                    reused.visit_run(first, end, active, active & executed);
                    recorder.visit_run(first, end, active, active & executed);
                }
                counted.count(&mut reused);
                listed.add(&recorder.finish().0);
            }
            prop_assert_eq!(counted.finish(), listed.finish());
        }
    }
}
