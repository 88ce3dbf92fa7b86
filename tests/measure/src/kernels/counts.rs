//! The counts of a comparison of random kernels.

#[derive(Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) kernels: usize,
    pub(super) runs: usize,
    pub(super) unsupported: usize,
    /// Differences with a known reason: a fault of the assembler, or an undefined result.
    pub(super) explained: usize,
    pub(super) differences: usize,
}

impl Counts {
    pub(super) fn add(&mut self, other: Counts) {
        self.kernels += other.kernels;
        self.runs += other.runs;
        self.unsupported += other.unsupported;
        self.explained += other.explained;
        self.differences += other.differences;
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { kernels, runs, unsupported, explained, differences } = self;
        write!(
            f,
            "{kernels} kernels, {runs} runs of machine code: {differences} differ, {explained} differ for a known reason, \
             {unsupported} stop at an instruction that is not simulated"
        )
    }
}
