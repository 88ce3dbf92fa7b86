//! How many blocks of a launch run at once.

/// How many blocks of a launch the largest GPU of its target holds at once.
#[derive(Clone, Copy, Debug)]
pub struct Residency {
    /// Name of the GPU, such as `H100`.
    pub gpu: &'static str,
    pub multiprocessors: u32,
    pub blocks_per_multiprocessor: u64,
}

impl Residency {
    pub fn blocks(self) -> u64 {
        self.blocks_per_multiprocessor * u64::from(self.multiprocessors)
    }

    /// The second sentence of messages.
    pub(super) fn capacity(self) -> String {
        let Residency { gpu, multiprocessors, blocks_per_multiprocessor } = self;
        format!(
            "the largest GPU of this target ({gpu}, {multiprocessors} multiprocessors) holds at most {} of these blocks at once, \
             {blocks_per_multiprocessor} on a multiprocessor",
            self.blocks()
        )
    }
}
