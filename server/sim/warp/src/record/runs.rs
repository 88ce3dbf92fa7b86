//! Stores one value for each run of statements: consecutive statements whose values have always changed together.
//!
//! Statements of straight-line code are active in the same lanes, so most of them share what is recorded about them.

use std::ops::Range;

pub(super) trait RunValue: Clone {
    /// The value that holds for the statements before the last one of the run.
    fn before_last(&self) -> Self;
}

/// A run and its value.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run<T> {
    /// One past the last statement; 0 if no run starts here.
    pub(super) end: u32,
    pub(super) value: T,
}

/// The runs of a program, indexed by first statement.
#[derive(Clone, Debug)]
pub(super) struct Runs<T> {
    runs: Vec<Run<T>>,
}

impl<T> Default for Runs<T> {
    fn default() -> Runs<T> {
        Runs { runs: Vec::new() }
    }
}

impl<T: RunValue> Runs<T> {
    /// An empty set of runs for a program of `statements` statements with the initial value `value`.
    pub(super) fn new(statements: usize, value: T) -> Runs<T> {
        Runs { runs: vec![Run { end: 0, value }; statements] }
    }

    pub(super) fn statements(&self) -> usize {
        self.runs.len()
    }

    /// Appends statements until there are `statements`.
    pub(super) fn grow(&mut self, statements: usize, value: T) {
        self.runs.resize(statements.max(self.runs.len()), Run { end: 0, value });
    }

    /// The run that starts at `first`; its `end` is 0 if there is none.
    #[inline(always)]
    pub(super) fn at(&mut self, first: u32) -> &mut Run<T> {
        &mut self.runs[first as usize]
    }

    /// The values of all statements, including those at which no run starts.
    #[inline]
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.runs.iter_mut().map(|run| &mut run.value)
    }

    /// The first statement of the next run at or after `at`.
    #[inline]
    pub(super) fn next(&self, at: u32) -> Option<u32> {
        let runs = self.runs.get(at as usize..)?;
        Some(at + runs.iter().position(|run| run.end != 0)? as u32)
    }

    /// The runs with their values.
    pub(super) fn iter(&self) -> impl Iterator<Item = (Range<u32>, &T)> {
        let runs = (0..).zip(&self.runs).filter(|(_, run)| run.end != 0);
        runs.map(|(first, run)| (first..run.end, &run.value))
    }

    /// The first statement and the value of the run that contains `statement`.
    #[inline]
    pub(super) fn of(&self, statement: u32) -> Option<(u32, &T)> {
        let runs = self.runs.get(..=statement as usize)?;
        let first = runs.iter().rposition(|run| run.end != 0)?;
        (runs[first].end > statement).then_some((first as u32, &runs[first].value))
    }

    /// Makes a run start at `at` and end no later than `end`; returns its end. Calls `split` with the first statements
    /// of both parts whenever it splits a run.
    #[inline(always)]
    pub(super) fn arrange(&mut self, at: u32, end: u32, split: impl FnMut(u32, u32)) -> u32 {
        let run = &self.runs[at as usize];
        if run.end <= at || run.end > end {
            self.arrange_new(at, end, split);
        }
        self.runs[at as usize].end
    }

    #[cold]
    fn arrange_new(&mut self, at: u32, end: u32, mut split: impl FnMut(u32, u32)) {
        let first = at as usize;
        if self.runs[first].end == 0 {
            match self.runs[..first].iter().rposition(|run| run.end != 0) {
                Some(head) if self.runs[head].end > at => {
                    self.split(head as u32, at);
                    split(head as u32, at);
                }
                _ => {
                    let new = self.runs[first..end as usize].iter().take_while(|run| run.end == 0);
                    self.runs[first].end = at + new.count() as u32;
                }
            }
        }
        if self.runs[first].end > end {
            self.split(at, end);
            split(at, end);
        }
    }

    /// Splits the run at `first` at statement `at`.
    fn split(&mut self, first: u32, at: u32) {
        let head = &mut self.runs[first as usize];
        let value = head.value.before_last();
        let tail = std::mem::replace(head, Run { end: at, value });
        self.runs[at as usize] = tail;
    }
}
