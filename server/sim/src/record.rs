//! Writing a trace while a program runs: one recorder a warp, a handful of instructions a visit.
//!
//! Equal neighbouring visits are folded as they come, and everything that can be derived (unions, counts, sums of lanes) is
//! derived when a fold ends, so the common visit costs two compares and one add; where no more visits are kept, each is
//! counted at once. Consecutive statements of straight-line code have the same visits, which are stored once: a *run* of
//! statements is created when it is first reached, and split when a later visit covers only a part of it.

use std::sync::Arc;

use crate::step_stream::StepStream;
use crate::trace::{Counters, LineTrace, Mask, StatementId, Totals, Visit};

/// Sums over visits.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    count: u64,
    active: Mask,
    executed: Mask,
    active_lanes: u64,
    executed_lanes: u64,
}

impl Sums {
    #[inline(always)]
    fn add(&mut self, Visit { active, executed, repeat }: Visit) {
        self.count += repeat;
        self.active |= active;
        self.executed |= executed;
        self.active_lanes += repeat * u64::from(active.count_ones());
        self.executed_lanes += repeat * u64::from(executed.count_ones());
    }

    /// The line of a statement with these sums, without visits.
    fn line(&self, statement: usize, counters: Option<Box<Counters>>) -> LineTrace {
        LineTrace {
            statement: StatementId(statement as u32),
            count: self.count,
            active: self.active,
            executed: self.executed,
            active_lanes: self.active_lanes,
            executed_lanes: self.executed_lanes,
            visits: Arc::default(),
            truncated: true,
            counters,
        }
    }

    fn join(&mut self, other: &Sums) {
        self.count += other.count;
        self.active |= other.active;
        self.executed |= other.executed;
        self.active_lanes += other.active_lanes;
        self.executed_lanes += other.executed_lanes;
    }
}

/// The visits of each statement of a run by one warp; kept with the first of them.
#[derive(Clone, Copy, Debug, Default)]
struct Run {
    /// One past the last statement; 0 where no run starts.
    end: u32,
    /// Whether no more visits are kept.
    truncated: bool,
    /// The newest visit, not counted yet; repeated 0 times where there is none.
    open: Visit,
    sums: Sums,
}

/// Records the visits of one warp.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    /// One a statement.
    runs: Vec<Run>,
    /// The folded visits of each run; empty if visits are not kept.
    folded: Vec<Vec<Visit>>,
    /// One a statement, or empty if counters are off.
    counters: Vec<Counters>,
    max_visits: usize,
    budget: usize,
    /// Receives each step, if a caller wants them.
    stream: Option<StepStream>,
}

impl Recorder {
    /// A recorder for a program of `statements` statements that keeps at most `max_visits` folded visits a statement, and
    /// `budget` in all; those that statements share count once.
    pub fn new(statements: usize, max_visits: usize, budget: usize) -> Self {
        let truncated = max_visits == 0 || budget == 0;
        Recorder {
            runs: vec![Run { truncated, ..Run::default() }; statements],
            folded: if truncated { Vec::new() } else { vec![Vec::new(); statements] },
            counters: Vec::new(),
            max_visits,
            budget,
            stream: None,
        }
    }

    /// Sends each step to a stream, too.
    pub fn stream_to(&mut self, stream: Option<StepStream>) {
        self.stream = stream;
    }

    /// Whether the steps are sent to a stream.
    pub fn is_streaming(&self) -> bool {
        self.stream.is_some()
    }

    /// The memory of a recorder for a program of `statements` statements, without visits.
    pub fn bytes(statements: usize) -> u64 {
        statements as u64 * size_of::<Run>() as u64
    }

    /// Enables counters for each statement.
    pub fn count_costs(&mut self) {
        self.counters.resize(self.runs.len(), Counters::default());
    }

    /// Adds the counters of an access of `statement`, if counters are enabled.
    pub fn cost(&mut self, statement: StatementId, cost: &Counters) {
        if let Some(counters) = self.counters.get_mut(statement.index()) {
            counters.add(cost);
        }
    }

    /// Records a visit of `statement` by `active` lanes, of which `executed` execute it.
    #[inline(always)]
    pub fn visit(&mut self, statement: StatementId, active: Mask, executed: Mask) {
        self.visit_run(statement.0, statement.0 + 1, active, executed);
    }

    /// Records a visit of each statement in `first..end`, in order, by `active` lanes, of which `executed` execute it.
    #[inline(always)]
    pub fn visit_run(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        if first >= end {
            return;
        }
        if let Some(stream) = &self.stream {
            stream.send(first, end, active, executed);
        }
        self.count_run(first, end, active, executed);
    }

