//! Compares a run with another run of the same launch: each visit with the visit of the same number.

use warplens_sim_warp::trace::{Divergence, LineTrace, Mask, RunResult, StatementId, Status, WarpId};

use super::quirk::Quirk;

/// How many bugs are remembered.
const MAX_QUIRKS: usize = 4;

#[derive(Debug)]
pub(crate) struct RunComparison<'o> {
    warp: WarpId,
    /// The other run, by statement. `None` if there is no other run, or if it does not list this wave.
    other: Option<Vec<Cursor<'o>>>,
    quirks: Vec<(Quirk, StatementId)>,
    pub(crate) divergence: Option<Divergence>,
}

/// The matched visits of a statement.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor<'o> {
    line: Option<&'o LineTrace>,
    /// The index of the folded visit, and how many of its repeats are matched.
    fold: usize,
    used: u64,
    seen: u64,
    ended: bool,
}

impl<'o> RunComparison<'o> {
    /// The comparison of a wave, whose program has `statements` statements. Missing visits of an unfinished
    /// run are not differences.
    pub(crate) fn new(warp: WarpId, statements: usize, other: Option<&'o RunResult>) -> Self {
        let ended = other.is_some_and(|other| other.status == Status::Finished);
        let other = other.and_then(|other| other.warp(warp.cta, warp.warp)).map(|trace| {
            let mut cursors = vec![Cursor { ended, ..Cursor::default() }; statements];
            for line in &trace.lines {
                if let Some(cursor) = cursors.get_mut(line.statement.index()) {
                    cursor.line = Some(line);
                }
            }
            cursors
        });
        RunComparison { warp, other, quirks: Vec::new(), divergence: None }
    }

    /// Records an observed bug.
    pub(crate) fn note(&mut self, quirk: Quirk, at: StatementId) {
        if self.quirks.first() == Some(&(quirk, at)) || self.other.is_none() || self.divergence.is_some() {
            return;
        }
        self.quirks.retain(|known| *known != (quirk, at));
        self.quirks.insert(0, (quirk, at));
        self.quirks.truncate(MAX_QUIRKS);
    }

    #[inline]
    pub(crate) fn visit(&mut self, statement: StatementId, active: Mask, executed: Mask) {
        if self.divergence.is_some() {
            return;
        }
        let Some(cursor) = self.other.as_mut().and_then(|other| other.get_mut(statement.index())) else {
            return;
        };
        cursor.seen += 1;
        let there = match cursor.next() {
            Next::Visit(there) => Some(there),
            Next::None => None,
            Next::Unknown => return,
        };
        if there != Some((active, executed)) {
            let visit = cursor.seen;
            self.diverge(statement, visit, Some((active, executed)), there);
        }
    }

    /// The wave has exited: any further visits of the other run are missing here.
    pub(crate) fn end(&mut self) {
        if self.divergence.is_some() {
            return;
        }
        let missing =
            self.other.iter_mut().flatten().enumerate().find_map(|(at, cursor)| match cursor.next() {
                Next::Visit(there) => Some((StatementId(at as u32), cursor.seen + 1, there)),
                _ => None,
            });
        if let Some((statement, visit, there)) = missing {
            self.diverge(statement, visit, None, Some(there));
        }
    }

    fn diverge(
        &mut self,
        statement: StatementId,
        visit: u64,
        here: Option<(Mask, Mask)>,
        there: Option<(Mask, Mask)>,
    ) {
        let why = self.quirks.drain(..).map(|(quirk, at)| (quirk.sentence(), at)).collect();
        self.divergence = Some(Divergence { warp: self.warp, statement, visit, here, there, why });
    }
}

enum Next {
    Visit((Mask, Mask)),
    None,
    /// The list of the other run's visits ends before this one.
    Unknown,
}

impl Cursor<'_> {
    fn next(&mut self) -> Next {
        let Some(line) = self.line else {
            return if self.ended { Next::None } else { Next::Unknown };
        };
        if line.visits.get(self.fold).is_some_and(|visit| visit.repeat == self.used) {
            self.fold += 1;
            self.used = 0;
        }
        match line.visits.get(self.fold) {
            Some(visit) => {
                self.used += 1;
                Next::Visit((visit.active, visit.executed))
            }
            None if line.truncated || !self.ended => Next::Unknown,
            None => Next::None,
        }
    }
}
