//! Whose values an access may use.

/// The lanes whose loaded values an access may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsedLanes {
    Own,
    /// All lanes of the warp, after a shuffle, a vote or another exchange of values.
    Warp,
}