    #[inline(always)]
    fn count_run(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        let run = &mut self.runs[first as usize];
        if run.end != end {
            self.visit_parts(first, end, active, executed);
        } else if run.truncated {
            run.sums.add(Visit { active, executed, repeat: 1 });
        } else if run.open.active == active && run.open.executed == executed {
            run.open.repeat += 1;
        } else {
            self.open(first as usize, active, executed);
        }
    }

    /// [`Self::count_run`] for a range that is not exactly one run.
    #[inline(never)]
    fn visit_parts(&mut self, first: u32, end: u32, active: Mask, executed: Mask) {
        let mut at = first;
        while at < end {
            let run = &self.runs[at as usize];
            if run.end <= at || run.end > end {
                self.arrange(at, end);
            }
            let part = at;
            at = self.runs[part as usize].end;
            self.count_run(part, at, active, executed);
        }
    }

    /// The number of recorded visits of a statement.
    #[cold]
    pub fn visits_of(&self, statement: StatementId) -> u64 {
        let head = self.runs.get(..=statement.index()).and_then(|runs| runs.iter().rfind(|run| run.end != 0));
        match head.filter(|run| run.end > statement.0) {
            Some(run) => run.sums.count + run.open.repeat,
            None => 0,
        }
    }

    /// Starts a new fold of the run at `first`.
    #[inline(never)]
    fn open(&mut self, first: usize, active: Mask, executed: Mask) {
        self.close(first);
        let run = &mut self.runs[first];
        let visit = Visit { active, executed, repeat: 1 };
        if run.truncated {
            run.sums.add(visit);
        } else {
            run.open = visit;
        }
    }

    /// Ends the fold of the run at `first`.
    fn close(&mut self, first: usize) {
        let run = &mut self.runs[first];
        let visit = std::mem::take(&mut run.open);
        if visit.repeat == 0 {
            return;
        }
        run.sums.add(visit);
        if self.folded[first].len() < self.max_visits && self.budget > 0 {
            self.budget -= 1;
            self.folded[first].push(visit);
        } else {
            run.truncated = true;
        }
    }

    /// Ensures that a run starts at `at` and ends at `end` or before.
    #[cold]
    fn arrange(&mut self, at: u32, end: u32) {
        let first = at as usize;
        if self.runs[first].end == 0 {
            match self.runs[..first].iter().rposition(|run| run.end != 0) {
                Some(head) if self.runs[head].end > at => self.split(head, first),
                _ => {
                    let new = self.runs[first..end as usize].iter().take_while(|run| run.end == 0);
                    self.runs[first].end = at + new.count() as u32;
                }
            }
        }
        if self.runs[first].end > end {
            self.split(first, end as usize);
        }
    }

    /// Splits the run at `first` at statement `at`.
    fn split(&mut self, first: usize, at: usize) {
        self.runs[at] = self.runs[first];
        self.runs[first].end = at as u32;
        if !self.folded.is_empty() {
            self.folded[at] = self.folded[first].clone();
        }
    }

    /// Ends the fold of the first run from `at` on, and returns its first statement.
    fn close_next(&mut self, at: usize) -> Option<usize> {
        let first = at + self.runs[at..].iter().position(|run| run.end != 0)?;
        self.close(first);
        Some(first)
    }

    /// Ends the recording: the reached statements, and the remaining budget of visits for later warps.
    pub fn finish(mut self) -> (Vec<LineTrace>, usize) {
        let (mut lines, mut at) = (Vec::new(), 0);
        while let Some(first) = self.close_next(at) {
            let Run { end, sums, truncated, .. } = self.runs[first];
            at = end as usize;
            let folded = self.folded.get_mut(first).map(std::mem::take).unwrap_or_default();
            let visits: Arc<[Visit]> = folded.into();
            lines.extend((first..end as usize).map(|statement| {
                let counters = self.counters.get(statement).map(|&cost| Box::new(cost));
                LineTrace { visits: Arc::clone(&visits), truncated, ..sums.line(statement, counters) }
            }));
        }
        (lines, self.budget)
    }
}

/// The sums over warps: one line a statement, without visits.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    lines: Vec<(Sums, Option<Box<Counters>>)>,
}

impl Summary {
    /// Adds the lines of one warp.
    pub fn add(&mut self, lines: &[LineTrace]) {
        for line in lines {
            let &LineTrace { count, active, executed, active_lanes, executed_lanes, .. } = line;
            let sums = Sums { count, active, executed, active_lanes, executed_lanes };
            self.add_line(line.statement.index(), &sums, line.counters.as_deref());
        }
    }

