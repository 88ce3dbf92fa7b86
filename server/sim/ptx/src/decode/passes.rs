//! Passes over a function.

/// Repeats a pass until it changes nothing. Returns `false` if that takes too many passes.
pub(super) fn settles(mut changes: impl FnMut() -> bool) -> bool {
    (0..16).any(|_| !changes())
}
