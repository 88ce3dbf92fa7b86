//! Shuffles that read inactive lanes.

/// The inactive lanes that a shuffle read; the value is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InactiveSources {
    pub readers: u32,
    pub sources: u32,
    pub why: Absence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// They have exited or never started.
    Exited,
    /// They execute the shuffle, but the member mask does not include them.
    Unnamed,
    /// They execute another instruction, or several reasons apply.
    Elsewhere,
}
