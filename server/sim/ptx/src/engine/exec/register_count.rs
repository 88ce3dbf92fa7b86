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
pub(crate) struct RegisterCounts(Vec<RegisterCount>);

impl RegisterCounts {
    /// The most that are kept, so that a loop cannot fill the memory.
    const MOST: usize = 64;

    pub(crate) fn add(&mut self, count: RegisterCount) {
        if self.0.len() < Self::MOST && self.0.last() != Some(&count) {
            self.0.push(count);
        }
    }

    pub(crate) fn all(&self) -> &[RegisterCount] {
        &self.0
    }

    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }
}
