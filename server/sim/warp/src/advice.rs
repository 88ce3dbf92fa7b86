//! What the message of a race recommends.

use crate::race_scope::RaceScope;

/// A recommendation with its words, which a tool for another language may replace with its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Advice {
    pub kind: AdviceKind,
    /// A part of the finding's message.
    pub text: &'static str,
}

/// How to order two accesses, or why their order does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdviceKind {
    /// Synchronize the threads of this scope between the accesses. For a grid no barrier does it.
    Synchronize(RaceScope),
    /// Poll the flag with an acquire.
    Acquire,
    /// Widen the scope of the release and of the acquire.
    WiderScope,
    /// Store from one lane, or to a distinct address per lane.
    DistinctAddresses,
    /// Replace load, operation and store with an atomic.
    Atomic,
    /// Make both accesses atomic or volatile.
    BothStrong,
    /// Access the bytes with elements of one size.
    OneSize,
    /// Make the load relaxed: a compare-and-swap repairs its stale value.
    RelaxedLoad,
    /// Both orders give the same value.
    SameValue,
    /// The orders give values that differ by rounding.
    Rounding,
}

impl AdviceKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            AdviceKind::Synchronize(RaceScope::Warp) => "synchronize-warp",
            AdviceKind::Synchronize(RaceScope::Block) => "synchronize-block",
            AdviceKind::Synchronize(RaceScope::Cluster) => "synchronize-cluster",
            AdviceKind::Synchronize(RaceScope::Grid) => "synchronize-grid",
            AdviceKind::Acquire => "acquire",
            AdviceKind::WiderScope => "wider-scope",
            AdviceKind::DistinctAddresses => "distinct-addresses",
            AdviceKind::Atomic => "atomic",
            AdviceKind::BothStrong => "both-strong",
            AdviceKind::OneSize => "one-size",
            AdviceKind::RelaxedLoad => "relaxed-load",
            AdviceKind::SameValue => "same-value",
            AdviceKind::Rounding => "rounding",
        }
    }
}
