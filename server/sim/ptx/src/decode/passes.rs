//! Passes over a function.

/// Enough for the loops of real kernels.
const MAX_PASSES: usize = 16;

/// Repeats a pass until it changes nothing. Returns `false` if that takes too many passes.
pub(super) fn settles(mut changes: impl FnMut() -> bool) -> bool {
    (0..MAX_PASSES).any(|_| !changes())
}
