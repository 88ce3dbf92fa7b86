//! Shuffles that read lanes which do not take part.

/// Shuffles of lanes that do not take part: the value is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InactiveSources {
    pub(crate) readers: u32,
    pub(crate) sources: u32,
    pub(crate) why: Absence,
}

/// Why lanes do not take part in a shuffle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    /// They have exited, or never started.
    Exited,
    /// They execute it, but the member mask does not name them.
    Unnamed,
    /// They execute something else, or several reasons apply.
    Elsewhere,
}
