//! The state of the check of proxies; the rules are in `proxy_reads`.

use rustc_hash::FxHashSet;

use super::vector_clock::VectorClock;

/// The state of the proxies of a run.
#[derive(Debug, Default)]
pub(super) struct Proxies {
    /// The writes that precede a proxy fence: those to shared and those to global memory.
    pub(super) fenced: [VectorClock; 2],
    /// The executed statements that access memory through the async proxy.
    pub(super) asynchronous: FxHashSet<u32>,
}
