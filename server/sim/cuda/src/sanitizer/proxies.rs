//! The state of the proxy check; the rules are in `proxy_reads`.

use rustc_hash::FxHashSet;

use super::vector_clock::VectorClock;

#[derive(Debug, Default)]
pub(super) struct Proxies {
    /// The writes that precede a proxy fence: in shared memory, and in global memory.
    pub(super) fenced: [VectorClock; 2],
    /// Executed statements that access memory through the async proxy.
    pub(super) asynchronous: FxHashSet<u32>,
}
