//! What lanes read where the order of threads may decide it, to find the first statement at which two schedules differ.

use rustc_hash::FxHashMap;

use crate::ids::{StatementId, WarpId};

/// Reads that are kept; later ones are dropped.
const MAX_READS: usize = 1 << 20;

/// The read of one lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderedRead {
    pub warp: WarpId,
    pub lane: u32,
    pub statement: StatementId,
    pub value: u64,
    /// The store that the lane does not see, if the value is an older one.
    pub unseen: Option<StatementId>,
}

/// The value of a read of 32-bit words, the low one first: one word or two are kept as they are, for messages.
pub fn value_of_words(words: impl DoubleEndedIterator<Item = u32>) -> u64 {
    words.map(u64::from).rev().reduce(|all, word| all.rotate_left(32) ^ word).unwrap_or(0)
}

/// The reads of a run whose values depend on the order of threads, in order of execution. Consecutive reads of a lane by a
/// statement that polls are one read, with the last value: how often a thread polls is no result.
#[derive(Clone, Debug, Default)]
pub struct OrderLog {
    reads: Vec<OrderedRead>,
    /// The last read of each lane.
    last: FxHashMap<(WarpId, u32), usize>,
}

/// The first read of a run that differs from the same lane's read in another run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderDifference {
    pub read: OrderedRead,
    /// The value in the other run; `None` if the lane does not read there.
    pub other: Option<u64>,
}

impl OrderLog {
    /// Adds a read. `polls` tells whether the statement may only repeat an earlier read.
    pub fn add(&mut self, read: OrderedRead, polls: bool) {
        let last = self.last.get(&(read.warp, read.lane)).copied();
        if let Some(last) = last.filter(|last| polls && self.reads[*last].statement == read.statement) {
            self.reads[last].value = read.value;
        } else if self.reads.len() < MAX_READS {
            self.last.insert((read.warp, read.lane), self.reads.len());
            self.reads.push(read);
        }
    }

    /// The first read that differs from the read with the same number of the same lane in `other`.
    pub fn first_difference(&self, other: &OrderLog) -> Option<OrderDifference> {
        let mut theirs: FxHashMap<(WarpId, u32), Vec<&OrderedRead>> = FxHashMap::default();
        for read in &other.reads {
            theirs.entry((read.warp, read.lane)).or_default().push(read);
        }
        let mut counts: FxHashMap<(WarpId, u32), usize> = FxHashMap::default();
        self.reads.iter().find_map(|read| {
            let count = counts.entry((read.warp, read.lane)).or_default();
            let same = theirs.get(&(read.warp, read.lane)).and_then(|reads| reads.get(*count));
            *count += 1;
            let same = same.filter(|other| other.statement == read.statement);
            match same {
                Some(other) if other.value == read.value => None,
                other => Some(OrderDifference { read: *read, other: other.map(|other| other.value) }),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(reads: &[(u32, u32, u64)]) -> OrderLog {
        let mut log = OrderLog::default();
        for &(lane, statement, value) in reads {
            let warp = WarpId { cta: [0; 3], warp: 0 };
            // Statement 9 polls.
            let read = OrderedRead { warp, lane, statement: StatementId(statement), value, unseen: None };
            log.add(read, statement == 9);
        }
        log
    }

    #[test]
    fn the_first_read_that_differs() {
        let one = log(&[(0, 1, 5), (1, 1, 6), (0, 2, 7)]);
        assert_eq!(one.first_difference(&log(&[(1, 1, 6), (0, 1, 5), (0, 2, 7)])), None);
        let other = log(&[(1, 1, 5), (0, 1, 6), (0, 2, 7)]);
        let first = one.first_difference(&other).map(|found| (found.read.lane, found.other));
        assert_eq!(first, Some((0, Some(6))));
        let first = one.first_difference(&log(&[(0, 1, 5), (1, 1, 6)])).map(|found| found.read.statement);
        assert_eq!(first, Some(StatementId(2)));
    }

    #[test]
    fn how_often_a_thread_polls_does_not_matter() {
        let one = log(&[(0, 9, 0), (0, 9, 0), (0, 9, 1), (0, 2, 3)]);
        assert_eq!(one.first_difference(&log(&[(0, 9, 1), (0, 2, 3)])), None);
    }
}
