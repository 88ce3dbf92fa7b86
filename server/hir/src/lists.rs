//! Many short lists in two flat tables.

use std::ops::Range;

/// A list of numbers for each key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lists {
    /// Where the list of each key starts in `numbers`, followed by the end of the last list.
    starts: Box<[u32]>,
    pub(crate) numbers: Box<[u32]>,
}

impl Lists {
    /// The lists of the keys `0..keys`, from pairs of a key and a number. Each list keeps the order of its pairs.
    pub(crate) fn new(keys: usize, pairs: &[(u32, u32)]) -> Lists {
        let mut starts = vec![0u32; keys + 1];
        for &(key, _) in pairs {
            starts[key as usize + 1] += 1;
        }
        for index in 0..keys {
            starts[index + 1] += starts[index];
        }
        let mut next = starts.clone();
        let mut numbers = vec![0; pairs.len()];
        for &(key, number) in pairs {
            let slot = &mut next[key as usize];
            numbers[*slot as usize] = number;
            *slot += 1;
        }
        Lists { starts: starts.into(), numbers: numbers.into() }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    pub(crate) fn of(&self, key: u32) -> &[u32] {
        &self.numbers[self.range(key as usize)]
    }

    /// The part of `numbers` that is the list of a key.
    pub(crate) fn range(&self, key: usize) -> Range<usize> {
        self.starts[key] as usize..self.starts[key + 1] as usize
    }
}
