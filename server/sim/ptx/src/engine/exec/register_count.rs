//! The registers that a warp requests.

/// A `setmaxnreg` that a warp executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RegisterCount {
    pub(crate) count: u32,
    pub(crate) increases: bool,
    pub(crate) statement: u32,
}

/// The `setmaxnreg` of a warp in order. A loop adds nothing when it repeats itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct RegisterCounts {
    counts: Vec<RegisterCount>,
    /// By count, the increases of other warps that it follows in every schedule: warp and statement.
    follows: Vec<Vec<(u32, u32)>>,
}

impl RegisterCounts {
    /// The most that are kept, so that a loop cannot fill the memory.
    const MOST: usize = 64;

    /// Adds a count, which follows some increases of other warps.
    pub(crate) fn add(&mut self, count: RegisterCount, follows: Vec<(u32, u32)>) {
        if self.counts.len() < Self::MOST && self.counts.last() != Some(&count) {
            self.counts.push(count);
            self.follows.push(follows);
        }
    }

    pub(crate) fn all(&self) -> &[RegisterCount] {
        &self.counts
    }

    /// The counts that may come before an increase of another warp.
    pub(crate) fn not_after(&self, warp: u32, statement: u32) -> impl Iterator<Item = u32> {
        let counts = self.counts.iter().zip(&self.follows);
        counts.filter(move |(_, follows)| !follows.contains(&(warp, statement))).map(|(count, _)| count.count)
    }

    pub(crate) fn clear(&mut self) {
        self.counts.clear();
        self.follows.clear();
    }
}
