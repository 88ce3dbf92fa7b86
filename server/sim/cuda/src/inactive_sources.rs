//! Shuffles that read lanes which do not take part.

/// Shuffles of lanes that do not take part: the value is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InactiveSources {
    pub readers: u32,
    pub sources: u32,
    pub why: Absence,
}

/// Why lanes do not take part in a shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absence {
    /// They have exited, or never started.
    Exited,
    /// They execute it, but the member mask does not name them.
    Unnamed,
    /// They execute something else, or several reasons apply.
    Elsewhere,
}