    /// Adds a warp whose visits are not kept, and resets the recorder except for its runs: the next warp most likely takes the
    /// same paths.
    pub fn count(&mut self, recorder: &mut Recorder) {
        let mut at = 0;
        while let Some(first) = recorder.close_next(at) {
            let run = &mut recorder.runs[first];
            let sums = std::mem::take(&mut run.sums);
            at = run.end as usize;
            if sums.count != 0 {
                for statement in first..at {
                    self.add_line(statement, &sums, recorder.counters.get(statement));
                }
            }
        }
        recorder.counters.fill(Counters::default());
    }

    fn add_line(&mut self, statement: usize, sums: &Sums, counters: Option<&Counters>) {
        if self.lines.len() <= statement {
            self.lines.resize_with(statement + 1, Default::default);
        }
        let (sum, cost) = &mut self.lines[statement];
        sum.join(sums);
        if let Some(counters) = counters {
            cost.get_or_insert_default().add(counters);
        }
    }

    /// The statements reached by any warp, and the totals.
    pub fn finish(self) -> (Vec<LineTrace>, Totals) {
        let mut totals = Totals::default();
        let mut lines = Vec::new();
        for (statement, (sums, counters)) in self.lines.into_iter().enumerate() {
            if sums.count == 0 {
                continue;
            }
            totals.warp_instructions += sums.count;
            totals.thread_instructions += sums.active_lanes;
            totals.executed_thread_instructions += sums.executed_lanes;
            lines.push(sums.line(statement, counters));
        }
        (lines, totals)
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn visits(lines: &[LineTrace], statement: u32) -> Vec<(Mask, Mask, u64)> {
        let line = lines.iter().find(|line| line.statement == StatementId(statement)).expect("reached");
        line.visits.iter().map(|visit| (visit.active, visit.executed, visit.repeat)).collect()
    }

    #[test]
    fn equal_neighbours_fold() {
        let mut recorder = Recorder::new(2, 10, 100);
        for _ in 0..3 {
            recorder.visit(StatementId(0), 0xf, 0x3);
            recorder.visit(StatementId(1), 0xf, 0xf);
        }
        recorder.visit(StatementId(0), 0x3, 0x3);
        let (lines, budget) = recorder.finish();
        assert_eq!(visits(&lines, 0), [(0xf, 0x3, 3), (0x3, 0x3, 1)]);
        assert_eq!(visits(&lines, 1), [(0xf, 0xf, 3)]);
        assert_eq!((lines[0].count, lines[0].active_lanes, lines[0].executed_lanes), (4, 14, 8));
        assert_eq!(budget, 97);
    }

    #[test]
    fn beyond_the_bound_counts_stay_right() {
        let mut recorder = Recorder::new(1, 2, 100);
        for mask in [1, 2, 4, 8] {
            recorder.visit(StatementId(0), mask, mask);
        }
        let (lines, _) = recorder.finish();
        assert!(lines[0].truncated);
        assert_eq!(lines[0].visits.len(), 2);
        assert_eq!((lines[0].count, lines[0].active), (4, 15));
    }

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
    fn statements_of_a_run_have_the_same_visits_until_it_is_split() {
        let mut recorder = Recorder::new(6, 10, 100);
        recorder.visit_run(0, 6, 0xf, 0xf);
        recorder.visit_run(2, 6, 0x3, 0x3);
        recorder.visit_run(2, 4, 0x1, 0x1);
        let (lines, budget) = recorder.finish();
        assert_eq!(visits(&lines, 1), [(0xf, 0xf, 1)]);
        assert_eq!(visits(&lines, 3), [(0xf, 0xf, 1), (0x3, 0x3, 1), (0x1, 0x1, 1)]);
        assert_eq!(visits(&lines, 5), [(0xf, 0xf, 1), (0x3, 0x3, 1)]);
        assert_eq!(budget, 100 - 5);
    }

    proptest! {
        /// Recording a run is equivalent to recording its statements one by one.
        #[test]
        fn a_run_equals_its_statements(
            visited in vec((0u32..12, 0u32..12, 1u64..4, 0u64..2), 0..60),
            max_visits in 0usize..6,
        ) {
            let new = || Recorder::new(12, max_visits, usize::MAX);
            let (mut runs, mut single) = (new(), new());
            for (first, end, active, executed) in visited {
                runs.visit_run(first, end, active, executed);
                for statement in first..end {
                    single.visit(StatementId(statement), active, executed);
                }
            }
            prop_assert_eq!(runs.finish().0, single.finish().0);
        }
    }

    #[test]
    fn a_statement_never_reached_is_not_listed() {
        let (lines, _) = Recorder::new(3, 2, 100).finish();
        assert!(lines.is_empty());
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
}
